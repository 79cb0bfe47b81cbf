/** An engine that is away lists nothing: no step of an apply takes that for "there is none". */
import assert from "node:assert/strict";
import type { EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
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
import { workspaceFolder } from "../support/workspace_folder.ts";
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

Deno.test("A container that was just made stays where nobody can say if its folders may be mounted", async () => {
  await using folder = await workspaceFolder({ "compose.yaml": "services: { db: { image: db } }\n" });
  const model = await folder.read();
  const source = `${model.root}/a`;
  await Deno.symlink("/etc", source); // out of the workspace
  for (const [at, isRemoved] of [["engine", false], ["store", false], ["nothing", true]] as const) {
    const asked: string[] = [];
    let looks = 0;
    const runtime = {
      backends: () => [{ name: "docker", kind: "docker" }],
      unheard: () => new Map(at === "engine" && ++looks > 3 ? [["docker", "busy"]] : []),
      containers: () => Promise.resolve([]),
      holdings: () => Promise.resolve({ ports: [], networks: [], volumes: [], boundPaths: [], images: [] }),
      sightOf: () => Promise.resolve("same"),
    };
    const ground = { apply: "a", backend: "docker", model, group: model.groups[0], runtime };
    const mounts = [{ type: "bind", source, target: "/x", options: [] }];
    const acts = {
      isAway: () => false,
      find: () => Promise.resolve({ id: "c1", name: "shop-db-1", state: "created", mounts }),
      start: () => Promise.resolve(void asked.push("start")),
      remove: () => Promise.resolve(void asked.push("remove")),
    } as unknown as EngineActs;
    const judged = judgedActs(acts, {
      orders: new Orders(ground as unknown as Ground),
      step: STEP,
      workspace: "w",
      lackingOf: (needs) =>
        at === "store"
          ? Promise.reject(new ServiceError("store_unavailable", "away"))
          : Promise.resolve(needs),
      named: new Set(),
    });
    await assert.rejects(judged.start("c1"));
    assert.deepEqual(asked, isRemoved ? ["remove"] : [], at);
  }
});

Deno.test("A file that is saved while an older container starts stops that one, and removes none but a new one", async () => {
  await using folder = await workspaceFolder({
    "compose.yaml": "services: { db: { image: db } }\n",
    "db.conf": "",
  });
  const model = await folder.read();
  const source = `${model.root}/db.conf`;
  const cgroup = await Deno.readTextFile("/proc/self/cgroup");
  const id = cgroup.trim().split("\n")[0] ?? "";
  for (const [state, ends] of [["exited", ["stop"]], ["created", ["stop", "remove"]]] as const) {
    const asked: string[] = [];
    const runtime = {
      backends: () => [{ name: "docker", kind: "docker" }],
      unheard: () => new Map(),
      containers: () => Promise.resolve([]),
      holdings: () => Promise.resolve({ ports: [], networks: [], volumes: [], boundPaths: [], images: [] }),
      sightOf: () => Promise.resolve("same"),
    };
    const ground = { apply: "a", backend: "docker", model, group: model.groups[0], runtime };
    // This process stands for its container: it sees the file at its own path.
    const found = {
      id,
      name: "shop-db-1",
      state,
      pid: Deno.pid,
      mounts: [{ type: "bind", source, target: source, options: [] }],
    };
    const acts = {
      isAway: () => false,
      find: () => Promise.resolve(found),
      // An editor that writes a new file and renames it.
      start: async () => {
        await folder.write({ "db.conf.new": "" });
        await Deno.rename(`${source}.new`, source);
      },
      kill: () => Promise.resolve(),
      stop: () => Promise.resolve(void asked.push("stop")),
      remove: () => Promise.resolve(void asked.push("remove")),
    } as unknown as EngineActs;
    const judged = judgedActs(acts, {
      orders: new Orders(ground as unknown as Ground),
      step: { ...STEP, kind: "container.swap" },
      workspace: "w",
      lackingOf: (needs) => Promise.resolve(needs),
      named: new Set(),
    });
    await assert.rejects(judged.start(id), { message: /was exchanged while it started$/ });
    assert.deepEqual(asked, ends, state);
  }
});
