/** The end of an apply that nobody is present for. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import type { Applies } from "../../projects/apply/applies.ts";
import { endOf } from "../../routes/unattended_apply.ts";

const away = () => new ServiceError("store_unavailable", "Cannot use the store: it is away");

/** Follows an apply whose looks end in these ways, one after the other. */
async function ended(...looks: readonly (Error | string)[]) {
  const left = [...looks];
  const look = () => {
    const next = left.shift()!; // a test says how each ends
    return next instanceof Error ? Promise.reject(next) : Promise.resolve({ state: next, reason: null });
  };
  const applies = { get: look } as unknown as Applies;
  const signal = new AbortController().signal;
  const end = await endOf({ applies }, "one", { everyMs: 1, beforeEach: () => Promise.resolve(), signal });
  return [end?.state, left.length];
}

Deno.test("An apply is followed to its end, also while the store is away for a moment", async () => {
  assert.deepEqual(await ended("running", away(), away(), "running", away(), "done", "failed"), ["done", 1]);
});

Deno.test("A lease that cannot be asked for while the store is away ends no look", async () => {
  let asked = 0;
  const applies = { get: () => Promise.resolve({ state: "failed", reason: "x" }) } as unknown as Applies;
  const beforeEach = () => ++asked < 3 ? Promise.reject(away()) : Promise.resolve();
  const signal = new AbortController().signal;
  const end = await endOf({ applies }, "one", { everyMs: 1, beforeEach, signal });
  assert.deepEqual([end, asked], [{ state: "failed", reason: "x" }, 3]);
});

Deno.test("An apply that is not there any more is told", async () => {
  const gone = new ServiceError("apply_not_found", "There is no such apply");
  await assert.rejects(ended("running", gone), { code: "apply_not_found" });
});
