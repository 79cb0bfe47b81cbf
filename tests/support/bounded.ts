/** Bounds what a test awaits of its surroundings, as an end or a disposal, so that a test fails instead of hanging. */

const BOUND_MS = 60_000;

/** Returns what `work` brings, or throws when it is not over in `ms`. */
export async function bounded<T>(what: string, work: Promise<T>, ms = BOUND_MS): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`It was not over after ${ms} ms: ${what}`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
