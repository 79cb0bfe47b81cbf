/** Promise: a clock that steps, both ways, loses no message, sends none twice, and changes no wait. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";
import { within } from "../support/within.ts";

const HOUR_MS = 3_600_000;
const AFTER_S = 2;
/** Registered after the others: a look that tells of it has seen those well, so that their ends are told. */
const LAST = 3;
const TIMES = {
  beginMs: 0,
  tickMs: 50,
  wellMs: 500,
  notices: { tickMs: 20, foldMs: 0, retryMs: [200, 200, 200, 200, 200, 200], deadMs: 24 * HOUR_MS },
};

interface Told {
  readonly to: string;
  readonly id: string;
  readonly subject: string;
  readonly state: string;
}

Deno.test("a clock that steps hours back and days on under the sender loses no message, sends none twice, and hurries none (F130)", async () => {
  let offset = 0;
  const clock = { now: () => Date.now() + offset, monotonic: () => performance.now() };
  const told: Told[] = [];
  const refusals = { left: 0 };
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { type, data } = await request.json();
    const to = new URL(request.url).pathname;
    if (type !== "incidents") return new Response(null, { status: 204 });
    if (refusals.left > 0) {
      refusals.left -= 1;
      return new Response(null, { status: 503 });
    }
    const id = request.headers.get("webhook-id")!;
    for (const { subject, state } of data.incidents) told.push({ to, id, subject, state });
    return new Response(null, { status: 204 });
  });
  await using berth = await startService({ clock, watchTimes: TIMES });
  const folder = (at: number) => `${berth.folder}/workspaces/f${at}`;
  for (const at of [0, 1, 2, LAST]) {
    await Deno.mkdir(folder(at));
    assert.equal((await berth.call("POST /api/workspaces", { path: folder(at) })).status, 201);
  }
  await eventually("berth watches", () => berth.berth.store.incidents.wasWatched());
  const openNow = async () => (await berth.berth.store.incidents.open()).length;
  await Deno.remove(folder(LAST));
  await eventually("all are looked at", async () => await openNow() > 0);
  await Deno.mkdir(folder(LAST));
  await eventually("nothing is wrong any more", async () => await openNow() === 0);
  for (const [name, afterS] of [["soon", AFTER_S], ["late", 1_800]] as const) {
    const address = `http://127.0.0.1:${receiver.addr.port}/${name}`;
    const notice = { name, kind: "webhook", address, afterS, tells: ["workspace"] };
    assert.equal((await berth.call("POST /api/notices", notice)).status, 201);
  }
  const { notices } = berth.berth.store;
  await eventually("both were told first", async () => (await notices.counts()).waiting === 0);
  const toldOf = (at: number, state: string) =>
    told.filter((one) => one.to === "/soon" && one.state === state && one.subject.endsWith(`f${at}`));
  const breaks = async (at: number, stepMs: number) => {
    const { waiting } = await notices.counts();
    await Deno.remove(folder(at));
    await eventually("it waits", async () => (await notices.counts()).waiting > waiting);
    offset += stepMs;
  };

  await breaks(0, -5 * HOUR_MS);
  await within(10_000, "it is told although the clock went back", () => toldOf(0, "open").length === 1);
  await Deno.mkdir(folder(0));
  await within(10_000, "its end is told", () => toldOf(0, "closed").length === 1);
  await breaks(1, 2 * HOUR_MS);
  await within(10_000, "it is told although the clock went on", () => toldOf(1, "open").length === 1);
  await Deno.mkdir(folder(1));
  await within(10_000, "its end is told", () => toldOf(1, "closed").length === 1);

  refusals.left = 3;
  await Deno.remove(folder(2));
  await eventually("its message is refused", () => refusals.left < 3);
  refusals.left = Infinity;
  offset += 48 * HOUR_MS;
  const stuckNow = async () => (await berth.call("GET /api/notices/messages")).body.items[0];
  const stuck = await eventually("it is stuck", stuckNow);
  assert.equal((await berth.call(`POST /api/notices/messages/${stuck.id}/retry`)).status, 204);
  const again = await eventually("it is refused again", stuckNow);
  assert.ok(Date.parse(again.firstAt) < Date.now() + HOUR_MS, "what is sent again waits by the same clock");
  refusals.left = 0;
  await within(10_000, "two days on the wall give no message up", () => toldOf(2, "open").length === 1);
  refusals.left = 1;
  await Deno.mkdir(folder(2));
  await eventually("the end is refused", () => refusals.left === 0);
  offset -= 48 * HOUR_MS;
  await within(
    10_000,
    "it is tried again although the clock went back",
    () => toldOf(2, "closed").length === 1,
  );

  assert.deepEqual(told.filter(({ to }) => to === "/late"), [], "half an hour has not passed");
  assert.equal(new Set(told.map(({ id }) => id)).size, told.length, "nothing is sent twice");
  assert.equal(told.length, 6);
});
