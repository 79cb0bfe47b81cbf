/** A clock that tells the time of day and never steps, for waits that outlast their process. */

/** Returns the time of the wall at this moment, and from then on what has passed since, however the wall is set. */
export function steadyClock(clock: { now(): number; monotonic(): number }): () => number {
  const begun = clock.now() - clock.monotonic();
  return () => Math.round(begun + clock.monotonic());
}
