/** An engine answers a start before it knows whether the container stays up: an apply looks once more before it is done. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { dieInApply } from "./apply_mortal.ts";
import { ApplyScene, project, scene, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";

const LOOP = service("loop", "restart: always", "[sh, -c, 'echo out of order; exit 7']");
/** The time that containers are watched for outside of tests. */
const REAL = { applyTimes: { judgedMs: 3_000 } };
/** Nobody waits for its end. */
const LONG = { applyTimes: { judgedMs: 600_000 } };

const areStepsDone = ({ steps }: Apply) => steps.every(({ state }) => state === "done");

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test(`${kind}: an apply names the containers that it started and that do not stay up`, async (engine) => {
    const name = `judged${kind}`;
    const text = project(name, [
      LOOP,
      service("idler"),
      service("once", "", "['true']"),
      service("ends", "", "[sh, -c, 'exit 3']"),
      service("migrate", "", "['true']"),
      service("after", "depends_on: { migrate: { condition: service_completed_successfully } }"),
    ]);
    await scene(engine, name, text, async (scene) => {
      const apply = await scene.apply();
      const found = apply.unstable.map(({ container, problem }) => [container, problem]);
      assert.deepEqual(found.toSorted(), [
        [`${name}-ends-1`, "ended"],
        [`${name}-loop-1`, "restarting"],
      ]);
      assert.deepEqual([apply.state, apply.reason], [
        "done",
        "1 container keeps restarting, and 1 container has ended",
      ]);
      assert.ok(areStepsDone(apply), "what is judged is no step");
      const ended = apply.unstable.find(({ problem }) => problem === "ended");
      const step = apply.steps.find(({ n }) => n === ended?.step);
      assert.equal(step?.note, `Container "${name}-ends-1" has ended, with code 3`);
      const events = await scene.events(apply.id);
      assert.deepEqual(events.at(-1), { kind: "end", state: "done", reason: apply.reason });
      const log = events.find(({ container }) => container === `${name}-loop-1`);
      assert.ok(log.lines.join("\n").includes("out of order"));
      const [summary] = (await scene.berth.call("GET /api/applies")).body.items;
      assert.equal(summary.reason, apply.reason);
    }, REAL);
  });

  test(`${kind}: an apply is well whose container starts at its second attempt, also when it is started again`, async (engine) => {
    const name = `judgedtwice${kind}`;
    const command = "[sh, -c, 'test -f /data/there || { touch /data/there; exit 1; }; exec idle']";
    const text = project(
      name,
      [service("web", "restart: on-failure\nvolumes: ['data:/data']", command)],
      "volumes: { data: {} }\n",
    );
    await scene(engine, name, text, async (scene) => {
      const first = await scene.apply();
      assert.deepEqual([first.state, first.reason, first.unstable], ["done", null, []]);
      await engine.cli("stop", `${name}-web-1`);
      const again = await eventually("it is seen", async () => {
        const plan = await scene.plan({ rerun: ["web"] });
        return plan.steps.length > 0 ? scene.apply({ rerun: ["web"] }) : null;
      });
      assert.deepEqual([again.state, again.reason], ["done", null]);
    }, REAL);
  });
}

const { test } = await sharedEngine("docker");

test("a cancel ends the judgement, and the apply says that nobody knows what became of its containers", async (engine) => {
  const name = "judgedcancel";
  await scene(engine, name, project(name, [service("web")]), async (scene) => {
    const { body: { id } } = await scene.begin(await scene.plan());
    await eventually("its steps are done", async () => {
      const { body } = await scene.berth.call(`GET /api/applies/${id}`);
      return areStepsDone(body);
    });
    await scene.berth.call(`POST /api/applies/${id}/cancel`);
    const { state, reason } = await scene.over(id);
    assert.equal(state, "cancelled");
    assert.match(reason ?? "", /^All steps are done\. It was cancelled before berth knew/);
    assert.equal((await scene.containers())[`${name}-web-1`]?.state, "running");
  }, LONG);
});

test("the judgement goes on after a kill of berth and an edit of the files, and after a stop", async (engine) => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
  const times = { applyTimes: { leaseMs: 1_000 }, folder };
  const name = "judgedkill";
  const first = await serveEngines({ docker: engine }, times);
  const admin = first.admin ?? "";
  const scene = await ApplyScene.on(engine, first, name, project(name, [LOOP]));
  try {
    await first.berth.stop();
    // Only the judgement asks for the last words of a container that was just made.
    const id = await dieInApply(scene, ["before", "lastWords"]);
    assert.ok(id !== null);
    await Deno.writeTextFile(`${scene.path}/compose.yaml`, project(name, [LOOP, service("more")]));

    const waiting = await serveEngines({ docker: engine }, {
      ...times,
      admin,
      applyTimes: { leaseMs: 1_000, ...LONG.applyTimes },
    });
    await eventually("it is taken up", async () => {
      const { body } = await waiting.call(`GET /api/applies/${id}`);
      return areStepsDone(body) && body.state === "running";
    });
    await waiting.stop();

    await using last = await serveEngines({ docker: engine }, { ...times, admin });
    const { state, reason, unstable } = await scene.over(id, last);
    assert.deepEqual([state, reason], ["done", "1 container keeps restarting"]);
    assert.deepEqual(unstable.map(({ container }) => container), [`${name}-loop-1`]);
    assert.deepEqual(
      Object.keys(await scene.containers()),
      [`${name}-loop-1`],
      "what no plan showed is not made",
    );
    assert.deepEqual(last.bugs(), []);
  } finally {
    await scene.clear();
    await Deno.remove(folder, { recursive: true });
  }
});
