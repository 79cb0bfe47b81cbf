/** Gives the loop a turn now and then, so that long work in small pieces holds nobody up. */

const AT_MOST_MS = 10;

/** Of the process: there is one loop, whoever holds it up. */
let lastTurn = performance.now();

/** To be awaited between pieces; costs nothing as long as the last turn is not long ago. */
export function breathe(): Promise<void> | undefined {
  if (performance.now() - lastTurn < AT_MOST_MS) return undefined;
  return new Promise((resolve) =>
    setTimeout(() => {
      lastTurn = performance.now();
      resolve();
    }, 0)
  );
}
