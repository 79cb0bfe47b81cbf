/** The times that docs/faults.md promises, in milliseconds: told there in words, and held by the tests as bounds. */
export const PROMISED = {
  /** Served again after the last descriptor was free. */
  servedAgain: 5_000,
  /** Ended after a SIGTERM. */
  drained: 10_000,
  /** An engine that is installed later is found. */
  engineFound: 4_000,
  /** Lists are true after an engine's return. */
  engineSeen: 2_000,
  /** Streams and sockets of a caller who lost the right to them end. */
  revoked: 5_000,
  /** An engine that hangs is called unresponsive. */
  unresponsive: 6_000,
  /** All is right after such an engine's return. */
  engineRight: 3_000,
  /** Streams over a half-open connection resume. */
  resumed: 10_000,
  /** An apply is over whose connections became half open at one of its acts. */
  goneOn: 30_000,
  /** One of them that was quiet is probed. */
  probed: 30_000,
  /** Shells of a berth that was killed are ended or listed. */
  shellsEnded: 30_000,
  /** The longest that a replica that hangs delays a read. */
  delayed: 3_000,
} as const;

const WORDS: Readonly<Record<number, string>> = {
  2: "two",
  3: "three",
  4: "four",
  5: "five",
  6: "six",
  10: "ten",
  30: "thirty",
};

/** Returns such a time as the page tells it. */
export function seconds(ms: number): string {
  const word = WORDS[ms / 1_000];
  if (word === undefined) throw new Error(`${ms} ms have no word yet: add it to tests/proof/promised.ts`);
  return `${word} seconds`;
}
