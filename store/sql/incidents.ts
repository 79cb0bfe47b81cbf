/** Incidents and their lines. */
import {
  type Incident,
  type IncidentChange,
  type IncidentLine,
  type IncidentQuery,
  type IncidentState,
  type IncidentStore,
  type IncidentSubject,
  MOST_LINES,
  subjectKey,
} from "../../core/incidents.ts";
import { FIRST_WATCH, tellOf } from "./outbox.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

interface Row extends Omit<IncidentSubject, "kind">, Pick<Incident, "id" | "openedAt" | "closedAt" | "end"> {
  readonly subjectKind: IncidentSubject["kind"];
  readonly kind: Incident["kind"];
  readonly since: number;
  readonly endings: number;
  readonly lines: number;
  readonly body: string;
}

const COLUMNS =
  'id, subject_kind AS "subjectKind", workspace, group_name AS "group", project, unit, engine, container, kind, since, ' +
  'opened_at AS "openedAt", closed_at AS "closedAt", ended_by AS "end", endings, line_count AS lines, body';

const NEXT = "(SELECT coalesce(max(revision), 0) + 1 FROM incidents)";

export function sqlIncidents(sql: Sql): IncidentStore {
  return {
    write: (changes) => sql.write(() => writeAll(changes)),
    open: async () =>
      (await sql.read(() =>
        all<Row>(
          `SELECT ${COLUMNS} FROM incidents WHERE closed_at IS NULL ORDER BY opened_at DESC, id DESC`,
        )
      )).map(incidentFrom),
    list: async (query) => (await sql.read(() => matching(query))).map(incidentFrom),
    get: async (id) => {
      const row = await sql.read(() => get<Row>(`SELECT ${COLUMNS} FROM incidents WHERE id = $1`, id));
      return row === undefined ? null : incidentFrom(row);
    },
    lines: async (id) => {
      const rows = await sql.read(() =>
        all<{ seq: number; at: number; body: string }>(
          "SELECT seq, at, body FROM incident_lines WHERE incident_id = $1 ORDER BY seq",
          id,
        )
      );
      return rows.map(({ seq, at, body }): IncidentLine => ({
        seq,
        at,
        ...JSON.parse(body) as IncidentState,
      }));
    },
    revision: async () =>
      (await sql.read(() =>
        get<{ revision: number }>("SELECT coalesce(max(revision), 0) AS revision FROM incidents")
      ))?.revision ?? 0,
    wasWatched: async () =>
      await sql.read(() => get("SELECT 1 FROM incidents WHERE subject = $1", FIRST_WATCH)) !== undefined,
    forget: (before, most) =>
      sql.write(() =>
        run(
          "DELETE FROM incidents WHERE subject <> $1 AND closed_at IS NOT NULL AND (closed_at < $2 OR id IN " +
            "(SELECT id FROM incidents ORDER BY (closed_at IS NULL) DESC, opened_at DESC, id DESC LIMIT 1000 OFFSET $3))",
          FIRST_WATCH,
          before,
          most,
        )
      ),
  };
}

function* writeAll(changes: readonly IncidentChange[]): Steps<readonly string[]> {
  const written: string[] = [];
  for (const change of changes) {
    const { incident, line } = change;
    const { id, subject, openedAt, closedAt, end, endings, lines, kind, since } = incident;
    const { atLatest, cause, fields, atFirst, elsewhere } = incident;
    const body = JSON.stringify({ atLatest, cause, fields, atFirst, elsewhere });
    let changed = yield* run(
      `UPDATE incidents SET kind = $2, since = $3, closed_at = $4, ended_by = $5, endings = $6, line_count = $7, body = $8, ` +
        `revision = ${NEXT} WHERE id = $1 AND closed_at IS NULL`,
      id,
      kind,
      since,
      closedAt,
      end,
      endings,
      lines,
      body,
    );
    if (changed === 0) {
      // The unique index of open subjects decides between replicas.
      changed = yield* run(
        "INSERT INTO incidents (id, subject, subject_kind, workspace, group_name, project, unit, engine, container, kind, " +
          "since, opened_at, closed_at, ended_by, endings, line_count, body, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, " +
          `$8, $9, $10, $11, $12, $13, $14, $15, $16, $17, ${NEXT}) ON CONFLICT DO NOTHING`,
        id,
        subjectKey(subject),
        subject.kind,
        subject.workspace,
        subject.group,
        subject.project,
        subject.unit,
        subject.engine,
        subject.container,
        kind,
        since,
        openedAt,
        closedAt,
        end,
        endings,
        lines,
        body,
      );
    }
    if (changed === 0) continue;
    written.push(id);
    yield* tellOf(change);
    if (line === null || lines > MOST_LINES) continue;
    const { at, ...state } = line;
    yield* run(
      "INSERT INTO incident_lines (incident_id, seq, at, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
      id,
      lines,
      at,
      JSON.stringify(state),
    );
  }
  return written;
}

function* matching(
  { state, kind, workspace, group, unit, since, before, limit }: IncidentQuery,
): Steps<Row[]> {
  return yield* all<Row>(
    `SELECT ${COLUMNS} FROM incidents WHERE ($1::text IS NULL OR (closed_at IS NULL) = ($1::text = 'open')) ` +
      "AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR workspace = $3) " +
      "AND ($4::text IS NULL OR group_name = $4) AND ($5::text IS NULL OR unit = $5) " +
      "AND ($6::bigint IS NULL OR closed_at IS NULL OR closed_at > $6) " +
      "AND ($7::bigint IS NULL OR (opened_at, id) < ($7::bigint, $8::text)) " +
      "ORDER BY opened_at DESC, id DESC LIMIT $9",
    state,
    kind,
    workspace,
    group,
    unit,
    since,
    before?.at ?? null,
    before?.id ?? null,
    limit,
  );
}

function incidentFrom(row: Row): Incident {
  const { subjectKind, workspace, group, project, unit, engine, container, body, ...rest } = row;
  const subject = { kind: subjectKind, workspace, group, project, unit, engine, container };
  return {
    ...rest,
    subject,
    ...JSON.parse(body) as Pick<Incident, "atLatest" | "cause" | "fields" | "atFirst" | "elsewhere">,
  };
}
