/** Waiting for something to become true, with a deadline instead of a guess. */
import { slowness } from "../proof/slowness.ts";

/**
 * Polls `probe` until it answers with something truthy; a throw counts as "not yet" and is told when time is up. On a
 * machine that others use there is as much more time as a loop beside the test takes longer.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 60_000, everyMs = 25 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const started = Date.now();
  const isOver = () =>
    Date.now() - started > timeoutMs && Date.now() - started > timeoutMs * slowness(started);
  let reason: unknown = "never true";
  while (true) {
    try {
      const value = await probe();
      if (value) return value;
      reason = `last seen ${JSON.stringify(value)}`;
    } catch (error) {
      reason = error;
    }
    if (isOver()) throw new Error(`Waited ${Date.now() - started} ms in vain: ${what}`, { cause: reason });
    await new Promise((done) => setTimeout(done, everyMs));
  }
}
