/** Entries of the audit log as rows, which commit with what they tell of. */
import type { NewAuditEntry } from "../../core/store.ts";
import { run, type Scalar, type Steps } from "./steps.ts";

export const ENTRY_COLUMNS =
  'id, chain, seq, at, actor_kind AS "actorKind", actor_id AS "actorId", actor_name AS "actorName", ' +
  'credential, action, target, particulars, result, request_id AS "requestId", peer, count';

const INSERT =
  "INSERT INTO audit (chain, at, actor_kind, actor_id, actor_name, credential, action, target, " +
  "particulars, result, request_id, peer, count) ";
const ONE = `${INSERT}VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;
const MANY = `${INSERT}SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], ` +
  "$6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::integer[]) AS e";

/** Inside a write: the entry is there if and only if that write commits. */
export function insertEntry(entry: NewAuditEntry): Steps<unknown> {
  return run(ONE, ...valuesOf(entry));
}

/** The same for many, in one statement. */
export function* insertEntries(entries: readonly NewAuditEntry[]): Steps<void> {
  if (entries.length === 0) return;
  const [first, ...others] = entries.map(valuesOf);
  yield* run(MANY, ...first!.map((value, column) => [value, ...others.map((values) => values[column]!)]));
}

function valuesOf(entry: NewAuditEntry): Scalar[] {
  const { actor, particulars } = entry; // without the rest, which would be a copy
  return [
    entry.chain,
    entry.at,
    actor.kind,
    actor.id,
    actor.name,
    entry.credential,
    entry.action,
    entry.target,
    JSON.stringify(particulars),
    entry.result,
    entry.requestId,
    entry.peer,
    entry.count,
  ];
}
