/** A scope ends at the folder of its project, and at folders that other containers may write to. */
import assert from "node:assert/strict";
import { project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const { test } = await sharedEngine("docker");

test("A source below a folder that another container may write to needs the host's permission", async (engine) => {
  const name = "sibling";
  const text = project(name, [
    service("writer", "volumes: ['./:/work']"),
    service("reader", "volumes: ['./data:/data:ro']"),
    service("same", "volumes: ['./:/work:ro']"),
  ]);
  await scene(engine, name, text, async (scene) => {
    await Deno.mkdir(`${scene.path}/data`);
    const operator = await scopedOperator(scene, name);
    const plan = await scene.plan({}, operator);
    const host = plan.missing.filter(({ permission }) => permission === "projects:host");
    assert.deepEqual(host.map(({ field }) => field), ["mounts./data"]);
    assert.match(host[0]?.why ?? "", /another container may write/);
    const refused = await scene.begin(plan, {}, operator);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /mounts\.\/data lies below a folder .*compose\.yaml:\d+/);
    assert.deepEqual(await scene.containers(), {});
  });
});

test("A scope ends at the project's own folder", async (engine) => {
  const name = "scoped";
  const text = project(name, [
    service("web", "volumes: ['./own:/own', './neighbour/data:/data']\nenv_file: neighbour/.env"),
  ]);
  await scene(engine, name, text, async (scene) => {
    await Deno.mkdir(`${scene.path}/neighbour`);
    await Deno.writeTextFile(`${scene.path}/neighbour/.env`, "A=1\n");
    await Deno.writeTextFile(
      `${scene.path}/neighbour/compose.yaml`,
      project("neighbour", [service("other")]),
    );
    await scene.write(`${text}# again\n`);
    const operator = await scopedOperator(scene, name);
    const plan = await scene.plan({}, operator);
    const lacking = plan.missing.map((
      { permission, subject, field },
    ) => [permission, subject.project, field]);
    assert.deepEqual(lacking.sort(), [
      ["projects:apply", null, "env_file"],
      ["projects:apply", null, "mounts./data"],
    ]);
    assert.equal((await scene.begin(plan, {}, operator)).status, 403);
    assert.deepEqual((await scene.plan()).missing, []);
  });
});

test("A silenced error blocks whoever may not reach the host", async (engine) => {
  const name = "silenced";
  const text = project(name, [service("web", "scale: 1 # berth-disable-line\ndeploy: { replicas: 2 }")]);
  await scene(engine, name, text, async (scene) => {
    const operator = await scopedOperator(scene, name);
    const codes = (plan: { readonly blocked: readonly { readonly code: string }[] }) =>
      plan.blocked.map(({ code }) => code);
    assert.ok(codes(await scene.plan({}, operator)).some((code) => code.startsWith("compose/")));
    assert.deepEqual(codes(await scene.plan()), []);
  });
});
