import assert from "node:assert/strict";
import { Latch, orAborted, within } from "./signal.ts";

/** Returns true if the promise resolves before the next turn of the loop. */
async function isResolved(promise: Promise<unknown>): Promise<boolean> {
  let resolved = false;
  promise.then(() => resolved = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  return resolved;
}

Deno.test("A latch holds callers until it opens, and lets later ones pass until it closes", async () => {
  const latch = new Latch();
  const early = latch.opened;
  assert.equal(await isResolved(early), false);
  latch.open();
  assert.deepEqual([latch.isOpen, await isResolved(early), await isResolved(latch.opened)], [
    true,
    true,
    true,
  ]);
  latch.close();
  assert.deepEqual([latch.isOpen, await isResolved(latch.opened)], [false, false]);
});

Deno.test("Closing a closed latch strands nobody who waits at it", async () => {
  const latch = new Latch();
  const early = latch.opened;
  latch.close();
  latch.open();
  assert.equal(await isResolved(early), true);
});

Deno.test("wake() lets those pass who wait and holds those who come later", async () => {
  for (const latch of [new Latch("open"), new Latch("closed")]) {
    const early = latch.opened;
    latch.wake();
    assert.deepEqual([latch.isOpen, await isResolved(early), await isResolved(latch.opened)], [
      false,
      true,
      false,
    ]);
  }
});

Deno.test("within() answers the value in time, else the word for late, and swallows what fails later", async () => {
  assert.equal(await within(Promise.resolve("value"), 1_000, "late"), "value");
  const failing = Promise.withResolvers<string>();
  assert.equal(await within(failing.promise, 1, "late"), "late");
  failing.reject(new Error("nobody reads this"));
  await assert.rejects(within(Promise.reject(new Error("at once")), 1_000, "late"), /at once/);
});

Deno.test("orAborted() throws the signal's reason at once, and else what the promise says", async () => {
  const controller = new AbortController();
  assert.equal(await orAborted(Promise.resolve("value"), controller.signal), "value");
  const never = orAborted(new Promise(() => {}), controller.signal);
  controller.abort(new Error("enough"));
  await assert.rejects(never, /enough/);
  await assert.rejects(
    orAborted(new Promise(() => {}), controller.signal),
    /enough/,
    "it had aborted before",
  );
  await assert.rejects(orAborted(Promise.reject(new Error("own")), new AbortController().signal), /own/);
});
