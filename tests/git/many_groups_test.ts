/** A push beside 200 running projects: the one that it changes is told with its reason and line, and no other container moves. */
import assert from "node:assert/strict";
import { project, service } from "../apply/apply_scene.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { eventually } from "../support/eventually.ts";
import { hasGit } from "../support/git_server.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { proofEngine } from "../support/shared_engine.ts";
import { SourceScene } from "./source_scene.ts";

const missing = hasGit() ? null : "git is not installed";
const GROUPS = 200;
const AT_ONCE = 4;
const names = Array.from({ length: GROUPS }, (_, index) => `g${String(index).padStart(3, "0")}`);
/** Without a network: Docker has addresses for 30 of them. */
const one = (name: string, value: string) =>
  project(name, [service("web", `environment:\n  A: '${value}'\nnetwork_mode: none`)]);

const { test } = await proofEngine("docker");

test(
  "a push that changes one of 200 groups is listed with its reason and line, and its apply moves no other container",
  async (engine) => {
    const files = Object.fromEntries(names.map((name) => [`${name}/compose.yaml`, one(name, "1")]));
    await using scene = await SourceScene.with(files, {
      here: files,
      start: () => serveEngines({ here: engine }),
    });
    const { berth, id } = scene;
    const planOf = async (name: string): Promise<Plan> => {
      const plan = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/${name}/plan`);
      assert.equal(plan.status, 201, plan.text);
      return plan.body;
    };
    const waiting = [...names];
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        await done(berth, (await planOf(name)).id);
      }
    }));
    const containers = async () =>
      Object.fromEntries(
        (await engine.cli("ps", "--no-trunc", "--format", "{{.Names}} {{.ID}}")).split("\n")
          .map((line) => line.split(" ") as [string, string]).sort(),
      );
    const before = await containers();
    assert.equal(Object.keys(before).length, GROUPS);
    const { head } = await scene.follow();
    await sync(scene, head!);

    const chosen = "g123";
    const next = await scene.repository.push({ [`${chosen}/compose.yaml`]: one(chosen, "2") }, "another A");
    const { pending } = await scene.check();
    const file = `${chosen}/compose.yaml`;
    assert.deepEqual(pending?.groups, [
      { name: chosen, project: chosen, change: "changed", files: [file], file, line: 8 },
    ]);
    assert.deepEqual(pending?.commits.map(({ subject }) => subject), ["another A"]);
    await sync(scene, next);
    const plan = await planOf(chosen);
    assert.deepEqual(reasonsOf(plan), [["field", "environment.A", file, 8]]);
    await done(berth, plan.id);

    const after = await containers();
    const moved = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
    assert.deepEqual(moved, [`${chosen}-web-1`]);
    assert.match(await engine.cli("inspect", `${chosen}-web-1`, "--format", "{{.Config.Env}}"), /\bA=2\b/);
  },
  missing,
);

/** The reasons of all steps: code, field, file and line. */
const reasonsOf = ({ steps }: Plan) =>
  steps.flatMap(({ why }) => why).map((reason) =>
    reason.code === "field"
      ? [reason.code, reason.field, reason.at.file, reason.at.range.start.line]
      : [reason.code]
  );

async function sync({ berth, id }: SourceScene, commit: string): Promise<void> {
  const answer = await berth.call(`POST /api/workspaces/${id}/source/sync`, { commit });
  assert.equal(answer.body.state, "synced", answer.text);
}

/** Applies a plan, and returns at its end. */
async function done(berth: TestService, plan: string): Promise<void> {
  const begun = await berth.call(`POST /api/plans/${plan}/apply`);
  assert.equal(begun.status, 202, begun.text);
  const { state, reason } = await eventually("the apply is over", async () => {
    const { body } = await berth.call(`GET /api/applies/${begun.body.id}`);
    return body.state === "running" ? null : body;
  }, { timeoutMs: 120_000, everyMs: 200 });
  assert.equal(state, "done", reason ?? "");
}
