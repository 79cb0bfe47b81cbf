/** Notes the time of the last request: copying whole logs gives way while others ask. */

let askedAt = -Infinity;
let turnAt = -Infinity;

/** Notes that somebody asks, by the time that `performance.now()` told then: each call of it costs a request. */
export function noteAsked(at: number): void {
  askedAt = at;
}

/** Returns true if somebody has asked within this time. */
export function wasAskedWithin(ms: number): boolean {
  return performance.now() - askedAt < ms;
}

/**
 * Returns the time until the next turn of those who give way, of whom one has its turn each `ms`: what they ask an engine
 * for costs it more than it costs berth, on the same processors. At most `longest`, so that many of them go on, too.
 */
export function untilTurn(ms: number, longest: number): number {
  const now = performance.now();
  turnAt = Math.min(Math.max(now, turnAt) + ms, now + longest);
  return turnAt - now;
}
