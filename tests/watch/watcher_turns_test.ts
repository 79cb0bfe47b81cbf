/** Promise: only the replica that watches counts endings, and only time in which somebody could know counts as well. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import { eventually } from "../support/eventually.ts";
import { strayScene } from "./stray_scene.ts";

Deno.test("a replica that takes the turn over does not count the endings that it heard before", async () => {
  let isOurs = false;
  let asked = 0;
  await using berth = await strayScene(() => {
    asked++;
    return Promise.resolve(isOurs);
  });
  await eventually("it asks for the turn", () => asked > 0);
  berth.dies();
  berth.dies();
  const before = asked;
  await eventually("it asks again", () => asked > before + 1);
  isOurs = true;
  const [found] = await eventually("the incident is open", async () => {
    const open = await berth.store.incidents.open();
    return open.length > 0 ? open : null;
  });
  assert.deepEqual([found!.kind, found!.endings], ["broken", 0]);
});

Deno.test("time in which an engine did not answer is no time of being well", async () => {
  const WELL_MS = 400;
  await using berth = await strayScene(() => Promise.resolve(true), WELL_MS);
  const { incidents } = berth.store;
  const [found] = await eventually("it is open", async () => {
    const open = await incidents.open();
    return open.length > 0 ? open : null;
  });
  berth.stray.state = "running";
  await pause(WELL_MS / 2); // it is found well
  berth.stray.state = "away";
  await pause(WELL_MS);
  assert.equal((await incidents.open()).length, 1);
  const back = Date.now();
  berth.stray.state = "running";
  await eventually("it is over", async () => (await incidents.open()).length === 0);
  const closedAt = (await incidents.get(found!.id))?.closedAt ?? 0;
  assert.ok(closedAt >= back, `it ended ${back - closedAt} ms before its engine was back`);
});

Deno.test("an ending is kept also when the store went away while nothing had to be written", async () => {
  const real = performance.now;
  let later = 0;
  let isAway = false;
  let refused = 0;
  await using berth = await strayScene(() => {
    if (!isAway) return Promise.resolve(true);
    refused++;
    return Promise.reject(new ServiceError("store_unavailable", "The store is away"));
  });
  await eventually("it watches", async () => (await berth.store.incidents.open()).length > 0);
  performance.now = () => real.call(performance) + later;
  try {
    isAway = true;
    later = 20_000; // the last turn is over
    await eventually("it asked in vain", () => refused > 0);
    assert.equal(berth.watcher.gap, null);
    berth.dies();
    assert.equal(berth.kept.length, 1);
    isAway = false;
  } finally {
    performance.now = real;
  }
});
