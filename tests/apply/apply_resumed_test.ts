/** Runs that go on from a journal in which steps have failed or hooks are in doubt, on an engine of a test's own. */
import assert from "node:assert/strict";
import type { EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { StepLine } from "../../projects/apply/journal.ts";
import type { Ground } from "../../projects/apply/orders.ts";
import { declaredNow, digestOf } from "../../projects/plan/looked.ts";
import type { Work } from "../../projects/apply/work.ts";
import type { Step } from "../../projects/plan/plan_shape.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { ListedRun } from "./listed_run.ts";

const FILE = `services:
  web: { image: web, post_start: [{ command: [migrate] }] }
  other: { image: other }
`;
const HOOK: NonNullable<Step["hook"]> = {
  when: "postStart",
  index: 0,
  command: ["migrate"],
  user: "",
  privileged: false,
  workingDir: "",
  environment: [],
};
const CODE_3 = { code: "apply_failed", title: "The hook ended with code 3" } as const;

type Seen = { -readonly [Key in keyof InspectedContainer]: InspectedContainer[Key] };

/** An engine with containers that tells what it was asked to change. */
class World {
  readonly asked: string[] = [];
  readonly #containers: Seen[] = [];
  /** The name of a container that cannot be started. */
  refused = "";
  /** The names of containers that cannot be removed. */
  kept: readonly string[] = [];
  /** Called at each removal that is refused. */
  keeping: () => void = () => {};
  /** Called at each look at a container's health. */
  looking: () => void = () => {};

  hold(id: string, name: string, state: "exited" | "running", mark = ""): this {
    const one = {
      id,
      name,
      state,
      exitCode: 0,
      health: null,
      restartCount: 0,
      startedAt: "2026",
      mounts: [],
      undeclarable: [],
    };
    const modes = { networkMode: "bridge", ipcMode: "", pidMode: "", utsMode: "", networks: [] };
    const labels = mark === "" ? {} : { "dev.berth.apply": mark };
    this.#containers.push({ ...one, ...modes, labels, restart: { name: "no", maximumRetries: 0 } } as never);
    return this;
  }

  states(): string[] {
    return this.#containers.map(({ name, state }) => `${name} ${state}`);
  }

  /** Makes a container healthy that is looked at so often. */
  healthyAfter(id: string, looks: number): this {
    const one = this.#containers.find((one) => one.id === id)!;
    let left = looks;
    Object.defineProperty(one, "health", { get: () => left-- > 0 ? "starting" : "healthy" });
    return this;
  }

  /** Returns the containers as a runtime lists them. */
  listed(): readonly unknown[] {
    const compose = { project: "shop", service: "web" };
    return this.#containers.map(({ id, name, labels }) => ({
      id,
      name,
      labels,
      compose,
      createdAt: "",
      backend: "docker",
    }));
  }

  acts(): EngineActs {
    const find = (id: string) => this.#containers.find((one) => one.id === id || one.name === id) ?? null;
    const become = (act: string, id: string, state: "exited" | "running") => {
      this.asked.push(`${act} ${find(id)?.name}`);
      if (find(id)?.name === this.refused) throw new ServiceError("apply_failed", "Its port is taken");
      find(id)!.state = state;
    };
    return {
      isAway: () => false,
      find: (id) => Promise.resolve(find(id)),
      imageId: () => Promise.resolve("sha256:1"),
      lastWords: () => Promise.resolve([]),
      checkHealth: () => Promise.resolve(this.looking()),
      copy: () => Promise.resolve(),
      start: async (id) => await become("start", id, "running"),
      stop: async (id) => await become("stop", id, "exited"),
      remove: async (id) => {
        await Promise.resolve();
        if (this.kept.includes(find(id)!.name)) {
          this.keeping();
          throw new ServiceError("apply_failed", "Others share its network");
        }
        this.#containers.splice(this.#containers.indexOf(find(id)!), 1);
      },
      rename: async (id, name) => {
        await Promise.resolve();
        if (find(name) !== null && find(name)?.id !== id) {
          throw new ServiceError("apply_failed", "Its name is taken");
        }
        find(id)!.name = name;
      },
      run: (id) => {
        this.asked.push(`run in ${id}`);
        return Promise.resolve({ code: 0, isLate: false, lines: [] });
      },
    } as Partial<EngineActs> as EngineActs;
  }
}

