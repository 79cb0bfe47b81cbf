/** Each unit waits for its own conditions alone, and for no more than Compose waits for. */
import assert from "node:assert/strict";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";

const { test } = await sharedEngine("docker");

const untilThere = (path: string) => `until test -e ${path}; do sleep 0.1; done`;
const held = `healthcheck: { test: [CMD-SHELL, '${untilThere("/flag/go")}'], interval: 200ms }`;
const FLAG = "volumes: ['flag:/flag']";

/** The database becomes healthy only by a job beside it, and ends only by a job that waits for its health. */
const MONGO = (name: string) =>
  project(name, [
    service("mongo", `${FLAG}\n${held}`, `[sh, -c, '${untilThere("/flag/end")}']`),
    service("app", `${FLAG}\ndepends_on: { mongo: { condition: service_healthy } }`, "[touch, /flag/end]"),
    service("init", `${FLAG}\ndepends_on: [mongo]`, "[touch, /flag/go]"),
    service("late", "depends_on: { mongo: { condition: service_completed_successfully } }"),
  ], "volumes: { flag: {} }\n");

const OPTIONAL = "required: false, condition";
/** The app needs none of those: one is unhealthy, one ends badly, and one is not enabled. */
const SICK = (name: string) =>
  project(name, [
    service("sick", "healthcheck: { test: [CMD, 'false'], interval: 200ms, retries: 1 }"),
    service("job", "", "[sh, -c, 'exit 3']"),
    service("gone", "profiles: [extra]"),
    service(
      "app",
      `depends_on:\n  sick: { ${OPTIONAL}: service_healthy }\n` +
        `  job: { ${OPTIONAL}: service_completed_successfully }\n  gone: { ${OPTIONAL}: service_healthy }`,
    ),
    // Nobody enables it, so nobody waits for it.
    service("tool", "profiles: [extra]\ndepends_on: { sick: { condition: service_healthy } }"),
  ]);

/** Brings it up with Compose; returns its complaint and the states, and takes it down with its volumes. */
async function byCompose(scene: ApplyScene): Promise<unknown> {
  const { engine, path } = scene;
  const complaint = await composeToday(engine.socket, path, "up", "-d");
  const states = await statesOf(scene);
  assert.equal(await composeToday(engine.socket, path, "down", "--volumes", "--timeout", "1"), "");
  return { complaint, states };
}

async function statesOf(scene: ApplyScene): Promise<Record<string, string>> {
  const all = Object.entries(await scene.containers());
  return Object.fromEntries(all.map(([name, { state }]) => [name.slice(scene.name.length + 1), state]));
}

/** Returns the services in the order in which their containers started, and where the database ended. */
async function courseOf({ engine, name }: ApplyScene): Promise<string[]> {
  const moments: [string, number][] = [];
  for (const service of ["mongo", "app", "init", "late"]) {
    const { json: { State } } = await engine.ask(`GET /containers/${name}-${service}-1/json`);
    moments.push([service, Date.parse(State.StartedAt)]);
    if (service === "mongo") moments.push(["its end", Date.parse(State.FinishedAt)]);
  }
  return moments.sort(([, a], [, b]) => a - b).map(([what]) => what);
}

const COURSE = ["mongo", "init", "app", "its end", "late"];

test("a unit that makes its dependency healthy starts beside those that wait for that, as with Compose", async (engine) => {
  await scene(engine, "mongo", MONGO("mongo"), async (scene) => {
    if (composeOfToday.missing === null) {
      const states = { "app-1": "exited", "init-1": "exited", "late-1": "running", "mongo-1": "exited" };
      assert.deepEqual(await byCompose(scene), { complaint: "", states });
    }
    const plan = await scene.plan();
    const waits = plan.steps.filter(({ kind }) => kind === "wait").map(({ target }) => target);
    assert.deepEqual(waits, ["mongo: service_healthy", "mongo: service_completed_successfully"]);
    const { body } = await scene.begin(plan, { timeouts: { healthy: 10, completed: 10 } });
    const { state, reason } = await scene.over(body.id);
    assert.deepEqual([state, reason], ["done", null]);
    assert.deepEqual(await courseOf(scene), COURSE);
  });
});

test("an optional dependency that is unhealthy, fails or is not enabled stops nobody, as with Compose", async (engine) => {
  await scene(engine, "sick", SICK("sick"), async (scene) => {
    const states = { "app-1": "running", "job-1": "exited", "sick-1": "running" };
    if (composeOfToday.missing === null) {
      assert.deepEqual(await byCompose(scene), { complaint: "", states });
    }
    const plan = await scene.plan();
    const waits = plan.steps.filter(({ kind }) => kind === "wait");
    assert.deepEqual(waits.map(({ target, optional }) => [target, optional]), [
      ["sick: service_healthy", true],
      ["job: service_completed_successfully", true],
    ]);
    const { body } = await scene.begin(plan);
    const apply = await scene.over(body.id);
    assert.deepEqual(await statesOf(scene), states);
    assert.deepEqual(
      apply.steps.filter(({ kind }) => kind === "wait").map(({ state, note }) => [state, note]),
      [
        ["skipped", 'Container "sick-sick-1" is unhealthy, which is not required'],
        ["skipped", 'Container "sick-job-1" ended with code 3, which is not required'],
      ],
    );
    // A container that ended badly is told all the same.
    assert.deepEqual([apply.state, apply.unstable.map(({ container }) => container)], ["done", [
      "sick-job-1",
    ]]);

    await scene.write(SICK("sick").replace(`sick: { ${OPTIONAL}`, "sick: { condition"));
    await engine.cli("rm", "--force", "sick-app-1", "sick-sick-1");
    const { state, reason } = await scene.apply();
    assert.deepEqual([state, reason], ["failed", 'Container "sick-sick-1" is unhealthy']);
    if (composeOfToday.missing === null) {
      await engine.cli("rm", "--force", "sick-app-1", "sick-sick-1");
      assert.match(await composeToday(engine.socket, scene.path, "up", "-d"), /sick-sick-1 is unhealthy/);
    }
  });
});
