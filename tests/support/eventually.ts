/** Waiting for something to become true, with a deadline instead of a guess. */
import { slowness } from "../proof/slowness.ts";

/** The shortest pause between two probes. It grows by a share of the wait so far, up to a most: a long wait costs little. */
const EVERY_MS = 25;
const SHARE = 0.05;
const SHARE_MOST_MS = 100;
/** A probe that starts a program would take a core as long as it is waited for: it rests longer than it ran. */
const RESTS = 2;
const REST_MOST_MS = 250;

/**
 * Polls `probe` until it answers with something truthy; a throw counts as "not yet" and is told when time is up. On a
 * machine that others use there is as much more time as a loop beside the test takes longer. `everyMs` rests exactly so
 * long between two probes.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 60_000, everyMs }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const started = Date.now();
  const isOver = () =>
    Date.now() - started > timeoutMs && Date.now() - started > timeoutMs * slowness(started);
  let reason: unknown = "never true";
  while (true) {
    const asked = Date.now();
    try {
      const value = await probe();
      if (value) return value;
      reason = `last seen ${JSON.stringify(value)}`;
    } catch (error) {
      reason = error;
    }
    if (isOver()) throw new Error(`Waited ${Date.now() - started} ms in vain: ${what}`, { cause: reason });
    const now = Date.now();
    const restMs = Math.max(
      EVERY_MS,
      Math.min(SHARE_MOST_MS, SHARE * (now - started)),
      Math.min(REST_MOST_MS, RESTS * (now - asked)),
    );
    await new Promise((done) => setTimeout(done, everyMs ?? restMs));
  }
}
