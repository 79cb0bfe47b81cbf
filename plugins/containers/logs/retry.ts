/** The next try of a log that could not be read: each comes ever later. */

const LONGEST_PAUSE_MS = 60_000;

export interface Retry {
  readonly pauseMs: number;
  readonly nextAt: number;
}

/** Returns the try behind one that failed. */
export function retryAfter(failed: Retry | undefined, firstMs: number): Retry {
  const pauseMs = failed === undefined ? firstMs : Math.min(failed.pauseMs * 2, LONGEST_PAUSE_MS);
  return { pauseMs, nextAt: performance.now() + pauseMs };
}
