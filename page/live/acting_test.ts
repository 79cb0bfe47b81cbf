/** Acts behind a button, and what becomes of one that fails. */
import assert from "node:assert/strict";
import { MUTE } from "../../client/berth/mutes.ts";
import { answerWith, json } from "../../tests/page/fake_berth.ts";
import { Acting } from "./acting.ts";
import { client } from "./session.ts";

Deno.test("Acting.act keeps why an act failed until the next one, and takes what is gone for ended where that is said", async () => {
  const acting = new Acting();
  let status = 403;
  answerWith((path) => path.startsWith("/api/mutes/") ? json({ title: "You may not" }, status) : null);
  const end = () => client.delete(MUTE, { params: { id: "m1" } });
  await acting.act(end, { gone: true });
  assert.equal(acting.problem.value?.title, "You may not");
  status = 404;
  await acting.act(end);
  assert.equal(acting.problem.value?.status, 404);
  await acting.act(end, { gone: true });
  assert.deepEqual([acting.problem.value, acting.isBusy.value], [null, false]);
});

Deno.test("Acting.act begins no second act while the first is under way", async () => {
  const acting = new Acting();
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const first = acting.act(() => (begun++, promise));
  await acting.act(() => Promise.resolve(begun++));
  assert.deepEqual([begun, acting.isBusy.value], [1, true]);
  resolve();
  await first;
  assert.equal(acting.isBusy.value, false);
});
