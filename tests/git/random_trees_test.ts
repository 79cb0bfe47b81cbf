/** Syncs of random trees with edits and crashes: nothing that is not Git's is touched. */
import assert from "node:assert/strict";
import { playCases } from "./random_trees.ts";

const CASES = Number(Deno.env.get("BERTH_TEST_TREES") ?? "300");

Deno.test("random commits reach the folder after any crash, keep what is not Git's, and write mounted files in place", async () => {
  const counts = await playCases(1, CASES);
  console.log(JSON.stringify(counts));
  assert.equal(counts.cases, CASES);
  // The cases are not all of one kind.
  for (const amount of [counts.crashed, counts.refused, counts.inPlace]) {
    assert.ok(amount > CASES / 50, JSON.stringify(counts));
  }
});
