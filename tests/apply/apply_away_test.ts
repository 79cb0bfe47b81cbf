/** An engine that goes away in a hook of a swap, of an apply that has failed or is cancelled: the swap waits for it. */
import assert from "node:assert/strict";
import type { EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import type { ServiceOptions } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const { test } = await sharedEngine("docker");

const away = new ServiceError("engine_unavailable", 'The engine "docker" does not answer');

/** Of a service whose engine goes away in the hook `sleep`, once `leave` is called. */
function leaving() {
  const [inHook, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isAway = false;
  const mount: NonNullable<ServiceOptions["mount"]> = ({ plugins: { runtime } }) => {
    assert.ok(runtime !== null);
    const acts = runtime.acts.bind(runtime);
    const around = (target: EngineActs, key: string | symbol) => {
      const value = Reflect.get(target, key);
      if (key === "isAway") return (error: unknown) => error === away || target.isAway(error);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]) => {
        if (key === "run") {
          const [, hook] = given as Parameters<EngineActs["run"]>;
          if (hook.command[0] === "sleep") {
            await hook.starting();
            inHook.resolve();
            await left.promise;
            isAway = true;
          }
        }
        if (isAway) throw away;
        return await value.apply(target, given);
      };
    };
    runtime.acts = (backend) => new Proxy<EngineActs>(acts(backend), { get: around });
    return [];
  };
  return {
    mount,
    inHook: inHook.promise,
    leave: () => left.resolve(),
    comeBack: () => void (isAway = false),
  };
}

const text = (name: string, web: string, other: string) =>
  project(name, [service("web", web), service("other", other)]);

const hook = (command: string) => `post_start: [{ command: [${command}] }]`;

for (const cause of ["cancelled", "failed"] as const) {
  test(`an apply that is ${cause} while its engine goes away in a hook of a swap waits with that swap`, async (engine) => {
    const name = `away${cause}`;
    const { mount, inHook, leave, comeBack } = leaving();
    const work = async (scene: ApplyScene) => {
      const { berth } = scene;
      assert.equal((await scene.apply()).state, "done");
      const before = await scene.ids();
      await scene.write(text(name, hook("sleep, '1'"), cause === "failed" ? hook("'false'") : ""));
      const { body: { id } } = await scene.begin(await scene.plan());
      await inHook;
      if (cause === "cancelled") await berth.call(`POST /api/applies/${id}/cancel`);
      else {
        await eventually("the other swap has failed", async () => {
          const { steps }: Apply = (await berth.call(`GET /api/applies/${id}`)).body;
          return steps.some(({ kind, state }) => kind === "container.swap" && state === "failed");
        });
      }
      leave();

      const waits = await scene.over(id);

      assert.equal(waits.state, "paused", waits.reason ?? "");
      const reason = {
        cancelled: /does not answer$/,
        failed: /"false".*Nobody knows whether the hook "sleep 1"/,
      };
      assert.match(waits.reason ?? "", reason[cause]);
      const half = Object.keys(await scene.ids()).join();
      assert.match(half, /-web-1\.old-/, "the old one is put aside");
      await eventually("health says that a swap waits", async () => {
        const { applies } = (await berth.call("GET /api/health")).body.checks;
        return applies.status === "degraded" && applies.reason.includes("was interrupted and waits");
      });
      comeBack();
      await berth.call(`POST /api/applies/${id}/cancel`);
      assert.equal((await scene.over(id)).state, "cancelled");
      const after = await scene.containers();
      assert.deepEqual(await scene.ids(), before, "the old ones are back");
      assert.deepEqual(Object.values(after).map(({ state }) => state), ["running", "running"]);
    };
    const applyTimes = { leaseMs: 1_000, awayMs: 1_000 };
    await scene(engine, name, text(name, "", ""), work, { mount, applyTimes });
  });
}
