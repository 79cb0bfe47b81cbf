/** An apply that is followed while sessions end and berth has too much to do. */
import assert from "node:assert/strict";
import { answerWith, json } from "../../tests/page/fake_berth.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { tenfold } from "../../tests/support/tenfold.ts";
import { ApplyFeed } from "./apply_feed.ts";
import { signInWithKey, who } from "./session.ts";

const END = `${JSON.stringify({ kind: "end", id: 2 })}\n`;

/** Answers the reads of an apply in turn with these statuses, and then with the apply, which ends. */
function answer(statuses: number[], hasSession: () => boolean): void {
  answerWith((path) => {
    if (path === "/api/auth/refresh" && !hasSession()) return json({ title: "ended" }, 401);
    if (path === "/api/auth/key") {
      const principal = { kind: "user", id: "1", name: "ada", grants: [], permissions: [] };
      return { accessToken: "again", expiresIn: 900, principal };
    }
    if (path.endsWith("/events")) {
      return new Response(END, { headers: { "content-type": "application/x-ndjson" } });
    }
    if (!path.startsWith("/api/applies/")) return null;
    const status = statuses.shift();
    return status === undefined ? { id: "a1", state: "done", steps: [] } : json({ title: "no" }, status);
  });
}

Deno.test("ApplyFeed.follow goes on after a 429, and after a 401 once somebody has signed in", async () => {
  using _ = tenfold();
  answer([429, 503], () => true);
  const busy = new ApplyFeed("a1");
  await busy.follow(new AbortController().signal);
  assert.deepEqual([busy.apply.value?.state, busy.problem.value], ["done", null]);

  let hasSession = false;
  answer([401, 401], () => hasSession);
  const signedOut = new ApplyFeed("a1");
  const following = signedOut.follow(new AbortController().signal);
  await eventually(
    "nobody is signed in",
    () => who.value === null && signedOut.problem.value?.status === 401,
  );
  hasSession = true;
  await signInWithKey("berth_a_b");
  await following;
  assert.deepEqual([signedOut.apply.value?.state, signedOut.problem.value], ["done", null]);
});

Deno.test("ApplyFeed.follow ends at an apply that is not there", async () => {
  answer([404], () => true);
  const feed = new ApplyFeed("a1");
  await feed.follow(new AbortController().signal);
  assert.equal(feed.problem.value?.status, 404);
});
