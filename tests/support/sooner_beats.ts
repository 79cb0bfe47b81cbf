/** Signs of life that a test need not wait for. */

/** Makes a wait of 15 s one of 20 ms, and leaves all others as they are. */
export function soonerBeats(): Disposable {
  const { setTimeout } = globalThis;
  const sooner = (run: () => void, ms = 0) => setTimeout(run, ms === 15_000 ? 20 : ms);
  Object.assign(globalThis, { setTimeout: sooner });
  return { [Symbol.dispose]: () => void Object.assign(globalThis, { setTimeout }) };
}
