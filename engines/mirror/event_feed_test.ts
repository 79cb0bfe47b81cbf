/** Numbers of events: they are resumed where they were given, and nowhere else. */
import assert from "node:assert/strict";
import { EventFeed } from "./event_feed.ts";

const raw = { time: "", timeNano: 0, type: "container", action: "start", id: "a", attributes: {} };

Deno.test("EventFeed resumes after its own numbers, and not after those of another start or replica", async () => {
  const one = new EventFeed();
  await new Promise((resolve) => setTimeout(resolve, 2)); // another start
  const other = new EventFeed();
  for (let n = 0; n < 3; n++) for (const feed of [one, other]) feed.publish("docker", raw);
  const after = one.seq - 2;

  assert.deepEqual(one.since(after)?.map(({ seq }) => seq), [one.seq - 1, one.seq]);
  assert.equal(other.since(after), null);
  assert.equal(one.since(other.seq - 2), null);
  assert.equal(one.since(0), null);
  assert.equal(String(one.seq).length, 15, "as many digits as a query takes");
});
