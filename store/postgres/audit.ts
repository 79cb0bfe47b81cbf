/** Entries of the audit log as rows of PostgreSQL, which commit with what they tell of. */
import type { NewAuditEntry } from "../../core/store.ts";
import type { Transaction } from "./transaction.ts";

export const ENTRY_COLUMNS =
  'id, chain, seq, at, actor_kind AS "actorKind", actor_id AS "actorId", actor_name AS "actorName", ' +
  'credential, action, target, particulars, result, request_id AS "requestId", peer, count';

/** Inside a write: the entry is there if and only if that write commits. */
export function insertEntry(tx: Transaction, entry: NewAuditEntry): Promise<void> {
  return insertEntries(tx, [entry]);
}

/** The same for many, in one statement. */
export async function insertEntries(tx: Transaction, entries: readonly NewAuditEntry[]): Promise<void> {
  const column = <T extends string | number | null>(of: (entry: NewAuditEntry) => T) => entries.map(of);
  await tx.run(
    "INSERT INTO audit (chain, at, actor_kind, actor_id, actor_name, credential, action, target, particulars, " +
      "result, request_id, peer, count) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], " +
      "$5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::integer[])",
    column(({ chain }) => chain),
    column(({ at }) => at),
    column(({ actor }) => actor.kind),
    column(({ actor }) => actor.id),
    column(({ actor }) => actor.name),
    column(({ credential }) => credential),
    column(({ action }) => action),
    column(({ target }) => target),
    column(({ particulars }) => JSON.stringify(particulars)),
    column(({ result }) => result),
    column(({ requestId }) => requestId),
    column(({ peer }) => peer),
    column(({ count }) => count),
  );
}
