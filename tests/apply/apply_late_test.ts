/** Acts that an engine does after the end of their apply: they are told, and the next plan deals with them. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { ApplyScene, project, scene, service } from "./apply_scene.ts";
import { type ChaosProxy, chaosProxy } from "../proof/chaos_proxy.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { HEALTHY } from "./health_checks.ts";

const SICK = "healthcheck: { test: [CMD, 'false'], interval: 200ms, retries: 1 }";

/** The first request of these is late; what is asked again is done at once. */
function firstLate(proxy: ChaosProxy, request: RegExp): () => boolean {
  let met = false;
  proxy.set({ late: true, only: (head) => !met && (met = request.test(head)) });
  return () => met;
}

/** Of a berth that reaches the engine through a proxy of its own. */
async function throughProxy(
  engine: TestEngine,
  name: string,
  text: string,
  work: (scene: ApplyScene, proxy: ChaosProxy) => Promise<void>,
): Promise<void> {
  await using proxy = chaosProxy(engine.socket);
  const behind = { ...engine, socket: proxy.socket };
  await scene(behind, name, text, (scene) => work(scene, proxy), { applyTimes: { awayMs: 1_500 } });
}

const isOver = ({ state, reason }: Apply) => assert.deepEqual([state, reason], ["done", null]);

const steps = (plan: { readonly steps: readonly { kind: string; target: string }[] }) =>
  plan.steps.map(({ kind, target }) => `${kind} ${target.replace(/-[0-9a-f]{8}$/, "")}`);

