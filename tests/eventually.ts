/** Waiting for something to become true, with a deadline instead of a guess. */

/** Polls `probe` until it answers with something truthy; a throw counts as "not yet" and is told when time is up. */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 60_000, everyMs = 25 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  let reason: unknown = "never true";
  while (true) {
    try {
      const value = await probe();
      if (value) return value;
      reason = `last seen ${JSON.stringify(value)}`;
    } catch (error) {
      reason = error;
    }
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`, { cause: reason });
    await new Promise((done) => setTimeout(done, everyMs));
  }
}
