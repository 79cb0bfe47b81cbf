/** A test must end, whatever its surroundings do. */
import assert from "node:assert/strict";
import { bounded } from "./bounded.ts";

Deno.test("bounded() brings what the work brings, and names the work that does not end", async () => {
  assert.equal(await bounded("an answer", Promise.resolve("here")), "here");
  await assert.rejects(bounded("an answer", Promise.reject(new Error("refused"))), /refused/);
  await assert.rejects(bounded("an answer", new Promise(() => {}), 20), /not over after 20 ms: an answer/);
});
