/** A bound is worth what its failure is worth. */
import assert from "node:assert/strict";
import { slowness } from "../proof/slowness.ts";
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
  await assert.rejects(within(40, "it is true", () => false, () => 1), /more than 40 ms: it is true/);
  await assert.rejects(
    within(40, "it stands", () => assert.fail("it fell"), () => 1),
    ({ cause }: Error) => /it fell/.test(String(cause)),
  );
  let done = () => {};
  const hanging = new Promise<boolean>((resolve) => done = () => resolve(true));
  await assert.rejects(within(40, "it answers", () => hanging, () => 1), /more than 40 ms/);
  done();
});

Deno.test("within() refuses what came true after its bound, although nobody looked before", async () => {
  const busy = () => {
    for (const start = performance.now(); performance.now() - start < 60;);
    return true;
  };
  await assert.rejects(within(30, "it is quick", busy, () => 1), /more than 30 ms/);
});

Deno.test("within() multiplies its bound by how much slower the machine was, and no further", async () => {
  const after = (ms: number) => {
    const started = performance.now();
    return () => performance.now() - started > ms;
  };
  assert.equal(await within(100, "it is true", after(300), () => 20), true);
  await assert.rejects(
    within(20, "it is true", after(10_000), () => 3),
    /more than 20 ms × 3\.00, .*: it is true/,
  );
});

Deno.test("slowness() is the mean of the samples during a wait, at least 1, and at most 8", async () => {
  const file = await Deno.makeTempFile();
  const since = 1_000_000;
  const of = async (text: string) => {
    await Deno.writeTextFile(file, text);
    return slowness(since, file);
  };
  assert.equal(await of(""), 1);
  assert.equal(await of("900000 5.000\n1000100 2.000\n1000600 4.000\n1000900 9"), 3);
  assert.equal(await of("900000 5.000\n"), 5, "the last one before it, where it has none of its own");
  assert.equal(await of("1000000 0.900\n"), 1);
  assert.equal(await of("1000000 99.000\n"), 8);
  assert.equal(slowness(since, `${file}.none`), 1);
  assert.equal(slowness(since, file, true), 1, "the proof holds its bounds as they are");
  await Deno.remove(file);
});