class EngineRun extends ListedRun {
  /** Settings that somebody writes after the plan. */
  settings: string | null = null;
  isConfigured = true;
  /** Parts of the work besides its plan. */
  more: Partial<Work> = {};

  constructor(readonly world: World, readonly steps: readonly Step[]) {
    super();
    this.awayMs = 0;
  }

  /** Writes the line of a step, as a killed owner left it. */
  left(step: number, line: StepLine): this {
    return this.#line("step", step, line);
  }

  paused(): this {
    return this.#line("state", null, { state: "paused", reason: null });
  }

  /** Takes the apply up, and goes on to where it ends or waits. */
  async goOn(wish?: "cancel" | "abandon"): Promise<void> {
    await using folder = await workspaceFolder({ "compose.yaml": FILE });
    const planned = await folder.read();
    if (this.settings !== null) await folder.write({ "berth.yaml": this.settings });
    const model = await folder.read();
    const group = model.groups[0] ?? assert.fail();
    const holdings = { ports: [], networks: [], volumes: [], boundPaths: [], images: [] };
    const runtime = {
      settle: () => Promise.resolve(),
      backends: () => [{ name: "docker", kind: "docker" }],
      unheard: () => new Map(),
      containers: () => Promise.resolve(this.world.listed()),
      holdings: () => Promise.resolve(holdings),
      acts: () => {
        if (!this.isConfigured) throw new ServiceError("not_found", 'No engine "docker"');
        return this.world.acts();
      },
    };
    const ground = {
      apply: "a1",
      backend: "docker",
      model,
      group,
      digest: (text: string) => text,
      contents: new Map(),
      runtime,
      composeVersion: "2",
    } as unknown as Ground;
    const before = { model: planned, group: planned.groups[0] ?? assert.fail() };
    const units = new Map(group.units.map(({ label, id }) => [label, id]));
    const steps = this.steps.map((step) => ({ ...step, unit: units.get(step.unit ?? "") }));
    const plan = {
      id: "p1",
      project: group.project,
      basis: { declared: digestOf(declaredNow({ ...ground, ...before }), ground.digest) },
      steps,
    };
    const subjects = Object.fromEntries(steps.map(({ n, target }) => [n, { id: `old-${n}`, name: target }]));
    const work = { plan, request: {}, steps: steps.map(({ n }) => n), subjects, timeouts: {}, ...this.more };
    const run = this.runOf(ground, work, { isAgain: true, rights: () => Promise.resolve(null) });
    if (wish !== undefined) run.wish(wish);
    await run.go();
  }

  #line(kind: "step" | "state", step: number | null, body: unknown): this {
    this.lines.push({ seq: this.lines.length + 1, at: 0, kind, step, body: JSON.stringify(body) });
    return this;
  }
}

const step = (n: number, kind: Step["kind"], unit: string, more: Partial<Step> = {}): Step => ({
  n,
  kind,
  target: `shop-${unit}-1`,
  unit,
  why: [],
  after: [],
  needs: [],
  risk: "none",
  ...more,
});

/** A swap whose hook runs within it, and the start of another container. */
const SWAP = [
  step(1, "container.swap", "web"),
  step(2, "hook.run", "web", { within: 1, after: [1], hook: HOOK }),
  step(3, "container.start", "other"),
];
const NOTED = { running: true, restart: "no", retries: 0, first: "old", own: "shop-web-1" };

/** The engine in the middle of the swap: the new container runs, and the old one is aside. */
const inSwap = () =>
  new World().hold("old-1", "shop-web-1.old-a1", "exited").hold("new", "shop-web-1", "running", "a1:1")
    .hold("old-3", "shop-other-1", "exited");

Deno.test("A hook in doubt waits for a person although another step has failed since (F80)", async () => {
  const world = inSwap();
  world.refused = "shop-other-1";
  const run = new EngineRun(world, SWAP)
    .left(1, { state: "running", noted: NOTED })
    .left(2, { state: "running", noted: { started: true } });

  await run.goOn();

  assert.equal(run.closed?.state, "paused");
  assert.match(run.closed?.reason ?? "", /^Its port is taken\. Nobody knows whether the hook "migrate"/);
  assert.deepEqual(await run.states(), ["running", "unknown", "failed"]);
  assert.deepEqual(world.asked, ["start shop-other-1"]);
});

