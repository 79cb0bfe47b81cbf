/** A folder that is exchanged by a link while it is mounted gives no container a look outside of the workspace. */
import assert from "node:assert/strict";
import { type ApplyScene, project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { pause } from "../../core/pause.ts";
import { startFlipper } from "../artifacts/link_flipper.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const ROUNDS = Deno.env.get("BERTH_PROOF") === "1" ? 500 : 6;
const { test } = await sharedEngine("docker");

/** Returns what a running container of the project has at the place of the mount; null without one. */
async function mounted({ engine, name }: ApplyScene): Promise<string | null> {
  const id = await engine.cli(
    "ps",
    "--quiet",
    "--no-trunc",
    "--filter",
    `label=com.docker.compose.project=${name}`,
  );
  if (id === "") return null;
  try {
    return await engine.cli("exec", id.split("\n")[0]!, "cat", "/data/whose");
  } catch {
    return null; // it has ended
  }
}

/** Puts the folder and the link back under their own names. */
async function settle(path: string): Promise<void> {
  if (!(await Deno.lstat(`${path}/data`)).isSymlink) return;
  await Deno.rename(`${path}/data`, `${path}/link`);
  await Deno.rename(`${path}/other`, `${path}/data`);
  await Deno.rename(`${path}/link`, `${path}/other`);
}

test("A folder that another process exchanges by a link is mounted as planned or not at all", async (engine) => {
  const name = "raced";
  await scene(engine, name, project(name, [service("web")]), async (scene) => {
    const outside = await Deno.makeTempDir({ prefix: "berth-canary-" });
    await Deno.writeTextFile(`${outside}/whose`, "the host's");
    await Deno.mkdir(`${scene.path}/data`);
    await Deno.writeTextFile(`${scene.path}/data/whose`, "the project's");
    await Deno.symlink(outside, `${scene.path}/other`);
    await scene.write(project(name, [service("web", "volumes: ['./data:/data:ro']")]));
    const operator = await scopedOperator(scene, name);
    const ended: Record<string, number> = {};
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      // Of three rounds one is exchanged all the time, and two begin at some moment of the apply.
      const begins = round % 3 === 0 ? 0 : Math.random() * 600;
      const flipping = pause(begins, new AbortController().signal)
        .then(() => startFlipper(`${scene.path}/data`, `${scene.path}/other`));
      if (begins === 0) await flipping;
      try {
        const planned = await operator.call(
          `POST /api/workspaces/${scene.workspace}/artifacts/groups/${name}/plan`,
          {},
        );
        const begun = planned.status === 201 ? await scene.begin(planned.body, {}, operator) : planned;
        // An apply that still waits would refuse all rounds after it, and they would race nothing.
        assert.notEqual(begun.body.code, "apply_running", `round ${round}`);
        if (begun.status !== 202) refused += 1;
        else {
          const { id } = begun.body;
          const { state } = await scene.over(id);
          ended[state] = (ended[state] ?? 0) + 1;
          if (state === "paused") {
            await scene.berth.call(`POST /api/applies/${id}/abandon`);
            await scene.over(id);
          }
        }
        assert.notEqual(await mounted(scene), "the host's", `round ${round}`);
      } finally {
        const flipper = await flipping;
        if (typeof flipper === "string") console.warn(`SKIPPED: ${flipper}`);
        else await flipper[Symbol.asyncDispose]();
        await settle(scene.path);
        await scene.clear();
      }
    }
    console.log(`${ROUNDS} rounds: ${refused} refused, applies ${JSON.stringify(ended)}`);
    await Deno.remove(outside, { recursive: true });
  });
});

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
