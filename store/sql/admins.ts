/** The last admin: a change that takes rights away is carried out, admins are counted, and it is undone if none is left. */
import { ServiceError } from "../../core/error.ts";
import { get, lock, type Steps } from "./steps.ts";

/** A grant of the admin's role that counts everywhere, in a column of grants. */
const isAdmin = (grants: string) =>
  `EXISTS (SELECT 1 FROM jsonb_array_elements(${grants}::jsonb) AS g (value) ` +
  "WHERE g.value ->> 'role' = 'admin' AND g.value -> 'on' IS NULL)";

/**
 * Counts the admins who will always have access: people of a provider depend on it, keys with an end will
 * end, and a key holds no more than the person behind it.
 */
const COUNT = "SELECT (SELECT count(*) FROM accounts WHERE password IS NOT NULL AND disabled_at IS NULL " +
  `AND grants IS NOT NULL AND ${isAdmin("grants")}) + ` +
  "(SELECT count(*) FROM keys k LEFT JOIN accounts a ON a.id = k.person_id " +
  `WHERE k.expires_at IS NULL AND ${isAdmin("k.grants")} AND (k.person_id IS NULL ` +
  `OR (a.disabled_at IS NULL AND a.grants IS NOT NULL AND ${isAdmin("a.grants")}))) AS n`;

/**
 * Does what may lower somebody, after all others who do. Throws `last_admin`, which undoes it, when there was an admin
 * before and is none afterwards.
 */
export function* keepingAnAdmin<T>(work: () => Steps<T>): Steps<T> {
  yield* lock("rights");
  const before = yield* admins();
  const value = yield* work();
  if (before > 0 && (yield* admins()) === 0) {
    throw new ServiceError(
      "last_admin",
      "Cannot do that: nobody would be left who is an admin everywhere and for good; make another one first",
    );
  }
  return value;
}

function* admins(): Steps<number> {
  return (yield* get<{ n: number }>(COUNT))?.n ?? 0;
}
