/** An update whose berth is killed between the pull and the swap ends as it would have without that. */
import assert from "node:assert/strict";
import { serveEngines } from "../support/service.ts";
import { lawEngine, proofEngine } from "../support/shared_engine.ts";
import { startReachableRegistry } from "../support/reachable_registry.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { dieInApply, type Kill } from "./apply_mortal.ts";
import { lookedAt, lookFor, pushVersion } from "./update_scene.ts";

const KILL: Kill = ["after", "pull"];

for (const kind of ["docker", "podman"] as const) {
  for (const isBroken of [true, false]) {
    const { test } = await (isBroken ? lawEngine(kind) : proofEngine(kind));
    const how = isBroken ? "goes back to the old image and its name" : "runs the new image";
    test(`an update whose berth was killed right ${KILL.join(" ")} ${how}`, async (engine) => {
      await using registry = await startReachableRegistry({}, engine);
      const reference = `${registry.host}/app:1`;
      await pushVersion(engine, registry, "app:1", "1");
      const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-update-" }));
      await using stack = new AsyncDisposableStack();
      stack.defer(() => Deno.remove(folder, { recursive: true }));
      const options = { folder, applyTimes: { leaseMs: 1_000 } };
      const first = await serveEngines({ [engine.kind]: engine }, options);
      const name = `updatekill${isBroken ? "back" : "on"}${kind}`;
      const text = project(name, [service("web").replace("berth-fixture:latest", reference)]);
      const scene = await ApplyScene.on(engine, first, name, text);
      stack.defer(() => scene.clear());
      const imageOf = async () => (await engine.ask(`GET /images/${reference}/json`)).json.Id;
      assert.equal((await scene.apply()).state, "done");
      const before = await imageOf();
      await lookFor(first, registry);
      await pushVersion(engine, registry, "app:1", "2", isBroken ? ['ENTRYPOINT ["/none"]'] : []);
      const { candidates: [{ digest }] } = await lookedAt(first, reference);
      await first.berth.stop();

      await dieInApply(scene, KILL, { ask: { action: "update" } });

      assert.notEqual(await imageOf(), before, "it was pulled");
      await using last = await serveEngines({ [engine.kind]: engine }, { ...options, admin: first.admin! });
      const { id } = (await last.call("GET /api/applies")).body.items[0];
      const { state } = await scene.over(id, last);
      const [[at, web], ...others] = Object.entries(await scene.containers()) as [
        [string, Web],
        ...unknown[],
      ];
      assert.deepEqual([at, web.state, others], [`${name}-web-1`, "running", []]);
      assert.deepEqual(
        [state, web.labels["version"], await imageOf() === before],
        isBroken ? ["failed", "1", true] : ["done", "2", false],
      );
      const [told] = (await last.call("GET /api/updates?state=newer")).body.items;
      assert.deepEqual(
        [told?.candidates[0].digest, told?.candidates[0].failed.apply],
        isBroken ? [digest, id] : [undefined, undefined],
      );
      const plan = { action: isBroken ? "update" : "up" };
      const next = await last.call(`POST /api/projects/${name}@${scene.workspace}/plan`, plan);
      assert.deepEqual(next.body.steps, [], "nothing is left to do");
      assert.deepEqual(last.bugs(), []);
    });
  }
}

interface Web {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
}
