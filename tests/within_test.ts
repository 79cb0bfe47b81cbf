/** A bound is worth what its failure is worth. */
import assert from "node:assert/strict";
import { within } from "./within.ts";

Deno.test("within() answers with what came true in time, and takes a throw for not yet", async () => {
  let calls = 0;
  const value = await within(5_000, "the third call", () => {
    calls++;
    if (calls === 1) throw new Error("not yet");
    return calls === 3 ? "there" : null;
  });

  assert.deepEqual([value, calls], ["there", 3]);
});

Deno.test("within() fails beyond its bound: for what stays false, for what throws, and for what comes late", async () => {
  await assert.rejects(within(40, "it is true", () => false), /more than 40 ms: it is true/);
  await assert.rejects(
    within(40, "it stands", () => assert.fail("it fell")),
    ({ cause }: Error) => /it fell/.test(String(cause)),
  );
  let done = () => {};
  const hanging = new Promise<boolean>((resolve) => done = () => resolve(true));
  await assert.rejects(within(40, "it answers", () => hanging), /more than 40 ms/);
  done();
});

Deno.test("within() refuses what came true after its bound, although nobody looked before", async () => {
  const busy = () => {
    for (const start = performance.now(); performance.now() - start < 60;);
    return true;
  };
  await assert.rejects(within(30, "it is quick", busy), /more than 30 ms/);
});
