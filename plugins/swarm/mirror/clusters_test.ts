import assert from "node:assert/strict";
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
