/** A real swarm of three managers, each an engine of berth's. */
import assert from "node:assert/strict";
import { NoEngine } from "../support/engine.ts";
import { serveEngines } from "../support/service.ts";
import { eventually } from "../support/eventually.ts";
import { startSwarm, SWARM_IMAGE } from "../support/swarm.ts";

const swarm = await startSwarm().catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: a swarm of three, because ${error.message}`);
  return null;
});

Deno.test({
  name: "A swarm of three managers is shown as one",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    await using own = swarm!;
    const [first] = own.nodes;
    await first!.cli("network", "create", "--driver", "overlay", "--attachable", "wide");
    await own.nodes[1]!.cli("run", "-d", "--name", "guest", "--network", "wide", SWARM_IMAGE, "idle");
    await using berth = await serveEngines(own.engines);

    await context.step(
      "a network of the swarm is listed once, with its containers on all nodes",
      async () => {
        const named = async (path: string) =>
          (await berth.call(`GET ${path}`)).body.items.filter(({ name }: { name: string }) =>
            name === "wide"
          );
        await eventually(
          "each node lists it",
          async () => (await named("/api/networks"))[0]?.backends.length === 3,
        );
        const [wide, ...more] = await named("/api/networks");
        assert.deepEqual(more, []);
        assert.deepEqual(wide.backends, ["node1", "node2", "node3"]);
        assert.deepEqual(
          wide.containers.map(({ name }: { name: string }) => name),
          ["guest"],
        );
        const [there] = await named("/api/networks?backend=node2");
        assert.deepEqual([there.backend, there.backends], ["node2", ["node2"]]);
        assert.equal((await named("/api/networks?unused=true")).length, 0);
        const { body: one } = await berth.call("GET /api/networks/wide");
        assert.deepEqual([one.id, one.containers], [wide.id, wide.containers]);
        const used = await berth.call("DELETE /api/networks/wide");
        assert.deepEqual([used.status, used.body.code], [409, "in_use"]);
        const left = await berth.call("POST /api/networks/wide/disconnect", { container: "guest" });
        assert.deepEqual([left.status, left.body.changed], [200, true], left.text);
        const joined = await berth.call("POST /api/networks/wide/connect", { container: "guest" });
        assert.deepEqual([joined.status, joined.body.changed], [200, true], joined.text);
        // A network of one engine alone is still one a node
        const { body } = await berth.call("GET /api/networks?q=bridge");
        assert.equal(body.items.filter(({ name }: { name: string }) => name === "bridge").length, 3);
        const refused = await berth.call("DELETE /api/networks/bridge");
        assert.equal(refused.body.code, "ambiguous_id");
      },
    );
  },
});
