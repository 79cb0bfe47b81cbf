/** A wait that can end early, and leaves neither timer nor listener behind. */

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
