/** An engine that is away lists nothing: no step of an apply takes that for "there is none". */
import assert from "node:assert/strict";
import { Backends } from "../../engines/links/backends.ts";
import { EngineRuntime } from "../../plugins/containers/runtime.ts";
import type { Hand } from "../../projects/apply/hand.ts";
import { judgedActs } from "../../projects/apply/judged_acts.ts";
import { type Ground, Orders } from "../../projects/apply/orders.ts";
import { waitForUnit } from "../../projects/apply/waiting.ts";
import type { Step } from "../../projects/plan/plan_shape.ts";
import { eventually } from "../support/eventually.ts";
import { quiet } from "../support/quiet_engine.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";
import { SILENT } from "../support/silent_log.ts";

const STEP = { n: 1, kind: "wait", target: "db: service_healthy", unit: "db" } as Step;

/** A wait for the service `db`, and a create, of an apply on an engine without any container. */
async function onEmptyEngine(
  work: (of: { wait(): Promise<void>; create(): Promise<unknown>; leave(): Promise<void> }) => Promise<void>,
): Promise<void> {
  await using engines = new AsyncDisposableStack();
  const engine = engines.use(new ScriptedEngine(quiet));
  const address = { kind: "unix", path: engine.socket } as const;
  await using backends = Backends.configured([{ name: "docker", guess: "docker", address }], SILENT);
  const runtime = new EngineRuntime(
    backends,
    { registries: null, logins: { find: () => undefined } } as never,
  );
  await runtime.settle();
  const unit = { id: "db", label: "db", references: [], paths: [], service: {}, value: null };
  const group = { name: "shop", project: "shop", units: [unit], resources: [], value: null, sources: [] };
  const model = { root: "/w", groups: [group], settings: { paths: [] } };
  const orders = new Orders({ apply: "a", backend: "docker", model, group, runtime } as unknown as Ground);
  orders.declared = () => ({ unit, group }) as never;
  const acts = runtime.acts("docker");
  const judged = judgedActs(acts, {
    orders,
    step: STEP,
    workspace: "w",
    lackingOf: () => Promise.resolve([]),
    named: new Set(),
  });
  const hand = { step: STEP, orders, acts, work: { timeouts: {} }, noted: {} } as unknown as Hand;
  await work({
    wait: () => waitForUnit({ ...hand, ending: AbortSignal.timeout(60_000) }),
    create: () => judged.create("shop-db-1", { image: "db" }),
    leave: async () => {
      await engines.disposeAsync();
      await eventually("the engine is away", () => Promise.resolve(runtime.backends()[0]?.state !== "up"));
    },
  });
}

Deno.test("A wait whose containers were removed fails, and one whose engine is away is not done (F82)", async () => {
  await onEmptyEngine(async ({ wait, leave }) => {
    await assert.rejects(wait(), {
      code: "apply_failed",
      message: /^Every container of the service "db" is gone$/,
    });
    await leave();
    await assert.rejects(wait(), { code: "engine_unavailable", message: /engine "docker" cannot be asked/ });
  });
});

Deno.test("A container whose engine lists nothing yet is waited for, and its step does not fail (F82)", async () => {
  await onEmptyEngine(async ({ create, leave }) => {
    await leave();
    await assert.rejects(create(), {
      code: "engine_unavailable",
      message: /engine "docker" cannot be asked/,
    });
  });
});
