/** Splits long work, so that other requests are served in between. */

const AT_MOST_MS = 10;

/** Shared by all: a process has one event loop. */
let lastTurn = performance.now();

/** Await this between pieces of work. It costs nothing within 10 ms of the last turn. */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (performance.now() - lastTurn < AT_MOST_MS) return undefined;
  return new Promise((resolve) =>
    setTimeout(() => {
      lastTurn = performance.now();
      resolve();
    }, 0)
  );
}
