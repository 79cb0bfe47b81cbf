/** Images of stacks whose registry the settings do not allow: nodes pull by themselves, so that no service may have one. */
import assert from "node:assert/strict";
import { workspace } from "../streams/live_scene.ts";
import { eventually } from "../support/eventually.ts";
import { ScriptedManager } from "../support/scripted_swarm.ts";
import { serveEngines } from "../support/service.ts";

const FILE = `name: shop
x-berth: { target: swarm }
services:
  web: { image: evil.example/web:1 }
  db: { image: good.example/db:1 }
`;

Deno.test("the plan of a stack asks no manager about an image from a registry that is not allowed", async () => {
  const other = { stack: "blog", unit: "web", image: "web:1", replicas: 1 };
  await using swarm = new ScriptedManager({ nodes: [{ name: "one" }], services: [other] });
  await using berth = await serveEngines({ one: swarm }, {
    pluginSettings: { "container-runtime": { registries: ["good.example"] } },
  });
  const { id } = await workspace(berth, "shop", FILE);
  await eventually(
    "the swarm is found",
    async () => (await berth.call("GET /api/clusters")).body.total === 1,
  );
  const plan = async (pull: string) => {
    const made = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/shop/plan`, { pull });
    assert.equal(made.status, 201, made.text);
    return made.body.blocked.map(({ code, message }: Record<string, string>) => [
      code,
      /not allowed to pull from/.test(message!),
    ]);
  };
  assert.deepEqual(await plan("policy"), [["swarm/image-refused", true], ["swarm/image-not-pinned", false]]);
  assert.deepEqual(await plan("never"), [["swarm/image-refused", true]]);
  const asked = swarm.calls.filter((one) => one.includes("/distribution/"));
  assert.deepEqual(asked, ["GET /distribution/good.example/db%3A1/json"]);
});
