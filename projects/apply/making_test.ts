/** Containers that an engine makes while nobody waits for its answer any more. */
import assert from "node:assert/strict";
import { failure } from "../../core/error.ts";
import type { EngineActs } from "../../core/engine_acts.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { Hand } from "./hand.ts";
import { makeContainer } from "./making.ts";
import { MARK, markOf } from "./work.ts";

const APPLY = "79081761-87a9-4634-923e-22c5c5cf2ec3";

/** An engine that refuses the name, and shows its container from the nth look on. */
function handOver(shownFrom: number, mark: string): { readonly hand: Hand; readonly looks: () => number } {
  let looks = 0;
  const made = { id: "made", name: "web", state: "running", labels: { [MARK]: mark }, networks: [] };
  const acts = {
    isAway: () => false,
    create: () => Promise.reject(failure({ name_taken: 409 }, "name_taken", "the name is in use")),
    find: () => Promise.resolve(++looks < shownFrom ? null : made as unknown as InspectedContainer),
  } as Partial<EngineActs>;
  return { hand: { apply: APPLY, step: { n: 2 }, acts } as Hand, looks: () => looks };
}

Deno.test("A container whose name is taken before the engine shows it is waited for, and finished", async () => {
  const { hand, looks } = handOver(4, markOf(APPLY, 2));

  const made = await makeContainer(hand, "web", {});

  assert.equal(made.id, "made");
  assert.ok(looks() >= 4);
});

Deno.test("A name that somebody else's container has is refused at the first look", async () => {
  const { hand, looks } = handOver(1, markOf(crypto.randomUUID(), 2));

  await assert.rejects(makeContainer(hand, "web", {}), /the name is in use/);

  assert.equal(looks(), 2);
});
