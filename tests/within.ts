/** A time that berth promises, as a bound that a test fails beyond; `eventually` only waits, and proves none. */

const POLL_MS = 10;

/**
 * Polls `probe` until it answers with something truthy, and fails when that takes longer than `ms`, also when the probe
 * itself does. A good bound is generous, for busy machines, and still less than what a broken promise would take.
 */
export async function within<T>(
  ms: number,
  what: string,
  probe: () => T | Promise<T>,
): Promise<NonNullable<T>> {
  const started = performance.now();
  const isLate = () => performance.now() - started > ms;
  let reason: unknown = "it did not answer";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<null>((resolve) => timer = setTimeout(() => resolve(null), ms));
  try {
    while (!isLate()) {
      try {
        const value = await Promise.race([(async () => await probe())(), deadline]);
        if (isLate()) break;
        if (value) return value;
        reason = `last seen ${JSON.stringify(value)}`;
      } catch (error) {
        reason = error;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`It took more than ${ms} ms: ${what}`, { cause: reason });
}
