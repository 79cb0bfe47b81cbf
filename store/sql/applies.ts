/** Applies and their journals. */
import type { ApplyRecord, ApplyStore, ApplyWish, JournalEntry } from "../../core/applies.ts";
import { ServiceError } from "../../core/error.ts";
import { insertEntry } from "./audit.ts";
import { applyFrom, type ApplyRow } from "./records.ts";
import { all, get, run, type Sql, type Steps } from "./steps.ts";

const COLUMNS =
  'id, workspace, group_name AS "group", project, backend, state, reason, wish, work, actor_kind AS "actorKind", ' +
  'actor_id AS "actorId", actor_name AS "actorName", credential, created_at AS "createdAt", ended_at AS "endedAt", ' +
  'owner, epoch, lease_until AS "leaseUntil"';

const IN_HAND = "state IN ('running', 'paused')";

function* one(id: string): Steps<ApplyRecord | null> {
  const row = yield* get<ApplyRow>(`SELECT ${COLUMNS} FROM applies WHERE id = $1`, id);
  return row === undefined ? null : applyFrom(row);
}

export function sqlApplies(sql: Sql): ApplyStore {
  return {
    ...(sql.now === undefined ? {} : { now: sql.now }),
    add: (apply, entry) =>
      sql.write(function* () {
        // The partial unique index decides between replicas.
        const added = yield* run(
          "INSERT INTO applies (id, workspace, group_name, project, backend, state, work, actor_kind, actor_id, " +
            "actor_name, credential, created_at, owner, epoch, lease_until) " +
            "VALUES ($1, $2, $3, $4, $5, 'running', $6, $7, $8, $9, $10, $11, $12, 1, $13) ON CONFLICT DO NOTHING",
          apply.id,
          apply.workspace,
          apply.group,
          apply.project,
          apply.backend,
          apply.work,
          apply.by.kind,
          apply.by.id,
          apply.by.name,
          apply.credential,
          apply.createdAt,
          apply.owner,
          apply.leaseUntil,
        );
        if (added === 0) {
          const other = yield* get<{ id: string }>(
            `SELECT id FROM applies WHERE backend = $1 AND project = $2 AND ${IN_HAND}`,
            apply.backend,
            apply.project,
          );
          throw new ServiceError(
            "apply_running",
            `Cannot apply: apply ${other?.id ?? apply.id} of the project "${apply.project}" is not over`,
          );
        }
        yield* insertEntry(entry);
      }),
    get: (id) => sql.read(() => one(id)),
    list: async ({ before, limit, workspace, group, state }) =>
      (await sql.read(() =>
        all<ApplyRow>(
          `SELECT ${COLUMNS} FROM applies WHERE ($1::bigint IS NULL OR (created_at, id) < ($1::bigint, $2::text)) ` +
            "AND ($3::text IS NULL OR workspace = $3) AND ($4::text IS NULL OR group_name = $4) " +
            "AND ($5::text IS NULL OR state = $5) ORDER BY created_at DESC, id DESC LIMIT $6",
          before?.at ?? null,
          before?.id ?? null,
          workspace,
          group,
          state,
          limit,
        )
      )).map(applyFrom),
    wish: (id, wish, entry) =>
      sql.write(function* () {
        const asked = yield* run(
          // To abandon is the stronger one, whoever asked for it.
          "UPDATE applies SET wish = CASE WHEN wish = 'abandon' THEN wish ELSE $1 END " +
            "WHERE id = $2 AND state = 'running'",
          wish,
          id,
        );
        if (asked === 0) return false;
        yield* insertEntry(entry);
        return true;
      }),
    forget: (before) =>
      sql.write(() => run("DELETE FROM applies WHERE ended_at IS NOT NULL AND ended_at < $1", before)),
    ...journals(sql),
    ...leases(sql),
  };
}

