/** A project that runs under another name than its files say: seen beside them, and changed by nobody before they say so. */
import assert from "node:assert/strict";
import { type ApplyScene, project, scene, service } from "../apply/apply_scene.ts";
import { save } from "../streams/live_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { eventually } from "../support/eventually.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const { test } = await sharedEngine("docker");

const text = (name: string) => project(name, [service("web")]);

async function whileItRuns(scene: ApplyScene, work: () => Promise<void>): Promise<void> {
  const { engine: { socket }, path } = scene;
  const as = ["-p", "calm-prod"];
  assert.equal(await composeToday(socket, path, ...as, "up", "-d"), "");
  try {
    await work();
  } finally {
    assert.equal(await composeToday(socket, path, ...as, "down", "--timeout", "1"), "");
  }
}

test("a project under another name blocks each plan of its group, until its file has that name", async (engine) => {
  if (composeOfToday.missing !== null) return console.error(`NOT RUN: ${composeOfToday.missing}`);
  await scene(engine, "calm", text("calm"), async (scene) => {
    const { berth, workspace, path } = scene;
    const blocked = async (action: string) => {
      const { blocked } = await scene.plan({ action });
      return blocked.map(({ code, message }) => [code, /write "name: calm-prod" into/.test(message)]);
    };
    await whileItRuns(scene, async () => {
      const told = [["project/other-name", true]];
      await eventually("it is seen, by its files", async () => (await blocked("up")).length > 0 || null);
      assert.deepEqual(await blocked("up"), told);
      await save(berth, workspace, `${path}/berth.yaml`, "projects: { calm-prod: calm }\n");
      for (const action of ["up", "stop", "restart", "down"]) {
        assert.deepEqual(await blocked(action), told, action);
      }

      await scene.write(text("calm-prod"));
      const group = `/api/workspaces/${workspace}/artifacts/groups/calm-prod/plan`;
      const plan = async (action: string) => (await berth.call(`POST ${group}`, { action })).body;
      const { blocked: none, steps } = await eventually("the new name is read", async () => {
        const body = await plan("up");
        return Array.isArray(body.steps) ? body : null;
      });
      assert.deepEqual([none, steps], [[], []], "it is what runs");
      const begun = await scene.begin(await plan("restart"));
      assert.equal(begun.status, 202, begun.text);
      assert.equal((await scene.over(begun.body.id)).state, "done");
    });
  });
});
