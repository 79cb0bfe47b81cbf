import assert from "node:assert/strict";
import { engineError } from "../../../engines/calls/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { EngineAccess } from "../../../engines/lent.ts";
import { Clusters } from "./clusters.ts";

const FOREVER = new Promise<never>(() => {});

/** An engine of a swarm, which answers as managers do. */
function engineOf(
  name: string,
  cluster: string | null,
  nodes: readonly string[],
  answers = true,
): EngineAccess {
  const said: Record<string, unknown> = {
    "/info": {
      Swarm: {
        NodeID: `node-of-${name}`,
        LocalNodeState: "active",
        ControlAvailable: cluster !== null,
        Cluster: cluster === null ? undefined : { ID: cluster },
      },
    },
    "/services": [{ ID: "s1", Version: { Index: 1 }, Spec: { Name: "web" } }],
    "/nodes": nodes.map((one) => ({
      ID: `node-of-${one}`,
      Description: { Hostname: one },
      Status: { State: "ready" },
      Spec: {},
    })),
  };
  return {
    name,
    state: "up",
    isInSwarm: true,
    get: (path: { readonly text: string }) => {
      if (!answers && path.text !== "/info") return FOREVER;
      return Promise.resolve(said[path.text] ?? []);
    },
    follow: () => ({ [Symbol.dispose]: () => {} }),
  } as unknown as EngineAccess; // as far as clusters use it
}

Deno.test("Clusters asks scopes for the workers of a swarm while another swarm does not answer", async () => {
  const engines = [
    engineOf("manager", "one", ["manager", "worker"]),
    engineOf("worker", null, []),
    engineOf("slow", "two", [], false),
  ];
  const clusters = new Clusters(() => engines, { error: () => assert.fail() } as unknown as Log);
  try {
    void clusters.watched();
    let scope: readonly string[] = [];
    while (scope.length === 0) {
      await new Promise((done) => setTimeout(done, 1));
      for (const one of clusters.services.items) scope = one.engines;
    }
    assert.deepEqual(scope, ["manager", "worker"], "of the first services that are shown");
  } finally {
    void clusters[Symbol.asyncDispose](); // the one that hangs is never over
  }
});

Deno.test("Two swarms of one name are told apart by their ids while both are there", async () => {
  const info = (id: string) => ({
    Swarm: {
      ...{ NodeID: `n${id}`, LocalNodeState: "active", ControlAvailable: true },
      Cluster: { ID: id, Spec: { Name: "prod" } },
    },
  });
  const both = ["1", "2"].map((id) => {
    const one = engineOf(id, id, []);
    return {
      ...one,
      get: (...asked: Parameters<EngineAccess["get"]>) =>
        asked[0].text === "/info" ? Promise.resolve(info(id)) : one.get(...asked),
    };
  });
  let engines = both;
  await using clusters = new Clusters(() => engines, { error: () => assert.fail() } as unknown as Log);
  const names = () => clusters.services.items.map(({ cluster }) => cluster).sort();
  assert.ok(await clusters.watched());
  assert.deepEqual(names(), ["prod-1", "prod-2"]);
  engines = both.slice(1);
  await new Promise((done) => setTimeout(done, 1_100));
  assert.deepEqual(names(), ["prod"]);
});

Deno.test("A swarm stays whole while its engines come back without their networks", async () => {
  const [manager, worker] = [engineOf("manager", "one", ["manager", "worker"]), engineOf("worker", null, [])];
  const now = new Map<EngineAccess, boolean | null>([[manager, true], [worker, true]]);
  const left = { Swarm: { NodeID: "", LocalNodeState: "inactive" } };
  const engines = [manager, worker].map((one) => ({
    ...one,
    get isInSwarm() {
      return now.get(one)!;
    },
    get: (...asked: Parameters<EngineAccess["get"]>) =>
      now.get(one) === false ? Promise.resolve(left) : one.get(...asked),
  }));
  await using clusters = new Clusters(() => engines, { error: () => assert.fail() } as unknown as Log);
  const shown = async (waitMs: number) => {
    await new Promise((done) => setTimeout(done, waitMs));
    return clusters.services.items.map(({ engines }) => engines);
  };
  assert.ok(await clusters.watched());
  for (const one of [manager, worker]) now.set(one, null);
  assert.deepEqual(await shown(1_100), [["manager", "worker"]], "nothing says that one has left");
  now.set(manager, true).set(worker, false);
  assert.deepEqual(await shown(2_100), [["manager"]], "one that has left is no member");
});

Deno.test("An engine that never lists its networks says itself whether it is in a swarm", async () => {
  const asked: string[] = [];
  const unlisted = (name: string, info?: unknown) => ({
    ...engineOf(name, null, []),
    isInSwarm: null,
    get: () => {
      asked.push(name);
      return info === undefined
        ? Promise.reject(engineError("runtime_unavailable", "It refuses"))
        : Promise.resolve(info);
    },
  });
  const engines = [
    engineOf("manager", "one", ["manager", "worker"]),
    unlisted("alone", { Swarm: { NodeID: "", LocalNodeState: "inactive" } }),
    unlisted("worker", { Swarm: { NodeID: "node-of-worker", LocalNodeState: "active" } }),
    unlisted("silent"),
  ];
  await using clusters = new Clusters(() => engines, { error: () => assert.fail() } as unknown as Log);
  assert.ok(await clusters.watched());
  await new Promise((done) => setTimeout(done, 1_100));
  const scope = clusters.services.items.map(({ engines }) => engines);
  assert.deepEqual(scope, [["manager", "worker", "silent"]], "one that does not say so may be in it");
  assert.deepEqual(asked.sort(), ["alone", "silent", "worker"], "not with every tick");
});