Deno.test("A run that is cancelled while berth stops begins no swap again that another owner has left", async () => {
  const world = inSwap();
  const run = new EngineRun(world, SWAP)
    .left(1, { state: "running", noted: NOTED })
    .left(2, { state: "done" });
  run.stopping.abort();

  await run.goOn("cancel");

  assert.deepEqual([await run.states(), world.asked], [["unknown", "done"], []]);
});

Deno.test("A hook that failed has failed, also where berth is killed before it acts upon that (F80)", async () => {
  const world = inSwap();
  const run = new EngineRun(world, SWAP)
    .left(1, { state: "running", noted: NOTED })
    .left(2, { state: "running", noted: { started: true } })
    .left(2, { state: "failed", error: CODE_3 });

  await run.goOn();

  assert.deepEqual([run.closed?.state, run.closed?.reason], ["failed", CODE_3.title]);
  assert.deepEqual(await run.states(), ["failed", "failed"]);
  assert.deepEqual(world.states(), ["shop-web-1 running", "shop-other-1 exited"], "the old one serves again");
});

/** A start with a hook behind it, and the start of another container. */
const START = [
  step(1, "container.start", "web"),
  step(2, "hook.run", "web", { after: [1], hook: HOOK }),
  step(3, "container.start", "other", { after: [2] }),
];
const started = () =>
  new World().hold("old-1", "shop-web-1", "running").hold("old-2", "shop-web-1", "running")
    .hold("old-3", "shop-other-1", "exited");

Deno.test("A step that failed before berth was killed ends the apply, and no other step is begun", async () => {
  const world = started();
  const run = new EngineRun(world, START)
    .left(1, { state: "done" })
    .left(2, { state: "running", noted: { started: true } })
    .left(2, { state: "failed", error: CODE_3 });

  await run.goOn();

  assert.deepEqual([run.closed?.state, run.closed?.reason], ["failed", CODE_3.title]);
  assert.deepEqual([await run.states(), world.asked], [["done", "failed"], []]);
});

Deno.test("A person who resumes an apply has what failed before tried again", async () => {
  const world = started();
  const run = new EngineRun(world, START)
    .left(1, { state: "done" })
    .left(2, { state: "running", noted: { started: true } })
    .left(2, { state: "failed", error: CODE_3 })
    .paused();

  await run.goOn();

  assert.equal(run.closed?.state, "done", run.closed?.reason ?? "");
  assert.deepEqual(await run.states(), ["done", "done", "done"]);
  assert.deepEqual(world.asked, ["run in old-2", "start shop-other-1"]);
});

Deno.test("A wait that is taken up again has its whole time", async () => {
  const world = new World().hold("old-1", "shop-web-1", "running").healthyAfter("old-1", 5);
  const run = new EngineRun(world, [step(1, "wait", "web", { target: "web: service_healthy" })])
    .left(1, { state: "running", noted: { since: Date.now() - 3_600_000 } });

  await run.goOn();

  assert.deepEqual([run.closed?.state, run.closed?.reason], ["done", null]);
});

Deno.test("An edit of berth.yaml alone pauses an apply that is taken up again, unless it is of the version before", async () => {
  const states = [];
  for (const more of [{ countsSettings: true }, {}] as const) {
    const world = new World().hold("old-1", "shop-other-1", "exited");
    const run = new EngineRun(world, [step(1, "container.start", "other")]);
    run.settings = "projects: { shop-prod: shop }";
    run.more = more;
    await run.goOn();
    states.push([run.closed?.state, world.asked.length]);
  }
  assert.deepEqual(states, [["paused", 0], ["done", 1]]);
});

Deno.test("An apply whose engine left the settings waits for a person after a while, and begins nothing", async () => {
  const world = inSwap();
  const run = new EngineRun(world, SWAP).left(1, { state: "running", noted: NOTED });
  run.isConfigured = false;

  await run.goOn();

  assert.deepEqual([run.closed?.state, run.closed?.reason], ["paused", 'No engine "docker"']);
  assert.deepEqual([await run.states(), run.audit], [["running"], []]);
});

