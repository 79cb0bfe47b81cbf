/** Promise: an engine whose disk is full costs nobody their container, says so in words, and goes on when there is room. */
import assert from "node:assert/strict";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";
import { lookAtApplies } from "../../commands/doctor/applies.ts";
import { inspectStoreFile } from "../../store/sqlite/inspection.ts";
import { NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { watched } from "./watched_acts.ts";
import { HEALTHY } from "./health_checks.ts";

const names = async (scene: ApplyScene) =>
  Object.entries(await scene.containers()).map(([name, { state }]) => `${name} ${state}`);

/** Returns the findings of `berth doctor` about applies, with the store as it is. */
async function findings({ berth: { folder } }: ApplyScene): Promise<readonly string[]> {
  const { applies } = await inspectStoreFile(`${folder}/data/berth.db`);
  return (await lookAtApplies({ store: { applies } })).map(({ what }) => what);
}

/** A Docker whose data are on a small disk; null where there can be none. */
async function smallDocker(): Promise<{ disk: SmallDisk; engine: TestEngine } | null> {
  const disk = await SmallDisk.mount("32m");
  try {
    return { disk, engine: await startEngine("docker", "", ["--data-root", `${disk.folder}/data`]) };
  } catch (error) {
    await disk[Symbol.asyncDispose]();
    if (!(error instanceof NoEngine) || Deno.env.get("BERTH_TEST_ENGINES_REQUIRED") === "1") throw error;
    console.error(`NOT RUN: an engine with a full disk, because ${error.message}`);
    return null;
  }
}

Deno.test({
  name:
    "an apply on an engine whose disk is full leaves or brings back what serves, and is finished with room (F104)",
  ignore: !mayMount,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const small = await smallDocker();
    if (small === null) return;
    await using stack = new AsyncDisposableStack();
    const { disk, engine } = small;
    stack.use(disk);
    stack.use(engine);
    let fillsAt: string | null = null;
    let isFull = false;
    const name = "nospace";
    let two: unknown = null;
    let isRefused = Promise.withResolvers<void>();
    const mount = watched(async (act, [given], go) => {
      // Fails when the other one cannot come back any more.
      if (act === "start" && given === two && fillsAt === "start") await isRefused.promise;
      isFull ||= act === fillsAt;
      if (isFull) disk.fill(); // also what was freed since
      try {
        const done = await go();
        if (act === "create" && given === `${name}-two-1`) two = done;
        return done;
      } catch (error) {
        if (act === "start") isRefused.resolve();
        throw error;
      }
    });
    const makeRoom = () => {
      fillsAt = null;
      isFull = false;
      isRefused = Promise.withResolvers();
      disk.empty();
    };
    const web = service("web", `volumes: ['/scratch']\nrestart: always\nenvironment: { C: red }\n${HEALTHY}`);
    const text = project(name, [web]);
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.containers();
      await scene.write(project(name, [web.replace("red", "blue"), service("two")]));

      fillsAt = "create";
      const full = await scene.apply();
      assert.equal(full.state, "failed");
      assert.match(full.reason ?? "", /^Cannot create container .*no space left on device/);
      assert.deepEqual(await scene.containers(), before, "it serves on");
      makeRoom();

      // Full from then on: the old one is aside by now, and cannot start again.
      fillsAt = "start";
      const { body } = await scene.begin(await scene.plan());
      const paused = await scene.over(body.id);
      assert.equal(paused.state, "paused");
      const told = /no space left.*the old container "nospace-web-1" cannot come back: .*no space left/;
      assert.match(paused.reason ?? "", told);
      const [waiting, ...others] = await findings(scene);
      assert.match(
        waiting ?? "",
        /^The apply .* of "nospace" is paused in the middle of a swap of "nospace-web-1"$/,
      );
      assert.deepEqual(others, []);
      makeRoom();
      assert.equal((await scene.berth.call(`POST /api/applies/${body.id}/resume`)).status, 200);
      const back = await scene.over(body.id);
      assert.equal(back.state, "failed");
      assert.match(back.reason ?? "", /no space left.*; the old container serves again$/);
      const { [`${name}-web-1`]: again } = await scene.containers();
      assert.deepEqual(again, before[`${name}-web-1`]);

      // Full, and given up: nothing is tried again, and the next apply sees to what is left.
      fillsAt = "start";
      const given = await scene.begin(await scene.plan());
      assert.equal((await scene.over(given.body.id)).state, "paused");
      assert.equal((await scene.berth.call(`POST /api/applies/${given.body.id}/abandon`)).status, 200);
      assert.equal((await scene.over(given.body.id)).state, "cancelled");
      makeRoom();
      await eventually("what is left is seen", async () => {
        const { steps } = await scene.plan();
        return steps.some(({ target }) => target.includes(".old-"));
      });
      const last = await scene.apply();
      assert.deepEqual([last.state, last.reason], ["done", null]);
      assert.deepEqual(await names(scene), [`${name}-two-1 running`, `${name}-web-1 running`]);
      const { [`${name}-web-1`]: fresh } = await scene.containers();
      assert.ok(fresh?.env.includes("C=blue"));
      assert.deepEqual(fresh?.volumes, before[`${name}-web-1`]?.volumes, "with its data");
      assert.deepEqual((await scene.plan()).steps, []);
    }, { mount, applyTimes: { awayMs: 1_000 } });
  },
});
