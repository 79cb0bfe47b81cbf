/** Long work in small pieces, so that the event loop serves everybody else in between. */

const AT_MOST_MS = 10;

/** Of the process, which has one event loop. */
let lastTurn = performance.now();

/** Lets others run. To be awaited between pieces; undefined, and free, within 10 ms of the last turn. */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (performance.now() - lastTurn < AT_MOST_MS) return undefined;
  return new Promise((resolve) =>
    setTimeout(() => {
      lastTurn = performance.now();
      resolve();
    }, 0)
  );
}
