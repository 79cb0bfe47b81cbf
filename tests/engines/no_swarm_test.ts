/** The price of swarms for those who have none: no call to an engine, and no module that runs. */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { ScriptedManager } from "../support/scripted_swarm.ts";
import { ScriptedWorld } from "../support/scripted_world.ts";

const LISTS = ["services", "stacks", "clusters", "nodes", "configs", "secrets"];
/** Modules that are of use with a swarm alone. */
const OF_SWARMS = [
  "plugins/swarm/mirror/clusters.ts",
  "plugins/swarm/acts/plan_access.ts",
  "plugins/swarm/acts/service_acts.ts",
  "projects/apply/stack_steps.ts",
];

/** Asks a berth with this engine for everything of swarms; returns the numbers of items, and the addresses of modules that ran. */
async function ask(engine: ScriptedWorld, services: number) {
  const folder = await Deno.makeTempDir({ prefix: "berth-ran-" });
  try {
    await using berth = await startBerthProcess({
      permissions: ["-A", `--coverage=${folder}`],
      env: { BERTH_ENGINES: `one=unix://${engine.socket}`, BERTH_ROOTS: folder },
    });
    const headers = { authorization: `Bearer ${await berth.setUp()}` };
    const get = async (path: string) => await (await fetch(`${berth.url}/api/${path}`, { headers })).json();
    await eventually("the engine is up", async () => {
      const { items } = await get("system/backends");
      return items[0].state === "up" && (await get("services")).total === services;
    });
    const totals = await Promise.all(LISTS.map(async (path) => (await get(path)).total));
    await get("projects");
    const { code } = await berth.end();
    assert.equal(code, 0);
    const ran: string[] = [];
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith(".json")) continue;
      ran.push(JSON.parse(await Deno.readTextFile(`${folder}/${name}`)).url);
    }
    return { totals, ran };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("an engine that is in no swarm is asked nothing about one, and what reads swarms does not run", async () => {
  await using engine = new ScriptedWorld({});

  const { totals, ran } = await ask(engine, 0);

  assert.deepEqual(totals, LISTS.map(() => 0));
  assert.deepEqual(
    [...new Set(engine.calls)].filter((call) =>
      /\/(?:info|swarm|services|tasks|nodes|configs|secrets)/.test(call)
    ),
    [],
  );
  assert.ok(ran.some((url) => url.endsWith("plugins/swarm/plugin.ts")), "modules that ran are found");
  assert.deepEqual(OF_SWARMS.filter((name) => ran.some((url) => url.endsWith(name))), []);
});

Deno.test("an engine that is in a swarm makes what reads swarms run", async () => {
  await using manager = new ScriptedManager({
    nodes: [{ name: "node1" }],
    services: [{ stack: "shop", unit: "web", image: "web:1", replicas: 1, slots: [[{ node: "node1" }]] }],
  });

  const { totals, ran } = await ask(manager, 1);

  assert.deepEqual(totals.slice(0, 4), [1, 1, 1, 1]);
  assert.ok(ran.some((url) => url.endsWith("plugins/swarm/mirror/clusters.ts")));
});
