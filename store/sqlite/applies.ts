/** Applies and their journals in SQLite. */
import type { ApplyRecord, ApplyStore, JournalEntry, Lease } from "../../core/applies.ts";
import { ServiceError } from "../../core/error.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";
import { applyFrom, type ApplyRow } from "../records.ts";

const COLUMNS =
  "id, workspace, group_name AS 'group', project, backend, state, reason, wish, work, actor_kind AS actorKind, " +
  "actor_id AS actorId, actor_name AS actorName, credential, created_at AS createdAt, ended_at AS endedAt, " +
  "owner, epoch, lease_until AS leaseUntil";

const IN_HAND = "state IN ('running', 'paused')";

export function sqliteApplies(database: SqliteDatabase): ApplyStore {
  const one = (id: string): ApplyRecord | null => {
    const row = database.get<ApplyRow>(`SELECT ${COLUMNS} FROM applies WHERE id = ?`, id);
    return row === undefined ? null : applyFrom(row);
  };
  return {
    add: (apply, entry) =>
      database.write(() => {
        const other = database.get<{ id: string }>(
          `SELECT id FROM applies WHERE backend = ? AND project = ? AND ${IN_HAND}`,
          apply.backend,
          apply.project,
        );
        if (other !== undefined) throw running(apply.project, other.id);
        database.run(
          "INSERT INTO applies (id, workspace, group_name, project, backend, state, work, actor_kind, actor_id, " +
            "actor_name, credential, created_at, owner, epoch, lease_until) " +
            "VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, 1, ?)",
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
        insertEntry(database, entry);
      }),
    get: (id) => database.read(() => one(id)),
    list: ({ before, limit, workspace, group, state }) =>
      database.read(() =>
        database.all<ApplyRow>(
          `SELECT ${COLUMNS} FROM applies WHERE (?1 IS NULL OR (created_at, id) < (?1, ?2)) ` +
            "AND (?3 IS NULL OR workspace = ?3) AND (?4 IS NULL OR group_name = ?4) AND (?5 IS NULL OR state = ?5) " +
            "ORDER BY created_at DESC, id DESC LIMIT ?6",
          before?.at ?? null,
          before?.id ?? null,
          workspace,
          group,
          state,
          limit,
        ).map(applyFrom)
      ),
    write: (id, epoch, lines, entries, end) =>
      database.write(() => {
        const mine = database.get<{ last: number }>(
          "SELECT (SELECT coalesce(max(seq), 0) FROM apply_lines WHERE apply_id = id) AS last FROM applies " +
            "WHERE id = ? AND epoch = ? AND state = 'running'",
          id,
          epoch,
        );
        if (mine === undefined) return null;
        const written = lines.map((line, index): JournalEntry => ({ seq: mine.last + index + 1, ...line }));
        for (const { seq, at, kind, step, body } of written) {
          database.run(
            "INSERT INTO apply_lines (apply_id, seq, at, kind, step, body) VALUES (?, ?, ?, ?, ?, ?)",
            id,
            seq,
            at,
            kind,
            step,
            body,
          );
        }
        if (end !== undefined) {
          database.run(
            "UPDATE applies SET state = ?, reason = ?, ended_at = ?, wish = NULL WHERE id = ?",
            end.state,
            end.reason,
            end.state === "paused" ? null : end.at,
            id,
          );
        }
        for (const entry of entries) insertEntry(database, entry);
        return written;
      }),
    lines: (id, after, limit) =>
      database.read(() =>
        database.all<JournalEntry>(
          "SELECT seq, at, kind, step, body FROM apply_lines WHERE apply_id = ? AND seq > ? ORDER BY seq LIMIT ?",
          id,
          after,
          limit,
        ).map((row) => ({ ...row }))
      ),
    wish: (id, wish, entry) =>
      database.write(() => {
        if (database.run(`UPDATE applies SET wish = ? WHERE id = ? AND ${IN_HAND}`, wish, id) === 0) {
          return false;
        }
        insertEntry(database, entry);
        return true;
      }),
    resume: (id, { by, credential, wish }, { owner, until }, entry) =>
      database.write(() => {
        const resumed = database.run(
          "UPDATE applies SET state = 'running', reason = NULL, wish = ?, actor_kind = ?, actor_id = ?, " +
            "actor_name = ?, credential = ?, owner = ?, epoch = epoch + 1, lease_until = ? " +
            "WHERE id = ? AND state = 'paused'",
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
        insertEntry(database, entry);
        return one(id);
      }),
    renew: ({ owner, until }) => {
      const own = () =>
        database.all<ApplyRow>(`SELECT ${COLUMNS} FROM applies WHERE owner = ? AND state = 'running'`, owner)
          .map(applyFrom);
      return renewed(database, own, owner, until);
    },
    takeOver: async (now, lease) => {
      const lost = () =>
        database.all<ApplyRow>(
          `SELECT ${COLUMNS} FROM applies WHERE state = 'running' AND lease_until < ?`,
          now,
        )
          .map(applyFrom);
      // Most often there is nothing, and reading costs no write.
      if ((await database.read(lost)).length === 0) return [];
      return await database.write(() => lost().map((apply) => taken(database, apply, lease)));
    },
    release: (owner, now) =>
      database.write(() =>
        void database.run(
          "UPDATE applies SET lease_until = ? WHERE owner = ? AND state = 'running'",
          now - 1,
          owner,
        )
      ),
    forget: (before) =>
      database.write(() =>
        database.run("DELETE FROM applies WHERE ended_at IS NOT NULL AND ended_at < ?", before)
      ),
  };
}

async function renewed(
  database: SqliteDatabase,
  own: () => ApplyRecord[],
  owner: string,
  until: number,
): Promise<ApplyRecord[]> {
  if ((await database.read(own)).length === 0) return [];
  return await database.write(() => {
    database.run("UPDATE applies SET lease_until = ? WHERE owner = ? AND state = 'running'", until, owner);
    return own();
  });
}

function taken(
  database: SqliteDatabase,
  apply: ApplyRecord,
  { owner, until }: Lease,
): { readonly apply: ApplyRecord; readonly since: number } {
  database.run(
    "UPDATE applies SET owner = ?, epoch = epoch + 1, lease_until = ? WHERE id = ?",
    owner,
    until,
    apply.id,
  );
  return {
    apply: { ...apply, owner, epoch: apply.epoch + 1, leaseUntil: until },
    since: apply.leaseUntil,
  };
}

const running = (project: string, id: string): ServiceError =>
  new ServiceError("apply_running", `Cannot apply: apply ${id} of the project "${project}" is not over`);
