/** The time, as an object that tests can move. */

export interface Clock {
  /** Milliseconds since 1970; jumps when the machine's clock is set. */
  now(): number;
  /** Milliseconds that only ever grow: for durations. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
