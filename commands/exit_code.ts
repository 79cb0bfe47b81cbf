/** The exit codes of all commands, so that a script needs one table. `exec` answers the code of its command. */
import { StartFailure } from "../app/start_failure.ts";

export const EXIT = {
  /** Done, or nothing is to be done. */
  FINE: 0,
  /** Broken, failed, blocked, refused or not found. */
  NO: 1,
  /** Something differs, is stopped or is not started. */
  TO_DO: 2,
  /** An apply waits for a person. */
  WAITS: 3,
  /** Berth or an engine did not answer, or something of the answer is missing. */
  INCOMPLETE: 4,
  /** The command line or the settings are wrong; the same again fails again. */
  USAGE: 64,
  /** A command in a container could not be run; docker answers the same. */
  NOT_RUN: 125,
} as const;

/** The meanings, as help and the manual page show them. */
export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.FINE, "done, or nothing is to be done"],
  [EXIT.NO, "broken, failed, blocked, refused or not found"],
  [EXIT.TO_DO, "something is to be done: it differs, is stopped, paused or not started"],
  [EXIT.WAITS, "an apply waits for a person"],
  [EXIT.INCOMPLETE, "berth or an engine did not answer, or a part of the answer is missing"],
  [EXIT.USAGE, "the command line or the settings are wrong"],
  [EXIT.NOT_RUN, "exec could not run its command; otherwise it ends with the command's own code"],
];

/** A command line that cannot be meant as it stands; the message is the whole sentence. */
export class UsageFailure extends StartFailure {}

/** Returns the code that counts most: what is broken first, then what is missing, then what is to be done. */
export function worstOf(codes: Iterable<number>): number {
  const seen = new Set(codes);
  const order = [EXIT.USAGE, EXIT.NO, EXIT.WAITS, EXIT.INCOMPLETE, EXIT.TO_DO];
  return order.find((code) => seen.has(code)) ?? EXIT.FINE;
}
