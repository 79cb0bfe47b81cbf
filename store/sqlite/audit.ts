/** Who did what, in SQLite: rows that commit with what they tell of. */
import type { AuditActor, AuditChain, AuditEntry, AuditStore, NewAuditEntry } from "../../core/store.ts";
import type { SqliteDatabase } from "./database.ts";

interface Row {
  readonly id: number;
  readonly chain: AuditChain;
  readonly seq: number | null;
  readonly at: number;
  readonly actorKind: AuditActor["kind"];
  readonly actorId: string;
  readonly actorName: string;
  readonly credential: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly particulars: string;
  readonly result: string;
  readonly requestId: string | null;
  readonly peer: string | null;
  readonly count: number;
}

const COLUMNS =
  "id, chain, seq, at, actor_kind AS actorKind, actor_id AS actorId, actor_name AS actorName, " +
  "credential, action, target, particulars, result, request_id AS requestId, peer, count";
const MATCHES =
  "(?1 IS NULL OR action = ?1) AND (?2 IS NULL OR actor_id = ?2) AND (?3 IS NULL OR result = ?3)";

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

export function sqliteAudit(database: SqliteDatabase): AuditStore {
  return {
    append: (entries) =>
      database.write(() => {
        for (const entry of entries) insertEntry(database, entry);
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
          `SELECT ${COLUMNS} FROM audit WHERE ${MATCHES} AND (?4 IS NULL OR id < ?4) ORDER BY id DESC LIMIT ?5`,
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

function entryFrom({ actorKind, actorId, actorName, particulars, ...rest }: Row): AuditEntry {
  const actor = { kind: actorKind, id: actorId, name: actorName };
  return { ...rest, actor, particulars: JSON.parse(particulars) };
}
