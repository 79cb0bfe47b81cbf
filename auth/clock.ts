/** What time it is, as one thing that tests can move. */

export interface Clock {
  /** Milliseconds since 1970; may be set back and forth by whoever keeps the machine's time. */
  now(): number;
  /** Milliseconds that only ever grow: for durations. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
