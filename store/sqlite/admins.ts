/** The last admin: a change that takes rights away is carried out, admins are counted, and it is rolled back if none is left. */
import { ServiceError } from "../../core/error.ts";
import type { SqliteDatabase } from "./database.ts";

/** A grant of the admin's role that counts everywhere, in a column of grants. */
const isAdmin = (grants: string) =>
  `EXISTS (SELECT 1 FROM json_each(${grants}) AS g WHERE json_extract(g.value, '$.role') = 'admin' ` +
  "AND json_type(g.value, '$.on') IS NULL)";

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
 * Does what may lower somebody, inside a write, which makes all others wait. Throws `last_admin`, which rolls it back,
 * when there was an admin before and is none afterwards.
 */
export function keepingAnAdmin<T>(database: SqliteDatabase, work: () => T): T {
  const before = admins(database);
  const value = work();
  if (before > 0 && admins(database) === 0) {
    throw new ServiceError(
      "last_admin",
      "Cannot do that: nobody would be left who is an admin everywhere and for good; make another one first",
    );
  }
  return value;
}

function admins(database: SqliteDatabase): number {
  return database.get<{ n: number }>(COUNT)?.n ?? 0;
}
