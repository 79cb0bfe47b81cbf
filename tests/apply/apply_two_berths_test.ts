/** Two berths with stores of their own use one engine: what one left in the middle of a swap, the other does not harm. */
import assert from "node:assert/strict";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { dieInApply } from "./apply_mortal.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const text = (name: string, colour: string) =>
  project(name, [service("db"), service("web", `restart: unless-stopped\nenvironment: { C: ${colour} }`)]);

const { test } = await sharedEngine("docker");
/** `BERTH_PROOF=1`: cut at another act, too. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

/** The scene of a berth that died in a swap, right after this act. */
async function cut(engine: TestEngine, name: string, act: string): Promise<ApplyScene> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
  const first = await serveEngines({ docker: engine }, { folder });
  const scene = await ApplyScene.on(engine, first, name, text(name, "red"));
  assert.equal((await scene.apply()).state, "done");
  await scene.write(text(name, "blue"));
  await first.berth.stop();
  await dieInApply(scene, ["after", act]);
  return scene;
}

const again = ({ engine, berth: { folder, admin } }: ApplyScene) =>
  serveEngines({ docker: engine }, { folder, admin: admin! });

async function clear(scene: ApplyScene): Promise<void> {
  await scene.clear();
  await Deno.remove(scene.berth.folder, { recursive: true });
}

async function planAt(berth: TestService, path: string, name: string): Promise<Plan> {
  const { body } = await berth.call("POST /api/workspaces", { path });
  return await eventually("it can be planned", async () => {
    const plan = await berth.call(`POST /api/workspaces/${body.id}/artifacts/groups/${name}/plan`, {});
    return plan.status === 201 ? plan.body : null;
  });
}

for (const act of isProof ? ["stop", "rename"] : ["rename"]) {
  test(`A swap that a berth left after its ${act} is finished by another one, and the first leaves that be (F125)`, async (engine) => {
    const name = `both${act}`;
    const scene = await cut(engine, name, act);
    try {
      await using other = await serveEngines({ docker: engine }, {
        roots: [`${scene.berth.folder}/workspaces`],
      });
      const plan = await planAt(other, scene.path, name);
      const begun = await other.call(`POST /api/plans/${plan.id}/apply`, {});
      const { state, reason } = await scene.over(begun.body.id, other);
      assert.deepEqual([state, reason], ["done", null]);
      const served = await scene.containers();
      assert.deepEqual(Object.keys(served), [`${name}-db-1`, `${name}-web-1`]);
      assert.ok(served[`${name}-web-1`]?.env.includes("C=blue"));

      await using last = await again(scene);
      const { id } = (await last.call("GET /api/applies")).body.items[0];
      const apply = await scene.over(id, last);

      assert.deepEqual([apply.state, apply.reason], [
        "failed",
        `Container "${name}-web-1" was removed by somebody else: ask for a new plan`,
      ]);
      assert.deepEqual(await scene.containers(), served);
      assert.deepEqual(last.bugs(), []);
    } finally {
      await clear(scene);
    }
  });
}

test("A swap that a berth left is not planned away by one with a folder of the same name, which is told why (F125)", async (engine) => {
  const name = "bothapart";
  const scene = await cut(engine, name, "stop");
  try {
    const before = await scene.containers();
    await using other = await serveEngines({ docker: engine });
    const there = await ApplyScene.on(engine, other, name, text(name, "green"));
    const plan = await there.plan();
    assert.deepEqual(plan.blocked.map(({ code }) => code), ["project/foreign-container"]);
    assert.match(plan.blocked[0]?.message ?? "", /: another berth may be replacing one of them: keep them/);
    assert.equal((await there.begin(plan)).status, 409);
    assert.deepEqual(await scene.containers(), before);

    await using last = await again(scene);
    const { id } = (await last.call("GET /api/applies")).body.items[0];
    assert.equal((await scene.over(id, last)).state, "done");
    assert.equal((await scene.containers())[`${name}-web-1`]?.state, "running");
  } finally {
    await clear(scene);
  }
});

test("A prune that was planned before a swap keeps both of its containers", async (engine) => {
  const name = "bothplanned";
  await using berth = await serveEngines({ docker: engine });
  const scene = await ApplyScene.on(engine, berth, name, text(name, "red"));
  try {
    assert.equal((await scene.apply()).state, "done");
    const { [`${name}-web-1`]: web } = await scene.ids();
    await engine.cli("stop", "-t", "1", web!);
    const { plan, items } = await eventually("it is in a plan", async () => {
      const meant = { types: ["containers"], filters: { declared: true }, dryRun: true };
      const { body } = await berth.call("POST /api/system/prune", meant);
      return body.items.some(({ id }: { id: string }) => id === web) ? body : null;
    });
    await engine.cli("create", "--name", `${name}-web-1.new-0123abcd`, "--network", "none", FIXTURE);
    await eventually(
      "the other one is known",
      async () => (await berth.call(`GET /api/containers/${name}-web-1.new-0123abcd`)).status === 200,
    );
    const pruned = (await berth.call("POST /api/system/prune", { plan })).body;

    assert.equal(items.length, 1);
    assert.deepEqual(
      pruned.items.map(({ result, reason }: Record<string, string>) => [result, reason]),
      [["kept", "an apply replaces it"]],
    );
    assert.equal((await scene.ids())[`${name}-web-1`], web);
  } finally {
    await engine.cli("rm", "-f", `${name}-web-1.new-0123abcd`);
    await scene.clear();
  }
});

for (const act of isProof ? ["create", "rename"] : ["create"]) {
  test(`A prune at another berth leaves both containers of a swap that was cut after its ${act}`, async (engine) => {
    const name = `bothprune${act}`;
    const scene = await cut(engine, name, act);
    try {
      // As a restart of the host leaves them
      await engine.cli("stop", "-t", "1", ...Object.values(await scene.containers()).map(({ id }) => id));
      const before = await scene.ids();
      await using other = await serveEngines({ docker: engine });
      const { body } = await other.call("POST /api/system/prune", { types: ["containers"], dryRun: true });
      const pruned = await other.call("POST /api/system/prune", { plan: body.plan });

      assert.equal(pruned.status, 200, pruned.text);
      const { [`${name}-db-1`]: _, ...swapped } = before;
      assert.deepEqual(await scene.ids(), swapped, "the other container was stopped, and goes");
      await using last = await again(scene);
      const { id } = (await last.call("GET /api/applies")).body.items[0];
      await scene.over(id, last);
      assert.equal((await scene.containers())[`${name}-web-1`]?.state, "running");
    } finally {
      await clear(scene);
    }
  });
}
