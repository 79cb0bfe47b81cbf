/** The time for which something is tried again while an engine is away. */
import assert from "node:assert/strict";
import { CutShort } from "../../core/cut_short.ts";
import { ServiceError } from "../../core/error.ts";
import { Patience } from "./patience.ts";

Deno.test("An engine may be away for its time, and anew after an attempt that reached it", async () => {
  let now = 0;
  const { signal } = new AbortController();
  const patience = new Patience(120_000, () => now, 0);
  const failsAfter = async (ms: number) => {
    now += ms;
    return await patience.goesOn(signal, new Error("it is away"));
  };

  assert.equal(await failsAfter(1), true);
  assert.equal(await failsAfter(5_000), true);
  assert.equal(await failsAfter(10 * 60_000), true, "it was reached for ten minutes");
  for (let ms = 0; ms < 120_000; ms += 20_000) assert.equal(await failsAfter(20_000), true, `${ms}`);
  assert.equal(await failsAfter(20_000), false);
});

Deno.test("An engine whose long answers break off is asked three times, and anew after one that did not", async () => {
  let now = 0;
  const { signal } = new AbortController();
  const patience = new Patience(120_000, () => now, 0);
  const failsAfter = async (ms: number, error: unknown) => {
    now += ms;
    assert.ok(error instanceof Error);
    return await patience.goesOn(signal, error);
  };
  const cut = new ServiceError("engine_unavailable", "cut", { cause: new CutShort(new TypeError("reset")) });

  assert.equal(await failsAfter(45_000, cut), true);
  assert.equal(await failsAfter(45_000, cut), true);
  assert.equal(await failsAfter(45_000, new Error("it was stopped")), true);
  assert.equal(await failsAfter(45_000, cut), true);
  assert.equal(await failsAfter(1_000, new Error("it is away")), true);
  assert.equal(await failsAfter(45_000, cut), true);
  assert.equal(await failsAfter(45_000, cut), false);
});

Deno.test("An engine that hangs in an act is asked three times", async () => {
  let now = 0;
  const { signal } = new AbortController();
  const patience = new Patience(120_000, () => now, 0);
  const hangs = async () => {
    now += 61_000;
    return await patience.goesOn(
      signal,
      new ServiceError({ code: "engine_timeout", status: 504 }, "it took too long to answer"),
    );
  };

  assert.deepEqual([await hangs(), await hangs(), await hangs()], [true, true, false]);
});
