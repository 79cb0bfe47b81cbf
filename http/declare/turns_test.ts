/** One thing at a time for each caller. */
import assert from "node:assert/strict";
import type { Principal } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import { Turns } from "./turns.ts";

const caller = (id: string): Principal => ({
  kind: "apiKey",
  id,
  name: id,
  role: null,
  permissions: [],
  grants: [],
});
const ada = caller("ada");
const stays = new AbortController().signal;

Deno.test("Turns runs one at a time for a caller, in order, and others beside it", async () => {
  const turns = new Turns("check", 4);
  const said: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = turns.take(ada, stays, async () => {
    said.push("first");
    await gate.promise;
    said.push("first is done");
  });
  const second = turns.take(ada, stays, () => Promise.resolve(said.push("second")));
  await turns.take(caller("bob"), stays, () => Promise.resolve(said.push("bob")));
  assert.deepEqual(said, ["first", "bob"]);
  gate.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(said, ["first", "bob", "first is done", "second"]);
});

Deno.test("Turns refuses one too many, and goes on after a failure and after who left", async () => {
  const turns = new Turns("check", 2);
  const gate = Promise.withResolvers<void>();
  const gone = new AbortController();
  const failing = turns.take(ada, stays, async () => {
    await gate.promise;
    throw new Error("broken");
  });
  const left = turns.take(ada, gone.signal, () => Promise.resolve("never"));
  const last = turns.take(ada, stays, () => Promise.resolve("last"));
  await assert.rejects(
    turns.take(ada, stays, () => Promise.resolve()),
    (thrown) => thrown instanceof ServiceError && thrown.code === "too_many_requests",
  );
  gone.abort();
  gate.resolve();
  await assert.rejects(failing, /broken/);
  await assert.rejects(left);
  assert.equal(await last, "last");
  assert.equal(await turns.take(ada, stays, () => Promise.resolve("again")), "again");
});