Deno.test("An apply whose leftover the engine keeps is done, and says what is left and why", async () => {
  const world = inSwap();
  world.kept = ["shop-web-1.old-a1"];
  const run = new EngineRun(world, SWAP.slice(0, 1)).left(1, { state: "done", noted: NOTED });

  await run.goOn();

  assert.equal(run.closed?.state, "done");
  assert.equal(
    run.closed?.reason,
    'All steps are done, but "shop-web-1.old-a1" could not be removed: Others share its network. A new plan tries it again',
  );
  const act = { action: "container.remove", target: "shop-web-1.old-a1" };
  assert.deepEqual(run.audit, [{ ...act, result: "begun" }, { ...act, result: "failed" }]);
});

Deno.test("A cancel ends no apply whose old container cannot come back, and abandon does", async () => {
  const ends = [];
  for (const wish of ["cancel", "abandon"] as const) {
    const world = new World().hold("old-1", "shop-web-1.old-a1", "exited");
    world.refused = "shop-web-1";
    const run = new EngineRun(world, SWAP.slice(0, 1))
      .left(1, { state: "running", noted: { ...NOTED, back: true, why: "It was unhealthy" } });
    await run.goOn(wish);
    ends.push([run.closed?.state, run.closed?.reason, await run.states()]);
  }
  const stuck = 'It was unhealthy; the old container "shop-web-1" cannot come back: Its port is taken';
  assert.deepEqual(ends, [["paused", stuck, ["running"]], ["cancelled", null, ["failed"]]]);
});

Deno.test("A swap that is taken up again leaves a container alone that somebody renamed to keep it", async () => {
  const world = new World().hold("old-1", "web-keep", "running").hold(
    "new",
    "shop-web-1.new-a1",
    "exited",
    "a1:1",
  );
  const run = new EngineRun(world, SWAP.slice(0, 1)).left(1, { state: "running", noted: NOTED });

  await run.goOn();

  assert.equal(run.closed?.reason, 'Container "shop-web-1" was renamed by somebody else: ask for a new plan');
  assert.deepEqual([world.states()[0], world.asked], ["web-keep running", []]);
});

Deno.test("A swap that is taken up again finishes where somebody renamed the old container after its stop", async () => {
  const world = new World().hold("old-1", "web-keep", "exited")
    .hold("new", "shop-web-1.new-a1", "exited", "a1:1").healthyAfter("new", 0);
  const run = new EngineRun(world, SWAP.slice(0, 1)).left(1, { state: "running", noted: NOTED });

  await run.goOn();

  assert.equal(run.closed?.state, "done", run.closed?.reason ?? "");
  assert.deepEqual(world.states(), ["web-keep exited", "shop-web-1 running"]);
});

Deno.test("A swap removes no old container that somebody renames while the new one becomes healthy", async () => {
  const world = inSwap().healthyAfter("new", 1);
  world.looking = () => void world.acts().rename("old-1", "web-keep");
  const run = new EngineRun(world, SWAP.slice(0, 1)).left(1, { state: "running", noted: NOTED });

  await run.goOn();

  assert.equal(run.closed?.state, "done", run.closed?.reason ?? "");
  assert.deepEqual(world.states().slice(0, 2), ["web-keep exited", "shop-web-1 running"]);
});

Deno.test("An old container serves again although the engine keeps two new ones and their names", async () => {
  const world = inSwap().hold("newer", "shop-web-1.new-a1", "running", "a1:1");
  world.kept = ["shop-web-1", "shop-web-1.new-a1"];
  const run = new EngineRun(world, SWAP.slice(0, 1))
    .left(1, { state: "running", noted: { ...NOTED, back: true, why: "It was unhealthy" } });
  const now = performance.now.bind(performance);
  let later = 0;
  world.keeping = () => later += 11_000; // it is tried for ten seconds
  performance.now = () => now() + later;
  try {
    await run.goOn();
  } finally {
    performance.now = now;
  }

  assert.equal(world.states()[0], "shop-web-1.old-a1 running");
});
