/** An engine follows links anew at each start: a start without an apply gives nobody a folder that a plan would refuse. */
import assert from "node:assert/strict";
import { type ApplyScene, project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import type { TestCaller } from "../support/service.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";

const READER = service(
  "reader",
  "volumes: ['./data:/data', './seen:/seen']",
  "[sh, -c, 'cat /data/whose >> /seen/log; idle']",
);

/** Brings a reader of `./data` up, and stops it; returns what it has read until now. */
async function readerOf(scene: ApplyScene, withCompose: boolean) {
  const { path, engine } = scene;
  await Deno.mkdir(`${path}/data`);
  await Deno.mkdir(`${path}/own`);
  await Deno.mkdir(`${path}/next`);
  await Deno.mkdir(`${path}/seen`);
  await Deno.writeTextFile(`${path}/data/whose`, "the project's\n");
  await Deno.writeTextFile(`${path}/own/whose`, "the project's other\n");
  await Deno.writeTextFile(`${path}/next/whose`, "a neighbour's\n");
  await Deno.writeTextFile(`${path}/next/compose.yaml`, project("next", [service("web")]));
  await eventually("the neighbour is known", async () => {
    const route = `POST /api/workspaces/${scene.workspace}/artifacts/groups/next/plan`;
    return (await scene.berth.call(route, {})).status === 201;
  });
  if (withCompose) assert.equal(await composeToday(engine.socket, path, "up", "-d"), "");
  else assert.equal((await scene.apply()).state, "done");
  const [id] = Object.values(await scene.ids());
  const log = () => Deno.readTextFile(`${path}/seen/log`).catch(() => "");
  await eventually("it has read", async () => await log() !== "");
  await engine.cli("stop", "--time", "0", id!);
  return { id: id!, log };
}

const VERBS = ["start", "restart"] as const;

async function act(caller: TestCaller, id: string, verb: typeof VERBS[number]) {
  return await caller.call(`POST /api/containers/${id}/${verb}`);
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  for (const by of ["berth", "Compose"]) {
    const name = `direct${kind}${by.toLowerCase()}`;
    const words =
      `A start or restart of a container that ${by} made mounts no folder for a caller whose plan could not mount it`;
    test(words, async (engine) => {
      await scene(engine, name, project(name, [READER]), async (scene) => {
        const { id, log } = await readerOf(scene, by === "Compose");
        const { path } = scene;
        const operator = await scopedOperator(scene, name);
        const canary = await Deno.makeTempDir({ prefix: "berth-canary-" });
        await Deno.writeTextFile(`${canary}/whose`, "the host's\n");
        await Deno.rename(`${path}/data`, `${path}/kept`);

        await Deno.symlink(canary, `${path}/data`);
        for (const verb of VERBS) {
          const { status, text } = await act(operator, id, verb);
          assert.equal(status, 403, text);
          assert.match(text, /data\\", where a link leads out of the workspace.*projects:host/);
          assert.doesNotMatch(text, /berth-canary/, "where it leads is not told");
        }
        assert.doesNotMatch(await log(), /the host's/);

        await Deno.remove(`${path}/data`);
        await Deno.symlink("next", `${path}/data`);
        const inside = await act(operator, id, "start");
        assert.deepEqual([inside.status, await log()], [403, "the project's\n"], inside.text);
        assert.match(inside.text, /to another project of the workspace.*projects:apply/);

        await Deno.remove(`${path}/data`);
        await Deno.symlink("own", `${path}/data`);
        assert.equal((await act(operator, id, "restart")).status, 200, "a plan would allow it");
        await eventually("it has read its own", async () => (await log()).includes("the project's other"));

        await Deno.remove(`${path}/data`);
        await Deno.rename(`${path}/kept`, `${path}/data`);
        for (const verb of VERBS) assert.equal((await act(operator, id, verb)).status, 200);

        await Deno.rename(`${path}/data`, `${path}/kept`);
        await Deno.symlink(canary, `${path}/data`);
        assert.equal((await act(scene.berth, id, "restart")).status, 200, "an admin may");
        await eventually("it has read the canary", async () => (await log()).includes("the host's"));
        await Deno.remove(canary, { recursive: true });
      });
    }, by === "Compose" ? composeOfToday.missing : null);
  }
}