function* writeLines(
  ...[id, epoch, lines, entries, end]: Parameters<ApplyStore["write"]>
): Steps<Awaited<ReturnType<ApplyStore["write"]>>> {
  const mine = yield* get<{ wish: ApplyWish | null }>(
    "SELECT wish FROM applies WHERE id = $1 AND epoch = $2 AND state = 'running' FOR UPDATE",
    id,
    epoch,
  );
  if (mine === undefined) return null;
  // Pausing forgets it, and another replica may have taken it from somebody a moment ago.
  if (end?.state === "paused" && mine.wish !== null && mine.wish !== end.heeded) return mine.wish;
  const last = yield* get<{ seq: number }>(
    "SELECT coalesce(max(seq), 0) AS seq FROM apply_lines WHERE apply_id = $1",
    id,
  );
  const written = lines.map((line, index): JournalEntry => ({
    seq: (last?.seq ?? 0) + index + 1,
    ...line,
  }));
  yield* run(
    "INSERT INTO apply_lines (apply_id, seq, at, kind, step, body) SELECT $1::text, * " +
      "FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::integer[], $6::text[]) AS l",
    id,
    written.map(({ seq }) => seq),
    written.map(({ at }) => at),
    written.map(({ kind }) => kind),
    written.map(({ step }) => step),
    written.map(({ body }) => body),
  );
  if (end !== undefined) {
    yield* run(
      "UPDATE applies SET state = $1, reason = $2, ended_at = $3, wish = NULL WHERE id = $4",
      end.state,
      end.reason,
      end.state === "paused" ? null : end.at,
      id,
    );
  }
  for (const entry of entries) yield* insertEntry(entry);
  return written;
}

function journals(sql: Sql): Pick<ApplyStore, "write" | "lines"> {
  return {
    write: (...given) => sql.write(() => writeLines(...given)),
    lines: (id, after, limit) =>
      sql.read(() =>
        all<JournalEntry>(
          "SELECT seq, at, kind, step, body FROM apply_lines WHERE apply_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
          id,
          after,
          limit,
        )
      ),
  };
}

function leases(sql: Sql): Pick<ApplyStore, "resume" | "renew" | "takeOver" | "release"> {
  return {
    resume: (id, { by, credential, wish }, { owner, until }, entry) =>
      sql.write(function* () {
        const resumed = yield* run(
          "UPDATE applies SET state = 'running', reason = NULL, wish = $1, actor_kind = $2, actor_id = $3, " +
            "actor_name = $4, credential = $5, owner = $6, epoch = epoch + 1, lease_until = $7 " +
            "WHERE id = $8 AND state = 'paused'",
          wish,
          by.kind,
          by.id,
          by.name,
          credential,
          owner,
          until,
          id,
        );
        if (resumed === 0) return null;
        yield* insertEntry(entry);
        return yield* one(id);
      }),
    renew: async ({ owner, until }) => {
      const own = "SELECT 1 FROM applies WHERE owner = $1 AND state = 'running' LIMIT 1";
      // Most often there is nothing, and reading costs no write.
      if (await sql.read(() => get(own, owner)) === undefined) return [];
      const renewed = await sql.write(() =>
        all<ApplyRow>(
          `UPDATE applies SET lease_until = $1 WHERE owner = $2 AND state = 'running' RETURNING ${COLUMNS}`,
          until,
          owner,
        )
      );
      return renewed.map(applyFrom);
    },
    takeOver: async (now, { owner, until }) => {
      const lost = "FROM applies WHERE state = 'running' AND lease_until < $1";
      if (await sql.read(() => get(`SELECT 1 ${lost} LIMIT 1`, now)) === undefined) return [];
      return await sql.write(function* () {
        const rows = yield* all<ApplyRow>(
          `SELECT ${COLUMNS} ${lost} ORDER BY id FOR UPDATE SKIP LOCKED`,
          now,
        );
        for (const { id } of rows) {
          yield* run(
            "UPDATE applies SET owner = $1, epoch = epoch + 1, lease_until = $2 WHERE id = $3",
            owner,
            until,
            id,
          );
        }
        return rows.map((row) => ({
          apply: { ...applyFrom(row), owner, epoch: row.epoch + 1, leaseUntil: until },
          since: row.leaseUntil,
        }));
      });
    },
    release: (owner, now, behind) =>
      sql.write(function* () {
        yield* run(
          "UPDATE applies SET lease_until = $1 WHERE owner = $2 AND state = 'running' " +
            "AND lease_until > $1 AND ($3::bigint IS NULL OR lease_until > $3::bigint)",
          now - 1,
          owner,
          behind ?? null,
        );
      }),
  };
}
