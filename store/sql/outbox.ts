/** The outbox: what each target is still to be told, written with the change of the incident. */
import type { Incident, IncidentChange, IncidentSubject } from "../../core/incidents.ts";
import { mutedUntil, type MuteRecord } from "../../core/mutes.ts";
import type { Batch, NoticeStore, OutboxState } from "../../core/notices.ts";
import { insertEntry } from "./audit.ts";
import { all, run, type Sql, type Steps } from "./steps.ts";

/** The subject of the record of the first watch: it is never forgotten. */
export const FIRST_WATCH = "berth watch";
/** Rows of the outbox; what comes after them is not told. */
const MOST_ROWS = 10_000;
/** The due time of a row whose batch is under way, and that is told once more after it. */
const TOLD_AGAIN = -1;
/** Incidents of one message. */
const MOST_IN_BATCH = 500;

/** Notes what targets are to be told of a change. */
export function* tellOf({ incident, outbox }: IncidentChange): Steps<void> {
  const { id, closedAt } = incident;
  if (closedAt !== null) {
    // An end is told to those who may have been told of the beginning.
    yield* run(
      "DELETE FROM outbox WHERE incident_id = $1 AND is_told = 0 AND (batch IS NULL OR state = 'dead')",
      id,
    );
    yield* run(
      "UPDATE outbox SET due_at = 0, batch = NULL, state = 'waiting', is_told = 1 WHERE incident_id = $1",
      id,
    );
  }
  if (outbox === undefined) return;
  if (outbox.isLater) {
    yield* run("DELETE FROM outbox WHERE incident_id = $1 AND is_told = 0 AND batch IS NULL", id);
  }
  for (const { notice, dueAt } of outbox.to) {
    yield* run(
      "INSERT INTO outbox (notice_id, incident_id, state, is_told, due_at, attempts, refusals, next_at) " +
        "SELECT n.id, $2, 'waiting', 0, $3, 0, 0, 0 FROM notices AS n WHERE n.id = $1 " +
        `AND (SELECT count(*) FROM outbox) < ${MOST_ROWS} ON CONFLICT DO NOTHING`,
      notice,
      id,
      dueAt,
    );
  }
  if (outbox.soonerAt !== null) {
    yield* run(
      "UPDATE outbox SET due_at = $2 WHERE incident_id = $1 AND is_told = 0 AND due_at > $2",
      id,
      outbox.soonerAt,
    );
  }
  if (outbox.isWorse) {
    // A message that was given up said less than this: it is told anew.
    yield* run(
      "UPDATE outbox SET due_at = 0, batch = NULL, state = 'waiting' WHERE incident_id = $1 AND state <> 'waiting'",
      id,
    );
    // A batch that is under way may carry the text of before. It keeps its row, its attempts and its id.
    yield* run(
      "UPDATE outbox SET due_at = $2 WHERE incident_id = $1 AND state = 'waiting' AND batch IS NOT NULL",
      id,
      TOLD_AGAIN,
    );
  }
}

/** Notes that a new target is to be told what berth watches, once it does. */
export function* tellFirst(notice: string): Steps<void> {
  yield* run(
    "INSERT INTO outbox (notice_id, incident_id, state, is_told, due_at, attempts, refusals, next_at) " +
      "SELECT $1, id, 'waiting', 0, 0, 0, 0, 0 FROM incidents WHERE subject = $2",
    notice,
    FIRST_WATCH,
  );
}

interface DueRow extends Pick<Incident, "id" | "kind">, Omit<IncidentSubject, "kind"> {
  readonly subjectKind: IncidentSubject["kind"];
  readonly body: string;
}

interface Row extends Omit<Batch, "incidents"> {
  readonly incident: string;
}

const COLUMNS =
  'batch AS id, notice_id AS notice, incident_id AS incident, first_at AS "firstAt", attempts, refusals, ' +
  'next_at AS "nextAt", state, problem';

type Outbox = Pick<
  NoticeStore,
  "due" | "take" | "bound" | "sent" | "failed" | "stuck" | "retry" | "drop" | "counts" | "forgetDead"
>;

export function sqlOutbox(sql: Sql): Outbox {
  return {
    due: async (now) => (await sql.read(() => waitingAt(now))).map(({ notice }) => notice),
    take: (notice, now, batch, mutes) => sql.write(() => take(notice, now, batch, mutes)),
    bound: (now, notices, retryMs) => sql.write(() => bound(now, notices, retryMs)),
    sent: (batch) =>
      sql.write(function* () {
        // What was closed before it was sent is over; of all else the end is still to be told.
        yield* run(
          "DELETE FROM outbox WHERE batch = $1 AND incident_id IN (SELECT id FROM incidents WHERE closed_at IS NOT NULL)",
          batch,
        );
        yield* run(
          "UPDATE outbox SET state = CASE due_at WHEN $2 THEN 'waiting' ELSE 'told' END, " +
            "due_at = CASE due_at WHEN $2 THEN 0 ELSE due_at END, is_told = 1, batch = NULL, attempts = 0, refusals = 0, " +
            "problem = NULL WHERE batch = $1",
          batch,
          TOLD_AGAIN,
        );
      }),
    failed: ({ id, attempts, refusals, nextAt, state, problem }) =>
      sql.write(function* () {
        yield* run(
          "UPDATE outbox SET attempts = $2, refusals = $3, next_at = $4, state = $5, problem = $6 WHERE batch = $1",
          id,
          attempts,
          refusals,
          nextAt,
          state,
          problem,
        );
      }),
    stuck: async (limit) =>
      batchesOf(
        await sql.read(() =>
          all<Row>(
            `SELECT ${COLUMNS} FROM outbox WHERE batch IS NOT NULL AND attempts > 0 ORDER BY first_at, batch, incident_id ` +
              "LIMIT $1",
            limit,
          )
        ),
      ),
    retry: (batch, now, entry) =>
      sql.write(function* () {
        const changed = yield* run(
          "UPDATE outbox SET state = 'waiting', attempts = 0, refusals = 0, next_at = 0, first_at = $2 WHERE batch = $1",
          batch,
          now,
        );
        if (changed > 0) yield* insertEntry(entry);
        return changed > 0;
      }),
    drop: (batch, entry) =>
      sql.write(function* () {
        const dropped = yield* run("DELETE FROM outbox WHERE batch = $1", batch);
        if (dropped > 0) yield* insertEntry(entry);
        return dropped > 0;
      }),
    counts: async () => {
      const rows = await sql.read(() =>
        all<{ state: OutboxState; count: number }>(
          "SELECT state, count(*) AS count FROM outbox GROUP BY state",
        )
      );
      return {
        waiting: 0,
        told: 0,
        dead: 0,
        ...Object.fromEntries(rows.map(({ state, count }) => [state, count])),
      };
    },
    forgetDead: (before) =>
      sql.write(() => run("DELETE FROM outbox WHERE state = 'dead' AND first_at < $1", before)),
  };
}

