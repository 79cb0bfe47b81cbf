/**
 * Statements as steps of generators, so that one text serves both databases: PostgreSQL answers each step later, SQLite
 * at once, and then nothing comes between two steps of a transaction.
 */

export type Scalar = string | number | boolean | Uint8Array | null;
/** Arrays stand for columns of rows, in `unnest` alone. */
export type Value = Scalar | readonly Scalar[];

/** The locks of transactions that count rows, which must not change meanwhile. */
export type Lock = "rights" | "strangers" | "plans";

export type Step =
  | { readonly kind: "all" | "run"; readonly sql: string; readonly values: readonly Value[] }
  | { readonly kind: "lock"; readonly what: Lock }
  | { readonly kind: "tell"; readonly hint: string }
  | { readonly kind: "shared"; readonly sql: string };

/**
 * Statements and what becomes of their answers. They are repeated after a conflict, so they do nothing else. A write
 * that is asked for often is a generator function of its own: one that is made anew for every call costs twice as much
 * as all its steps.
 */
export type Steps<T> = Generator<Step, T, unknown>;

/** A database that carries out steps. Its texts are those of PostgreSQL, as `sqlite/sql.ts` can translate them. */
export interface Sql {
  /** Every statement sees what was committed before it. */
  read<T>(steps: () => Steps<T>): Promise<T>;
  /** All or nothing. */
  write<T>(steps: () => Steps<T>): Promise<T>;
  /** The database's clock where those of replicas may differ. */
  readonly now?: () => Promise<number>;
}

/** Somebody may be allowed less than before: a hint for `tell`. */
export const RIGHTS = "rights";

/** Returns the rows. The caller names their shape: a column holds what its migration says. */
export function* all<Row>(sql: string, ...values: Value[]): Steps<Row[]> {
  return (yield { kind: "all", sql, values }) as Row[];
}

export function* get<Row>(sql: string, ...values: Value[]): Steps<Row | undefined> {
  return ((yield { kind: "all", sql, values }) as Row[])[0];
}

/** Runs a change. Returns the number of changed rows. */
export function* run(sql: string, ...values: Value[]): Steps<number> {
  return (yield { kind: "run", sql, values }) as number;
}

/** Until the end of the transaction, all others wait who ask for the same lock; asked for first. */
export function* lock(what: Lock): Steps<void> {
  yield { kind: "lock", what };
}

/** Tells every replica, this one too, once it is committed. */
export function* tell(hint: string): Steps<void> {
  yield { kind: "tell", hint };
}

/** Changes a table that only a database of several replicas has. */
export function* runShared(sql: string): Steps<void> {
  yield { kind: "shared", sql };
}
