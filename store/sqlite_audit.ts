/** Who did what, in SQLite: appended in batches, cut at its oldest end. */
import type { AuditEntry, AuditRecord, AuditStore } from "../core/store.ts";
import type { SqliteDatabase } from "./sqlite_database.ts";

interface Row {
  readonly id: number;
  readonly at: number;
  readonly actorKind: AuditRecord["actor"]["kind"];
  readonly actorId: string;
  readonly actorName: string;
  readonly action: string;
  readonly target: string | null;
  readonly result: string;
  readonly requestId: string | null;
  readonly peer: string | null;
}

const MATCHES =
  "(?1 IS NULL OR action = ?1) AND (?2 IS NULL OR actor_id = ?2) AND (?3 IS NULL OR result = ?3)";

export function sqliteAudit(database: SqliteDatabase): AuditStore {
  return {
    append: (records, keep) =>
      database.write(() => {
        for (const { at, actor, action, target, result, requestId, peer } of records) {
          database.run(
            "INSERT INTO audit (at, actor_kind, actor_id, actor_name, action, target, result, request_id, peer) " +
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            at,
            actor.kind,
            actor.id,
            actor.name,
            action,
            target,
            result,
            requestId,
            peer,
          );
        }
        database.run("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", keep);
      }),
    list: (query) =>
      database.read(() => {
        const { action, actor, result, before, limit } = query;
        const count = database.get<{ n: number }>(
          `SELECT count(*) AS n FROM audit WHERE ${MATCHES}`,
          action,
          actor,
          result,
        );
        const rows = database.all<Row>(
          "SELECT id, at, actor_kind AS actorKind, actor_id AS actorId, actor_name AS actorName, action, target, " +
            `result, request_id AS requestId, peer FROM audit WHERE ${MATCHES} AND (?4 IS NULL OR id < ?4) ` +
            "ORDER BY id DESC LIMIT ?5",
          action,
          actor,
          result,
          before,
          limit,
        );
        return { items: rows.map(entryFrom), total: count?.n ?? 0 };
      }),
  };
}

function entryFrom(row: Row): AuditEntry {
  const { actorKind, actorId, actorName, ...rest } = row;
  return { ...rest, actor: { kind: actorKind, id: actorId, name: actorName } };
}
