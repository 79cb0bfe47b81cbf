/** Acts that take as long as git and engines do, and a berth that ends them late or never. */
import assert from "node:assert/strict";
import { sentenceOf } from "../../commands/connection.ts";
import { TimeoutError } from "../../client/mod.ts";
import { runBerth } from "../support/berth_process.ts";

const FAST = new URL("fast_main.ts", import.meta.url).pathname;
const ITEM = {
  type: "images",
  id: "a",
  name: "a",
  backend: "docker",
  size: 1,
  why: "unused",
  result: "planned",
};
const REPORT = {
  plan: "p1",
  items: [ITEM],
  size: 1,
  reclaimed: 0,
  unavailable: [],
  left: { count: 0, size: 0, unclear: 0 },
};

Deno.test("a prune whose removals take 20 seconds is told with its results, after the plan is used", async () => {
  let carriedOut = 0;
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    if ((await request.json()).dryRun === true) return Response.json(REPORT);
    carriedOut++;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return Response.json({ ...REPORT, plan: null, items: [{ ...ITEM, result: "removed" }], reclaimed: 1 });
  });
  const env = { BERTH_URL: `http://127.0.0.1:${server.addr.port}`, BERTH_KEY: "berth_a_b" };
  const { code, stdout, stderr } = await runBerth(["prune", "images", "--yes"], env, null, FAST);
  assert.deepEqual([code, stderr, carriedOut], [0, "", 1], stdout);
  assert.match(stdout, /1 removed, 1 B freed\n$/);
});

Deno.test("sentenceOf says of an act that took too long that it may still happen", () => {
  const late = (method: "GET" | "POST") =>
    sentenceOf(new TimeoutError("late", { method, url: "http://nas/api/x" }));
  assert.equal(late("GET"), "http://nas does not answer in time");
  assert.match(late("POST"), /does not answer in time: what was asked for may still happen/);
});
