/** A time that berth promises, as a bound that a test fails beyond; `eventually` only waits, and proves none. */
import { slowness } from "../proof/slowness.ts";

const POLL_MS = 10;

/**
 * Polls `probe` until it answers with something truthy, and fails when that takes longer than `ms`, also when the probe
 * itself does. A bound equals what is promised. On a machine that others use it is multiplied by how much slower the
 * loop beside the test ran during this wait, and a bound that was needed so is printed.
 */
export async function within<T>(
  ms: number,
  what: string,
  probe: () => T | Promise<T>,
  slower: (sinceMs: number) => number = slowness,
  everyMs = POLL_MS,
): Promise<NonNullable<T>> {
  const started = performance.now();
  const startedAt = Date.now();
  const tookMs = () => performance.now() - started;
  const leftMs = () => tookMs() <= ms ? ms - tookMs() : ms * slower(startedAt) - tookMs();
  let reason: unknown = "it did not answer";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<null>((resolve) => {
    const look = () => {
      const left = leftMs();
      if (left <= 0) resolve(null);
      else timer = setTimeout(look, left);
    };
    look();
  });
  try {
    while (leftMs() > 0) {
      try {
        const value = await Promise.race([(async () => await probe())(), deadline]);
        if (leftMs() <= 0) break;
        if (value) {
          if (tookMs() > ms) {
            console.error(`It took ${tookMs().toFixed(0)} ms: ${what}; ${allowed(ms, slower(startedAt))}`);
          }
          return value;
        }
        reason = `last seen ${JSON.stringify(value)}`;
      } catch (error) {
        reason = error;
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`It took more than ${allowed(ms, slower(startedAt))}: ${what}`, { cause: reason });
}

function allowed(ms: number, factor: number): string {
  return factor <= 1 ? `${ms} ms` : `${ms} ms × ${factor.toFixed(2)}, as much slower as the machine was`;
}