const waitingAt = (now: number) =>
  all<{ notice: string }>(
    "SELECT DISTINCT notice_id AS notice FROM outbox WHERE state = 'waiting' AND " +
      "(batch IS NULL AND due_at <= $1 OR batch IS NOT NULL AND next_at <= $1)",
    now,
  );

function* bound(now: number, notices: Parameters<NoticeStore["bound"]>[1], retryMs: number): Steps<void> {
  for (const { id, mostMs } of notices) {
    yield* run("UPDATE outbox SET due_at = $2 WHERE notice_id = $1 AND due_at > $2", id, now + mostMs);
  }
  yield* run("UPDATE outbox SET next_at = $1 WHERE next_at > $1", now + retryMs);
  yield* run("UPDATE outbox SET first_at = $1 WHERE first_at > $1", now);
}

function* take(
  notice: string,
  now: number,
  batch: string,
  mutes: readonly MuteRecord[],
): Steps<Batch | null> {
  const known = (yield* underWay(notice, mutes))[0];
  if (known === undefined) {
    const due = yield* dueOf(notice, now, mutes);
    if (due.length === 0) return null;
    yield* run(
      "UPDATE outbox SET batch = $3, first_at = $2, next_at = $2, attempts = 0, refusals = 0, problem = NULL " +
        "FROM unnest($4::text[]) AS d (incident) WHERE notice_id = $1 AND incident_id = d.incident",
      notice,
      now,
      batch,
      due,
    );
  }
  const rows = yield* all<Row>(
    `SELECT ${COLUMNS} FROM outbox WHERE batch = $1 AND next_at <= $2 ORDER BY incident_id`,
    known?.id ?? batch,
    now,
  );
  return batchesOf(rows)[0] ?? null;
}

const INCIDENT =
  'i.id, i.subject_kind AS "subjectKind", i.workspace, i.group_name AS "group", i.project, i.unit, ' +
  "i.engine, i.container, i.kind, i.body FROM outbox AS o JOIN incidents AS i ON i.id = o.incident_id " +
  "WHERE o.notice_id = $1 AND o.state = 'waiting'";

/** Returns the incidents that a target is to be told of now: none that is muted. */
function* dueOf(notice: string, now: number, mutes: readonly MuteRecord[]): Steps<string[]> {
  const rows = yield* all<DueRow>(
    `SELECT ${INCIDENT} AND o.batch IS NULL AND o.due_at <= $2 ORDER BY o.due_at LIMIT $3`,
    notice,
    now,
    mutes.length === 0 ? MOST_IN_BATCH : MOST_ROWS,
  );
  return rows.filter((row) => !isMuted(row, mutes)).slice(0, MOST_IN_BATCH).map(({ id }) => id);
}

/** Returns the batches of a target that are under way, the next one first: none of which all is muted. */
function* underWay(notice: string, mutes: readonly MuteRecord[]): Steps<readonly { readonly id: string }[]> {
  if (mutes.length === 0) {
    return yield* all<{ readonly id: string }>(
      "SELECT batch AS id FROM outbox WHERE notice_id = $1 AND batch IS NOT NULL AND state = 'waiting' " +
        "ORDER BY next_at, batch LIMIT 1",
      notice,
    );
  }
  const rows = yield* all<DueRow & { readonly batch: string }>(
    `SELECT o.batch, ${INCIDENT} AND o.batch IS NOT NULL ORDER BY o.next_at, o.batch`,
    notice,
  );
  return rows.filter((row) => !isMuted(row, mutes)).slice(0, 1).map(({ batch: id }) => ({ id }));
}

function isMuted(
  { id, kind, subjectKind, workspace, group, project, unit, engine, container, body }: DueRow,
  mutes: readonly MuteRecord[],
): boolean {
  const { elsewhere } = JSON.parse(body) as Pick<Incident, "elsewhere">;
  const scopes = elsewhere === undefined ? {} : { elsewhere };
  const subject = { kind: subjectKind, workspace, group, project, unit, engine, container };
  return mutedUntil({ id, kind, subject, ...scopes }, mutes) !== null;
}

function batchesOf(rows: readonly Row[]): Batch[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((own) => {
    const [{ incident: _, ...first }] = own as [Row]; // every group has one
    return { ...first, incidents: own.map(({ incident }) => incident) };
  });
}
