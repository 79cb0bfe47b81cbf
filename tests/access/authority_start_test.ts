/** A container that exists already is looked at again whenever an apply starts it: its folders may lead elsewhere. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { type ApplyScene, project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { lawEngine } from "../support/shared_engine.ts";
import type { TestCaller } from "../support/service.ts";

const CANARY = "the canary of somebody else";

/** Plans the action and applies it as the caller. */
async function applied(scene: ApplyScene, action: string, caller: TestCaller): Promise<Apply> {
  const plan = await scene.plan({ action, rerun: action === "up" ? ["web"] : [] }, caller);
  const begun = await scene.begin(plan, {}, caller);
  assert.equal(begun.status, 202, begun.text);
  return await scene.over(begun.body.id);
}

/** Returns what a process of the container sees under `/data`; null while none runs. */
async function seenInside({ engine, name }: ApplyScene): Promise<string | null> {
  const container = `${name}-web-1`;
  if (await engine.cli("inspect", "--format", "{{.State.Running}}", container) !== "true") return null;
  return await engine.cli("exec", container, "cat", "/data/whose");
}

/** `BERTH_PROOF=1`: each way to start leads to each place. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  for (const where of ["neighbour", "host"] as const) {
    for (
      const action of isProof ? ["up", "restart"] as const : [where === "host" ? "up" : "restart"] as const
    ) {
      test(`A folder that became a link to the ${where} is not mounted when "${action}" starts its container`, async (engine) => {
        const name = `again${where}${action}`;
        await scene(
          engine,
          name,
          project(name, [service("web", "volumes: ['./data:/data:ro']")]),
          async (scene) => {
            const { path } = scene;
            const outside = await Deno.makeTempDir({ prefix: "berth-canary-" });
            const target = where === "host" ? outside : `${path}/neighbour`;
            await Deno.mkdir(`${path}/neighbour`);
            await Deno.writeTextFile(
              `${path}/neighbour/compose.yaml`,
              project(`${name}other`, [service("other")]),
            );
            await Deno.writeTextFile(`${target}/whose`, CANARY);
            await Deno.mkdir(`${path}/data`);
            await Deno.writeTextFile(`${path}/data/whose`, "the project's own");
            assert.equal((await scene.apply()).state, "done");
            assert.equal(await seenInside(scene), "the project's own");
            if (action === "up") await engine.cli("stop", "--time", "0", `${name}-web-1`);
            await Deno.rename(`${path}/data`, `${path}/aside`);
            await Deno.symlink(target, `${path}/data`);
            const operator = await scopedOperator(scene, name);
            const apply = await applied(scene, action, operator);
            assert.equal(apply.state, "failed");
            assert.match(
              JSON.stringify(apply.steps),
              /mounts\.\/data lies outside .*compose\.yaml:\d+.*needs the permission/,
            );
            assert.notEqual(await seenInside(scene), CANARY);
            await Deno.remove(outside, { recursive: true });
          },
        );
      });
    }
  }
}
