/** Each remedy of a plan on a real engine: asked for, it removes its message. */
import assert from "node:assert/strict";
import type { Remedy } from "../../core/remedy.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { MESSY, messy } from "./messy_project.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestCaller } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const { test } = await sharedEngine("docker");

async function ask(caller: TestCaller, project: string, body: object): Promise<Plan> {
  const answer = await caller.call(`POST /api/projects/${project}/plan`, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const LISTS: readonly string[] = ["units", "rerun", "volumes"];

/** Returns the request with the remedy's option, as a client would write it. */
function asked({ field, value }: Extract<Remedy, { kind: "plan" }>): object {
  if (value === null) return {};
  return { [field]: LISTS.includes(field) ? [value] : value };
}

test("each remedy of a plan removes its message when it is asked for", async (engine) => {
  await using berth = await serveEngines({ docker: engine, nas: { socket: "/nowhere/berth-test.sock" } });
  await using project = await messy(engine, berth, "messy");
  const plan = await eventually("all of it is seen", async () => {
    const plan = await ask(berth, "messy", {});
    return plan.warnings.length >= MESSY.length ? plan : null;
  });
  const found = plan.warnings.map(({ code, remedies }) => [code, remedies]);
  assert.deepEqual(
    Object.fromEntries(found.map(([code, remedies]) => [code, remedies])),
    Object.fromEntries(MESSY.map(({ code, remedy }) => [code, [remedy]])),
  );
  for (const { code, remedy } of MESSY) {
    if (remedy.kind === "plan") {
      const again = await ask(berth, "messy", asked(remedy));
      assert.deepEqual(again.warnings.filter((one) => one.code === code), [], code);
    }
  }

  await project.never();
  const blocked = await ask(berth, "messy", { pull: "never" });
  const [absent] = blocked.blocked;
  assert.deepEqual([absent?.code, absent?.remedies], ["project/image-absent", [
    { kind: "plan", field: "pull", value: null },
  ]]);
  assert.deepEqual((await ask(berth, "messy", {})).blocked, []);
  const apply = await berth.call(`POST /api/plans/${blocked.id}/apply`, {});
  assert.deepEqual([apply.status, apply.body.code, apply.body.remedies], [
    409,
    "plan_blocked",
    absent?.remedies,
  ]);

  const volumes = await berth.call("POST /api/projects/messy/plan", { volumes: ["messy_data"] });
  assert.equal(volumes.status, 400);
  assert.deepEqual(volumes.body.remedies, [
    { kind: "plan", field: "volumes", value: null },
    { kind: "plan", field: "action", value: "down" },
  ]);
});

test("a project of which an engine is away names each engine that answers", async (engine) => {
  await using berth = await serveEngines({ docker: engine, nas: { socket: "/nowhere/berth-test.sock" } });
  await using _ = await messy(engine, berth, "away", { isStarted: false });
  const plan = await ask(berth, "away", {});
  assert.deepEqual(plan.blocked.map(({ code, remedies }) => [code, remedies]), [
    ["project/several-engines", [{ kind: "plan", field: "backend", value: "docker" }]],
  ]);
  assert.deepEqual((await ask(berth, "away", { backend: "docker" })).blocked, []);

  const gone = await berth.call("POST /api/projects/away/plan", { backend: "nas" });
  assert.deepEqual([gone.status, gone.body.code], [503, "engine_unavailable"]);
  assert.deepEqual(gone.body.remedies, [{ kind: "plan", field: "backend", value: "docker" }]);
  const none = await berth.call("POST /api/projects/away/plan", { backend: "elsewhere" });
  assert.deepEqual(none.body.remedies, [{ kind: "plan", field: "backend", value: "docker" }]);
});
