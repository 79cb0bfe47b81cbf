/** Statements and transactions, as the tables see them. */
import type { Lock, Value } from "../sql/steps.ts";

/** Statements, each prepared once a connection. The caller names the shape of a row: a column holds what its migration says. */
export interface Queries {
  all<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined>;
  /** Runs a change. Returns the number of changed rows. */
  run(sql: string, ...values: Value[]): Promise<number>;
}

export interface Transaction extends Queries {
  /** Until the end, all others wait who ask for the same lock. */
  lock(what: Lock): Promise<void>;
  /** Tells every replica, this one too, once it is committed. */
  tell(hint: string): Promise<void>;
}

/** Asked for first in a transaction, so that nobody waits for it in a circle. */
export const LOCKS: Readonly<Record<Lock, number>> = {
  /** The lock for keys, people and the last admin. */
  rights: 1,
  /** The counters of strangers. */
  strangers: 2,
  /** The lock for the number of plans and offers. */
  plans: 3,
};
/** "bert" in ASCII: tells our locks from those of others in the same database. */
export const LOCK_SPACE = 0x62657274;
