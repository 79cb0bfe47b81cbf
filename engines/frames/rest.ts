/**
 * A sleep of this thread that is too short to be noticed. An engine writes a log line by line, and each line that comes
 * while the runtime waits for events wakes it, whether anybody reads or not: 5 to 10 µs, which is more than all that is
 * done with the line. A thread that sleeps is not woken, and finds some ten lines at once afterwards.
 */

const REST_MS = 0.3;
/** Other work runs between two pauses, however many logs are read. */
const AWAKE_MS = 0.1;

const nobody = new Int32Array(new SharedArrayBuffer(4));
let endedAt = 0;

export function rest(): void {
  if (performance.now() - endedAt < AWAKE_MS) return;
  Atomics.wait(nobody, 0, 0, REST_MS);
  endedAt = performance.now();
}