/** `BERTH_PROOF=1`: on each engine. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

for (const kind of ["docker", "podman"] as const) {
  if (kind === "podman" && !isProof) continue; // the same code
  const { test } = await lawEngine(kind);

  test("a new container that is made after its swap is over is told, taken away, and takes nobody's place (F105)", async (engine) => {
    const name = `latenew${kind}`;
    const text = project(name, [
      service("web", `volumes: ['/scratch']\nenvironment: { C: red }\n${HEALTHY}`),
    ]);
    await throughProxy(engine, name, text, async (scene, proxy) => {
      isOver(await scene.apply());
      await scene.write(text.replace("red", "blue"));
      const wasLate = firstLate(proxy, /^POST \S+\/containers\/create\?\S*\.new-/);
      isOver(await scene.apply());
      assert.ok(wasLate());
      const before = await scene.containers();
      assert.deepEqual(Object.keys(before), [`${name}-web-1`]);

      proxy.set({});

      const plan = await eventually("it turns up", async () => {
        const plan = await scene.plan();
        return plan.steps.length > 0 ? plan : null;
      });
      assert.deepEqual(steps(plan), [`container.remove ${name}-web-1.new`]);
      assert.deepEqual(plan.steps[0]?.why, [{ code: "leftOver" }]);
      const live = await scene.berth.call(
        `GET /api/workspaces/${scene.workspace}/artifacts/units/${name}.web`,
      );
      assert.match(JSON.stringify(live.body.live), /\.new-/, "drift tells of it");
      isOver(await scene.apply());
      assert.deepEqual(await scene.containers(), before);
      assert.deepEqual((await scene.plan()).steps, []);
    });
  });

  test("a container that is made after its apply was given up is finished and started by the next one", async (engine) => {
    const name = `latemade${kind}`;
    const services = [service("net", "networks: [default, back]"), service("web", "configs: [word]")];
    const text = project(
      name,
      services,
      "networks: { back: {} }\nconfigs: { word: { content: 'as it is' } }\n",
    );
    await throughProxy(engine, name, text, async (scene, proxy) => {
      proxy.set({ late: true, only: (head) => /^POST \S+\/containers\/create/.test(head) });
      const { body } = await scene.begin(await scene.plan());
      assert.equal((await scene.over(body.id)).state, "paused");
      assert.equal((await scene.berth.call(`POST /api/applies/${body.id}/abandon`)).status, 200);
      assert.equal((await scene.over(body.id)).state, "cancelled");
      assert.deepEqual(await scene.containers(), {});

      proxy.set({});

      const both = [`${name}-net-1`, `${name}-web-1`];
      await eventually(
        "they turn up",
        async () => Object.keys(await scene.containers()).join() === both.join(),
      );
      await eventually("they are seen", async () => !steps(await scene.plan()).join().includes("create"));
      isOver(await scene.apply());
      assert.deepEqual(Object.keys(await scene.containers()), both);
      assert.equal(await scene.engine.cli("exec", `${name}-web-1`, "cat", "/word"), "as it is");
      const { json } = await scene.engine.ask(`GET /containers/${name}-net-1/json`);
      assert.deepEqual(Object.keys(json.NetworkSettings.Networks).sort(), [
        `${name}_back`,
        `${name}_default`,
      ]);
      assert.deepEqual((await scene.plan()).steps, []);
    });
  });

  test("a container that was left aside by an apply whose id is all digits gets its own name, and not theirs", async (engine) => {
    const name = `latedigits${kind}`;
    const text = project(name, [service("web", `environment: { C: red }\n${HEALTHY}`)]);
    await scene(engine, name, text, async (scene) => {
      isOver(await scene.apply());
      await engine.cli("rename", `${name}-web-1`, `${name}-web-1.old-32119690`);
      await scene.write(text.replace("red", "blue"));
      await eventually(
        "it is seen",
        async () => (await scene.plan()).steps.some(({ target }) => target.includes(".old-")),
      );
      isOver(await scene.apply());
      assert.deepEqual(Object.keys(await scene.containers()), [`${name}-web-1`]);
      assert.deepEqual((await scene.plan()).steps, []);
    });
  });

  test("an old container that is put aside after it came back has its name again by the next apply (F105)", async (engine) => {
    const name = `lateold${kind}`;
    const text = project(name, [
      service("web", `volumes: ['/scratch']\nenvironment: { C: red }\n${HEALTHY}`),
    ]);
    await throughProxy(engine, name, text, async (scene, proxy) => {
      isOver(await scene.apply());
      const before = await scene.containers();
      await scene.write(text.replace(HEALTHY, SICK));
      const wasLate = firstLate(proxy, /^POST \S+\/rename\?\S*\.old-/);
      const failed = await scene.apply();
      assert.deepEqual([failed.state, wasLate()], ["failed", true]);
      assert.match(failed.reason ?? "", /the old container serves again$/);
      assert.deepEqual(await scene.containers(), before);

      proxy.set({});

      await eventually(
        "it is aside",
        async () => Object.keys(await scene.containers()).join().includes(".old-"),
      );
      await scene.write(text.replace("red", "blue"));
      const plan = await eventually("it is seen", async () => {
        const plan = await scene.plan();
        return plan.steps.some(({ target }) => target.includes(".old-")) ? plan : null;
      });
      assert.deepEqual(steps(plan), [`container.swap ${name}-web-1.old`]);
      assert.ok(plan.steps[0]?.why.some(({ code }) => code === "leftOver"));
      isOver(await scene.apply());
      const after = await scene.containers();
      assert.deepEqual(Object.keys(after), [`${name}-web-1`]);
      assert.deepEqual(after[`${name}-web-1`]?.volumes, before[`${name}-web-1`]?.volumes, "with its data");
      assert.deepEqual((await scene.plan()).steps, []);
    });
  });
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("an old container that is left beside the new one goes, although another one still shares its network", async (engine) => {
    const name = `lateshared${kind}`;
    const text = project(name, [service("db"), service("side", "network_mode: 'service:db'")]);
    await scene(engine, name, text, async (scene) => {
      isOver(await scene.apply());
      const [db, old] = [`${name}-db-1`, `${name}-db-1.old-abcdef12`];
      const { json } = await engine.ask(`GET /containers/${db}/json`);
      const labels = Object.entries(json.Config.Labels).flatMap((
        [key, value],
      ) => ["--label", `${key}=${value}`]);
      await engine.cli("rename", db, old);
      await engine.cli("run", "-d", "--name", db, ...labels, "berth-fixture:latest", "idle");
      await eventually(
        "it is seen",
        async () => (await scene.plan()).steps.some(({ target }) => target.includes(".old-")),
      );

      isOver(await scene.apply());

      const { [db]: now, [`${name}-side-1`]: side, ...others } = await scene.containers();
      assert.deepEqual([others, now?.state, side?.state], [{}, "running", "running"]);
      const shares = (await engine.ask(`GET /containers/${side?.id}/json`)).json.HostConfig.NetworkMode;
      assert.equal(shares, `container:${now?.id}`);
      assert.deepEqual((await scene.plan()).steps, []);
    });
  });
}
