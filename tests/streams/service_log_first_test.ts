/** Logs of services right after a start, when no swarm was looked at yet. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { ScriptedManager, type ScriptedSwarm } from "../support/scripted_swarm.ts";
import { serveEngines } from "../support/service.ts";

const SWARM: ScriptedSwarm = {
  nodes: [{ name: "node1" }],
  services: [{ stack: "shop", unit: "web", image: "web:1", replicas: 1, slots: [[{ node: "node1" }]] }],
};

/** A manager that lists its services only once `answers` is resolved. */
function managerThat(answers: Promise<void>): ScriptedManager {
  const manager = new ScriptedManager(SWARM);
  const { override } = manager.world;
  manager.world.override = async (request, path) => {
    if (path === "/services") await answers;
    return await override?.(request, path);
  };
  return manager;
}

const PATHS = ["services/shop_web/logs", "tasks/shop_web.1/logs"];

Deno.test("GET /api/services/{id}/logs waits for the first look at the swarm", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using manager = managerThat(promise);
  await using berth = await serveEngines({ node1: manager });

  const asked = PATHS.map((path) => berth.call(`GET /api/${path}`));
  setTimeout(resolve, 500);

  assert.deepEqual((await Promise.all(asked)).map(({ status }) => status), [200, 200]);
  const gone = await berth.call("GET /api/services/gone/logs");
  assert.deepEqual([gone.status, gone.body.code], [404, "service_not_found"]);
});

Deno.test("GET /api/services/{id}/logs says within its time that no manager answers, and not that there is no such service", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using manager = managerThat(promise);
  await using berth = await serveEngines({ node1: manager });

  const began = performance.now();
  const [service, task] = await Promise.all(PATHS.map((path) => berth.call(`GET /api/${path}`)));
  const tookMs = performance.now() - began;

  for (const one of [service, task]) {
    assert.deepEqual([one?.status, one?.body.code], [503, "runtime_unavailable"], one?.text);
  }
  assert.ok(tookMs < 15_000, `after ${tookMs} ms`);
  resolve();
  await eventually(
    "it is read once the manager answers",
    async () => (await berth.call("GET /api/services/shop_web/logs")).status === 200,
  );
});
