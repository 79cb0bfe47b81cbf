/** An apply in wrong hands, or before wrong eyes: nothing is asked of the engine that may not be. */
import assert from "node:assert/strict";
import type { RunningContainer } from "../../core/runtime.ts";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import type { ServiceOptions } from "../support/service.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { watched } from "./watched_acts.ts";
import { HEALTHY } from "./health_checks.ts";

const SICK = "healthcheck: { test: [CMD, 'false'], interval: 200ms, retries: 1 }";
const LEASE_MS = 500;

/** `BERTH_PROOF=1`: on each engine. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

/** A project that runs, with another file than it was made by. */
async function changed(scene: ApplyScene, text: string) {
  const { state, reason } = await scene.apply();
  assert.deepEqual([state, reason], ["done", null]);
  const before = await scene.containers();
  await scene.write(text);
  return before;
}

for (const kind of ["docker", "podman"] as const) {
  if (kind === "podman" && !isProof) continue; // the same code
  const { test } = await lawEngine(kind);

  test("a new container that starts again while it is taken away goes all the same, and the old one serves", async (engine) => {
    const name = `again${kind}`;
    const text = project(name, [service("web", HEALTHY)]);
    const refusals: string[] = [];
    let kept = "";
    const mount = watched(async (act, [id], go) => {
      if (act !== "remove" || id === kept || refusals.length > 0) return await go();
      // Starts it as a restart policy would, between a look and the removal.
      await engine.ask(`POST /containers/${id}/start`);
      return await go().catch((error) => {
        refusals.push(error.message);
        throw error;
      });
    });
    await scene(engine, name, text, async (scene) => {
      const before = await changed(scene, text.replace(HEALTHY, SICK));
      kept = before[`${name}-web-1`]!.id;
      const { state, reason } = await scene.apply();
      assert.equal(state, "failed");
      assert.match(reason ?? "", /the old container serves again$/);
      assert.equal(refusals.length, 1);
      assert.match(refusals[0]!, /running/);
      assert.deepEqual(await scene.containers(), before);
    }, { mount });
  });
}

const { test } = await sharedEngine("docker");

test("a replica that was held up beyond its lease asks the engine for nothing more (F105, F125)", async (engine) => {
  const name = "heldup";
  const text = project(name, [service("web", `environment: { C: red }\n${HEALTHY}`)]);
  const asked: string[] = [];
  let steal: (() => Promise<unknown>) | null = null;
  const mount = watched(async (act, [given], go) => {
    asked.push(act);
    const done = await go();
    if (act === "create" && String(given).includes(".new-") && steal !== null) {
      const work = steal;
      steal = null;
      await work();
      asked.length = 0;
    }
    return done;
  });
  await scene(engine, name, text, async (scene) => {
    const before = await changed(scene, text.replace("red", "blue"));
    const { applies } = scene.berth.berth.store;
    let taken = 0;
    steal = async () => {
      // Nothing of this process goes on, as if the machine had slept.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LEASE_MS);
      const lease = { owner: "another", until: Date.now() + 4 * LEASE_MS };
      taken = (await applies.takeOver(Date.now(), lease)).length;
    };
    const { body } = await scene.begin(await scene.plan());
    await eventually(
      "it is left",
      () => scene.berth.logged().some((line) => line.includes("An apply is left")),
    );
    assert.equal(taken, 1, "another one has it");
    assert.deepEqual(asked, []);
    assert.deepEqual((await scene.containers())[`${name}-web-1`], before[`${name}-web-1`]);
    // The other one says nothing more: it is taken back, and finished.
    const over = await scene.over(body.id);
    assert.deepEqual([over.state, over.reason], ["done", null]);
    assert.deepEqual(Object.keys(await scene.containers()), [`${name}-web-1`]);
  }, { mount, applyTimes: { leaseMs: LEASE_MS } });
});

test("an apply that another replica took over before its first look answers how it goes, and is cancelled", async (engine) => {
  const name = "takenearly";
  const text = project(name, [service("web", `environment: { C: red }\n${HEALTHY}`)]);
  let steal: (() => Promise<boolean>) | null = null;
  const mount: ServiceOptions["mount"] = ({ plugins: { runtime } }) => {
    if (runtime === null) throw new Error("the container runtime does not run");
    const all = runtime.containers.bind(runtime);
    // The containers that it looks at have moved.
    runtime.containers = async () => await steal?.() === true ? [] as RunningContainer[] : await all();
    return [];
  };
  await scene(engine, name, text, async (scene) => {
    const before = await changed(scene, text.replace("red", "blue"));
    const plan = await scene.plan();
    const { applies } = scene.berth.berth.store;
    steal = async () => {
      const lease = { owner: "another", until: Date.now() + 4 * LEASE_MS };
      const isTaken = (await applies.takeOver(Date.now() + 3_600_000, lease)).length === 1;
      if (isTaken) steal = null;
      return isTaken;
    };
    const begun = await scene.begin(plan);
    assert.deepEqual([begun.status, steal], [202, null], begun.text);
    // The other one says nothing more: it is taken back, and does nothing.
    assert.equal((await scene.over(begun.body.id)).state, "cancelled");
    assert.deepEqual(await scene.containers(), before);
    assert.deepEqual(scene.berth.bugs(), []);
  }, { mount, applyTimes: { leaseMs: LEASE_MS } });
});

test("what is to be replaced and is not seen for a moment is told at once, and nothing is done", async (engine) => {
  const name = "unseen";
  const text = project(name, [service("web", `environment: { C: red }\n${HEALTHY}`)]);
  let isHidden = false;
  const mount: ServiceOptions["mount"] = ({ plugins: { runtime } }) => {
    if (runtime === null) throw new Error("the container runtime does not run");
    const all = runtime.containers.bind(runtime);
    runtime.containers = async () => {
      const hides = isHidden;
      isHidden = false; // the next look sees it again
      return hides ? [] as RunningContainer[] : await all();
    };
    return [];
  };
  await scene(engine, name, text, async (scene) => {
    const before = await changed(scene, text.replace("red", "blue"));
    const plan = await scene.plan();
    isHidden = true;
    const refused = await scene.begin(plan);
    assert.deepEqual([refused.status, refused.body.code], [503, "engine_unavailable"]);
    assert.match(refused.body.title, /container "unseen-web-1" was not seen on engine "docker"; try again$/);
    assert.deepEqual(await scene.containers(), before);
    assert.equal((await scene.berth.call("GET /api/applies")).body.items.length, 1, "none was begun");
    const begun = await scene.begin(plan);
    assert.equal(begun.status, 202, begun.text);
    assert.equal((await scene.over(begun.body.id)).state, "done");
  }, { mount });
});
