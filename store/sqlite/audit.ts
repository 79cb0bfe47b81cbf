/** Entries of the audit log as rows of SQLite, which commit with what they tell of. */
import type { NewAuditEntry } from "../../core/store.ts";
import type { SqliteDatabase } from "./database.ts";

export const ENTRY_COLUMNS =
  "id, chain, seq, at, actor_kind AS actorKind, actor_id AS actorId, actor_name AS actorName, " +
  "credential, action, target, particulars, result, request_id AS requestId, peer, count";

/** Inside a write: the entry is there if and only if that write commits. */
export function insertEntry(database: SqliteDatabase, entry: NewAuditEntry): void {
  database.run(
    "INSERT INTO audit (chain, at, actor_kind, actor_id, actor_name, credential, action, target, particulars, " +
      "result, request_id, peer, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    entry.chain,
    entry.at,
    entry.actor.kind,
    entry.actor.id,
    entry.actor.name,
    entry.credential,
    entry.action,
    entry.target,
    JSON.stringify(entry.particulars),
    entry.result,
    entry.requestId,
    entry.peer,
    entry.count,
  );
}
