/** Acts that take as long as git and engines do, and a berth that ends them late or never. */
import assert from "node:assert/strict";
import { clientFor, sentenceOf } from "../../commands/connection.ts";
import { SERVICE } from "../../client/berth/services.ts";
import { NetworkError, TimeoutError } from "../../client/mod.ts";
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

/** Returns the sentences for an act and for a read that fail at this address. */
async function sentencesAt(url: string): Promise<{ readonly act: string; readonly read: string }> {
  using client = clientFor({ url, key: "berth_a_b" });
  const options = { params: { id: "shop_web" } };
  const why = (call: Promise<unknown>) =>
    call.then(() => "no error", (error) => sentenceOf(error).replace(url, "URL"));
  return { act: await why(client.delete(SERVICE, options)), read: await why(client.get(SERVICE, options)) };
}

const DOUBT = "what was asked for may still happen, look before you repeat it";

Deno.test("sentenceOf says that an act may still happen after its connection broke", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.addr.port}`;
  const accepting = (async () => {
    for await (const conn of listener) {
      await conn.read(new Uint8Array(4_096));
      conn.close();
    }
  })();
  const { act, read } = await sentencesAt(url);
  listener.close();
  await accepting;
  assert.equal(act, `The connection to URL broke before an answer came: ${DOUBT}`);
  assert.match(read, /^Cannot reach URL: is berth running there\?/);
  const refused = await sentencesAt(url);
  assert.deepEqual(refused, { act: read, read }, "nothing was sent, so nothing can happen");
});

Deno.test("sentenceOf says of a certificate that it is not trusted, and how to trust it", () => {
  const cause = new Error("x: client error (Connect): invalid peer certificate: UnknownIssuer");
  const url = "https://nas/api/x";
  assert.equal(
    sentenceOf(new NetworkError("no", { method: "POST", url }, { cause: new Error("no", { cause }) })),
    "The certificate of https://nas is not trusted here (UnknownIssuer): DENO_CERT names the file of its authority",
  );
});

Deno.test("sentenceOf tells a proxy's answer to an act from berth's own", async () => {
  let status = 502;
  let body = "<h1>Bad Gateway</h1>";
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(body, { status }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  assert.deepEqual(await sentencesAt(url), {
    act: `A proxy at URL has no answer from berth (502): ${DOUBT}`,
    read: "A proxy at URL has no answer from berth (502)",
  });
  status = 504;
  assert.equal(
    (await sentencesAt(url)).act,
    `A proxy at URL gave up before berth answered (504), its time limit may be too short: ${DOUBT}`,
  );
  body = JSON.stringify({ title: "No engine answers", code: "runtime_unavailable" });
  assert.equal((await sentencesAt(url)).act, "No engine answers");
});
