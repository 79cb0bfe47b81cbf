/** Waits that can end early, and leave neither timer nor listener behind. */

/** Resolves after `ms`, or as soon as `signal` aborts or `woken` resolves. */
export async function pause(ms: number, signal?: AbortSignal, woken?: Promise<void>): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onEnd = () => resolve();
  const timer = setTimeout(onEnd, ms);
  signal?.addEventListener("abort", onEnd);
  woken?.then(onEnd);
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener("abort", onEnd);
}

/** Resolves when the work is over, however it ends, and after `ms` at the latest. */
export async function boundedWait(work: Promise<unknown>, ms: number): Promise<void> {
  const waited = new AbortController();
  await Promise.race([work.catch(() => {}), pause(ms, waited.signal)]);
  waited.abort();
}
