/** Promise: however many units flap, a target gets one message in each time of folding, and is told of all of them. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { manyProjects, PER_PROJECT } from "../support/many_projects.ts";

/** `BERTH_TEST_SECONDS=600` for the whole proof, with the times that berth has. */
const SECONDS = Number(Deno.env.get("BERTH_TEST_SECONDS") ?? "10");
const isWhole = SECONDS >= 600;
const PROJECTS = isWhole ? 334 : 10;
const UNITS = PROJECTS * PER_PROJECT;
const FOLDS = 20;
const FOLD_MS = SECONDS * 1_000 / FOLDS;
const TIMES = isWhole ? { beginMs: 0 } : {
  beginMs: 0,
  tickMs: 100,
  notices: { tickMs: 50, foldMs: FOLD_MS },
};
/** Each unit ends and starts again in this time. */
const FLAP_MS = isWhole ? 60_000 : 1_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

Deno.test(`${UNITS} flapping units send ${FOLDS + 1} messages a target in ${SECONDS} seconds at most`, async () => {
  const taken = new Map<string, number[]>();
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { data } = await request.json();
    const { pathname } = new URL(request.url);
    taken.set(pathname, [...taken.get(pathname) ?? [], data?.total ?? 1]);
    return new Response(null, { status: 204 });
  });
  await using stack = new AsyncDisposableStack();
  const { berth, flip, ask } = await manyProjects(stack, PROJECTS, { watchTimes: TIMES });
  await (await ask(1)).text();
  // A unit that is broken at the first look is not told of: these differ then.
  const { incidents } = berth.berth.store;
  const isWatched = async () =>
    (await incidents.open()).filter(({ kind }) => kind === "differs").length === UNITS;
  await eventually("berth watches", isWatched, { timeoutMs: 120_000 });
  const address = `http://127.0.0.1:${receiver.addr.port}`;
  for (const [name, kind] of [["hook", "webhook"], ["chat", "slack"]] as const) {
    const made = await berth.call("POST /api/notices", {
      name,
      kind,
      address: `${address}/${name}`,
      afterS: 0,
    });
    assert.equal(made.status, 201, made.text);
  }
  await eventually("both know what berth watches", () => taken.size === 2);
  const begun = performance.now();
  for (let at = 0; performance.now() - begun < SECONDS * 1_000; at++) {
    flip(at % UNITS, Math.floor(at / UNITS) % 2 === 0);
    await sleep(Math.max(0, begun + (at + 1) * FLAP_MS / 2 / UNITS - performance.now()));
  }
  // The number that is down at a look is chance: now all of them are, and each was told of or still is.
  for (let unit = 0; unit < UNITS; unit++) flip(unit, true);
  // Counted without the first message, which says what was wrong before.
  const toldOf = (path: string) => (taken.get(path) ?? []).slice(1).reduce((sum, total) => sum + total, 0);
  const isAll = () => toldOf("/hook") >= UNITS && (taken.get("/chat")?.length ?? 0) > 1;
  await eventually("both are told of all", isAll, { timeoutMs: 60_000 });
  const [hook = [], chat = []] = ["/hook", "/chat"].map((path) => taken.get(path));
  console.log(
    `${UNITS} units, ${SECONDS} s: ${hook.length} and ${chat.length} messages, of ${hook.join(", ")}`,
  );
  const most = Math.floor((performance.now() - begun) / FOLD_MS) + 1; // a busy machine is told of the last ones late
  for (const own of [hook, chat]) {
    assert.ok(own.length >= 2 && own.length <= most, `${own.length} messages, not ${most}`);
  }
});

Deno.test("a message does not wait for the next look of the sender", async () => {
  let taken = 0;
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    taken++;
    return new Response(null, { status: 204 });
  });
  await using stack = new AsyncDisposableStack();
  const watchTimes = { beginMs: 0, tickMs: 50, notices: { tickMs: 3_600_000, foldMs: 0 } };
  const { berth, flip, ask } = await manyProjects(stack, 1, { watchTimes });
  await (await ask(1)).text();
  const address = `http://127.0.0.1:${receiver.addr.port}/`;
  const made = await berth.call("POST /api/notices", {
    name: "ops",
    kind: "webhook",
    address,
    afterS: 0,
    tells: ["broken"],
  });
  assert.equal(made.status, 201, made.text);
  await eventually("berth watches", () => berth.berth.store.incidents.wasWatched());
  const before = taken;
  flip(0, true);
  await eventually("it is told", () => taken > before);
});
