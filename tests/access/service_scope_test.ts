/** The service that a declared unit runs as: told to keys that hold `services:read`, and to no others. */
import assert from "node:assert/strict";
import { workspace } from "../streams/live_scene.ts";
import { eventually } from "../support/eventually.ts";
import { ScriptedManager } from "../support/scripted_swarm.ts";
import { serveEngines } from "../support/service.ts";

const BASE = ["artifacts:read", "workspaces:read", "containers:read"];

Deno.test("A unit's service is told with services:read alone, and without it the unit is unknown", async () => {
  const slots = [[{ node: "one" }], [{ node: "one" }]];
  const shop = { stack: "shop", unit: "web", image: "web:1", replicas: 3, slots };
  await using swarm = new ScriptedManager({ nodes: [{ name: "one" }], services: [shop] });
  await using berth = await serveEngines({ one: swarm });
  const { id } = await workspace(berth, "shop", "services:\n  web:\n    image: web:2\n");
  const keyOf = async (permissions: readonly string[]) => {
    const made = await berth.call("POST /api/settings/api-keys", { name: permissions.join(), permissions });
    assert.equal(made.status, 201, made.text);
    return berth.as(made.body.key);
  };
  const unit = `GET /api/workspaces/${id}/artifacts/units/web`;
  const whole = await keyOf([...BASE, "services:read"]);
  const live = await eventually("the service is known", async () => {
    const { live } = (await whole.call(unit)).body;
    return live.service === undefined ? null : live;
  });
  assert.deepEqual(
    [live.verdict, live.service.running, live.service.desired, live.drift[0].actual],
    ["broken", 2, 3, "web:1"],
  );
  const project = async (caller: typeof whole) => (await caller.call("GET /api/projects/shop")).body;
  const told = await project(whole);
  assert.deepEqual([told.running, told.swarm === null, told.units[0].service.running], [2, false, 2]);

  // Asked after the other, whose answers are remembered.
  const part = await keyOf(BASE);
  const hidden = (await part.call(unit)).body.live;
  const untold = await project(part);
  const rows = (await part.call("GET /api/projects")).text;
  const overview = (await part.call("GET /api/overview")).text;

  assert.deepEqual([hidden.verdict, hidden.state, hidden.drift, hidden.service], [
    "unknown",
    "unknown",
    null,
    undefined,
  ]);
  assert.match(hidden.notCompared, /needs the permission services:read/);
  assert.deepEqual([untold.running, untold.swarm, untold.units[0].service], [0, null, undefined]);
  assert.equal(untold.verdict, "unknown");
  for (const text of [rows, overview, JSON.stringify(untold)]) {
    assert.doesNotMatch(text, /"web:1"|"cluster"|swarmcluster/);
  }
  const services = (await (await keyOf(["services:read"])).call("GET /api/services")).body.items;
  assert.deepEqual(services.map(({ name }: { name: string }) => name), ["shop_web"]);
});
