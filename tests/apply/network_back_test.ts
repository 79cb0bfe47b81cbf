/** Networks whose replacement does not come to its end, on an engine of a test's own: they are what they were. */
import assert from "node:assert/strict";
import type { ApplyRecord, ApplyStore } from "../../core/applies.ts";
import type { EngineActs, NetworkSpec } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { InterruptedSwaps } from "../../projects/apply/interrupted_swaps.ts";
import { Journal } from "../../projects/apply/journal.ts";
import type { Ground } from "../../projects/apply/orders.ts";
import type { Run } from "../../projects/apply/run.ts";
import { declaredNow, digestOf } from "../../projects/plan/looked.ts";
import type { Step } from "../../projects/plan/plan_shape.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { ListedRun, SEAL } from "./listed_run.ts";

const FILE = `services:
  web: { image: web, networks: [one] }
  db: { image: db, networks: [two] }
networks: { one: { name: one }, two: { name: two } }
`;
const MARK = "dev.berth.apply";
const refused = (why: string) => new ServiceError("apply_failed", why);

type Seen = { -readonly [Key in keyof InspectedContainer]: InspectedContainer[Key] };

/** An engine with two networks, each with a container, whose acts a test may have fail. */
class World {
  readonly networks = new Map<string, Readonly<Record<string, string>>>();
  #containers: Seen[];
  #starts = 10;
  /** Told of each act before it is done. */
  before: (act: string, target: string) => void = () => {};

  constructor(readonly project: string, others: readonly Partial<Seen>[]) {
    const labels = { "com.docker.compose.project": project };
    const modes = { networkMode: "bridge", ipcMode: "", pidMode: "", utsMode: "", restart: { name: "no" } };
    this.#containers = [["web", "one"], ["db", "two"]].map(([service = "", name = ""]) => {
      this.networks.set(name, labels);
      const compose = { project, service };
      const of = {
        id: `${service}-id`,
        name: service,
        state: "running",
        labels,
        compose,
        mounts: [],
        undeclarable: [],
      };
      return {
        ...of,
        ...modes,
        networks: [{ name, aliases: [], ipv4Address: "10.1.0.9" }],
      } as unknown as Seen;
    });
    for (const other of others) this.#containers.push({ ...this.#containers[0]!, ...other }); // web is there
  }

  /** Each network and container as it is now. */
  get now(): string[] {
    return [
      ...[...this.networks].sort().map(([name, labels]) => `${name} ${labels[MARK] ? "new" : "old"}`),
      ...this.#containers.map(({ name, state, networks }) =>
        `${name} ${state} in ${networks.map((one) => `${one.name} ${one.ipv4Address}`)}`
      ),
    ];
  }

  listed = () => this.#containers.map((one) => ({ ...one, backend: "docker" }));

  acts(): EngineActs {
    const find = (id: string) => this.#containers.find((one) => one.id === id || one.name === id) ?? null;
    const here = (id: string) => find(id) ?? assert.fail(id);
    const begun = (one: Seen) => {
      one.state = "running";
      one.startedAt = `${this.#starts++}`;
    };
    const act = <More>(kind: string, work: (target: string, more: More) => unknown) =>
    async (
      of: string,
      more: More,
    ) => {
      this.before(kind, of);
      await work(of, more);
    };
    const make = (kind: string) => {
      const made = act(
        kind,
        (name, labels: Readonly<Record<string, string>>) => this.networks.set(name, labels),
      );
      return ({ name, labels }: NetworkSpec) => made(name, labels);
    };
    const isAway = (error: unknown) => error instanceof ServiceError && error.code === "engine_timeout";
    return {
      isAway,
      find: (id: string) => Promise.resolve(find(id)),
      lastWords: () => Promise.resolve([]),
      network: (name: string) => {
        const labels = this.networks.get(name);
        return Promise.resolve(labels === undefined ? null : { labels });
      },
      networkNow: (name: string) =>
        Promise.resolve({ name, driverOptions: { password: "hunter2" }, labels: this.networks.get(name) }),
      usersOf: (name: string) =>
        Promise.resolve(this.#containers.filter(({ networks }) => networks.some((one) => one.name === name))),
      stop: act("stop", (id: string) => here(id).state = "exited"),
      start: act("start", (id: string) => begun(here(id))),
      remove: act("remove", (id: string) => {
        this.#containers = this.#containers.filter((one) => one.id !== id);
      }),
      restart: act("restart", (id: string) => begun(here(id))),
      removeNetwork: act("removeNetwork", (name: string) => this.networks.delete(name)),
      createNetwork: make("createNetwork"),
      recreateNetwork: make("recreateNetwork"),
      connect: act("connect", (id: string, network: Seen["networks"][number]) => {
        here(id).networks = [...here(id).networks, network];
      }),
      disconnect: act("disconnect", (id: string, name: string) => {
        here(id).networks = here(id).networks.filter((one) => one.name !== name);
      }),
    } as unknown as EngineActs;
  }
}

/** Replaces the networks in a run. `work` may have acts fail or the run end; returns the run and the engine after it. */
async function replaced(
  names: readonly ("one" | "two")[],
  work: (world: World, run: () => Run, listed: ListedRun) => void,
  { others = [], more = [], awayMs = 0, go = (run) => run.go() }: {
    readonly others?: readonly Partial<Seen>[];
    /** More steps, as their kind, their target and those that they come after. */
    readonly more?: readonly (readonly [Step["kind"], string, readonly number[]])[];
    readonly awayMs?: number;
    readonly go?: (run: Run) => Promise<void>;
  } = {},
) {
  await using folder = await workspaceFolder({ "compose.yaml": FILE });
  const model = await folder.read();
  const group = model.groups[0] ?? assert.fail();
  const world = new World(group.project, others);
  const before = world.now;
  const none = { ports: [], networks: [], volumes: [], boundPaths: [], images: [] };
  const runtime = {
    settle: () => Promise.resolve(),
    backends: () => [{ name: "docker", kind: "docker" }],
    unheard: () => new Map(),
    containers: () => Promise.resolve(world.listed()),
    holdings: () => Promise.resolve(none),
    acts: () => world.acts(),
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
  const replacing = names.flatMap((name, i) => {
    const container = name === "one" ? "web" : "db";
    const [n, needs] = [5 * i, []];
    const kinds = [
      "container.stop",
      "network.remove",
      "network.create",
      "network.connect",
      "container.start",
    ];
    return kinds.map((kind, i) => ({
      n: n + i + 1,
      kind,
      target: kind.startsWith("network") && i !== 3 ? name : container,
      unit: null,
      why: [],
      after: i === 0 ? [] : [n + i],
      needs,
    } as unknown as Step));
  });
  const added = more.map(([kind, target, after], i) =>
    ({ kind, target, after, n: replacing.length + i + 1, unit: null, why: [], needs: [] }) as unknown as Step
  );
  const steps = [...replacing, ...added];
  const subjects = Object.fromEntries(
    steps.flatMap(({ n, target }) =>
      names.some((name) => name === target) ? [] : [[n, { id: `${target}-id`, name: target }]]
    ),
  );
  const declared = digestOf(declaredNow(ground), ground.digest);
  const plan = { id: "p1", project: group.project, action: "up", basis: { declared }, steps };
  const given = { plan, request: {}, steps: steps.map(({ n }) => n), subjects, timeouts: {} };
  const whole = { ...given, countsSettings: true };
  const listed = new ListedRun();
  listed.awayMs = awayMs;
  const runOf = (isAgain: boolean) =>
    listed.runOf(ground, whole, { isAgain, rights: () => Promise.resolve(null) });
  const run: Run = runOf(false);
  work(world, () => run, listed);
  await go(run);
  const again = () => runOf(true).go();
  return { listed, world, before, runtime, whole, again, reason: listed.closed?.reason ?? "" };
}

const CAME_BACK = /The network "one" is what it was, and its containers run again$/;

Deno.test("A network comes back where its apply is cancelled while it is replaced", async () => {
  for (const at of ["stop", "removeNetwork", "createNetwork", "connect"]) {
    const { listed, world, before, reason } = await replaced(["one"], (world, run) => {
      world.before = (act) => {
        if (act === at) run().wish("cancel");
      };
    });
    assert.equal(listed.closed?.state, "cancelled", at);
    assert.match(reason, CAME_BACK);
    assert.deepEqual(world.now, before, at);
  }
});

Deno.test("A network comes back where any step before the start of its containers is refused", async () => {
  for (const at of ["removeNetwork", "createNetwork", "connect", "start"]) {
    let isRefused = false;
    const { listed, world, before, reason } = await replaced(["one"], (world) => {
      world.before = (act) => {
        if (act !== at || isRefused) return;
        isRefused = true;
        throw refused(`no ${at}`);
      };
    });
    assert.equal(listed.closed?.state, "failed", at);
    assert.match(reason, new RegExp(`^no ${at}\\. ${CAME_BACK.source}`));
    assert.deepEqual(world.now, before, at);
  }
});

Deno.test("Both networks come back where one of two is refused", async () => {
  const { listed, world, before } = await replaced(["one", "two"], (world) => {
    world.before = (act, target) => {
      if (act === "removeNetwork" && target === "two") throw refused("it is in use");
    };
  });
  assert.equal(listed.closed?.state, "failed");
  assert.deepEqual(world.now, before);
});

Deno.test("Whatever shares a container's network starts anew once that runs in the old network", async () => {
  const acts: string[] = [];
  const sharer = { networkMode: "container:web-id", networks: [] };
  await replaced(["one"], (world) => {
    world.before = (act, target) => {
      acts.push(`${act} ${target}`);
      if (act === "createNetwork") throw refused("pools overlap");
    };
  }, {
    others: [
      { ...sharer, id: "app-id", name: "app", startedAt: "09" },
      { ...sharer, id: "late-id", name: "late", startedAt: "11" },
      { ...sharer, id: "ended-id", name: "ended", state: "exited", startedAt: "09" },
    ],
  });
  assert.deepEqual(acts.slice(acts.indexOf("start web-id")), ["start web-id", "restart app-id"]);
});

Deno.test("A note that is not sealed ends an apply as one that cannot be opened does", async () => {
  const { listed, reason } = await replaced(["one"], (world, _, { lines }) => {
    world.before = (act) => {
      if (act !== "createNetwork") return;
      for (const [i, line] of lines.entries()) {
        const body = JSON.parse(line.body);
        if (body.noted?.held === undefined) continue;
        lines[i] = { ...line, body: JSON.stringify({ ...body, noted: { held: '{"network":{}}' } }) };
      }
      throw refused("pools overlap");
    };
  });
  assert.equal(listed.closed?.state, "failed");
  assert.match(reason, /"one" did not come back as it was: nothing could bring the network "one" back$/);
});

Deno.test("An apply that is cancelled does not ask an engine again that hangs in an act", async () => {
  const acts: string[] = [];
  const { listed, world, before } = await replaced(["one"], (world, run) => {
    world.before = (act) => {
      acts.push(act);
      if (act !== "createNetwork") return;
      run().wish("cancel");
      throw new ServiceError({ code: "engine_timeout", status: 504 }, "It took too long");
    };
  }, { awayMs: 1_000 });
  assert.equal(listed.closed?.state, "cancelled");
  assert.equal(acts.filter((act) => act === "createNetwork").length, 1);
  assert.deepEqual(world.now, before);
});

Deno.test("A network comes back at the next start where the store was away for a moment", async () => {
  let begun = 0;
  const { listed, world, before, again } = await replaced(["one"], (world, _, listed) => {
    world.before = (act) => {
      if (act === "createNetwork") throw refused("pools overlap");
    };
    listed.writing = ([entry]) => {
      const { action, result } = { ...entry } as Record<string, unknown>; // as the list makes them
      if (action === "network.create" && result === "begun") begun += 1;
      if (begun !== 2) return;
      begun = 3;
      throw new ServiceError("store_unavailable", "It is locked");
    };
  }, { go: (run) => assert.rejects(run.go(), /locked/) });
  assert.equal(listed.closed, null, "it is not at its end");

  await again();

  assert.deepEqual(world.now, before);
});

Deno.test("A new network stays where a container of it does not start that did not run before", async () => {
  const acts: string[] = [];
  const { listed, world } = await replaced(["one"], (world) => {
    world.before = (act, target) => {
      if (act === "start" && target === "worker-id") throw refused("no such file");
      acts.push(`${act} ${target}`);
    };
  }, {
    others: [{ id: "worker-id", name: "worker", state: "exited" }],
    more: [["network.connect", "worker", [3]], ["container.start", "worker", [5, 6]]],
  });
  assert.equal(listed.closed?.state, "failed");
  assert.equal(world.now[0], "one new");
  assert.match(world.now[2] ?? "", /^web running in one/);
  assert.equal(acts.filter((act) => act === "stop web-id").length, 1);
});

Deno.test("A container that is removed once it ran in the new network is not told as gone", async () => {
  const { listed, world } = await replaced(["one"], () => {}, {
    more: [["container.stop", "web", [5]], ["container.remove", "web", [6]]],
  });
  assert.deepEqual(world.now, ["one new", "two old", "db running in two 10.1.0.9"]);
  assert.deepEqual([listed.closed?.state, listed.closed?.reason], ["done", null]);
});

Deno.test("A network that was replaced stays so, and no line of the journal has its options", async () => {
  const { listed, world } = await replaced(["one"], () => {});
  assert.equal(world.now[0], "one new");
  assert.match(world.now[2] ?? "", /^web running in one/);
  const noted = listed.lines.flatMap(({ body }) => JSON.parse(body).noted?.held ?? []);
  assert.equal(noted.length, 1);
  const words = listed.lines.map(({ body }) => body).join("\n") + atob(noted[0]);
  assert.doesNotMatch(words, /hunter2|password/, "an option of the old one");
});

Deno.test("A network whose apply waits in the middle of its replacement is named by health, and comes back", async () => {
  let isAway = true;
  const { listed, world, before, runtime, whole } = await replaced(["one"], (world) => {
    world.before = (act) => {
      if (isAway && act === "createNetwork") throw new ServiceError("engine_unavailable", "It is away");
    };
  });
  assert.equal(listed.closed?.state, "paused");
  const record = {
    id: "a1",
    epoch: 1,
    backend: "docker",
    project: "shop",
    work: JSON.stringify(whole),
  } as ApplyRecord;
  const store = {
    list: () => Promise.resolve([record]),
    lines: (_: string, after: number) => Promise.resolve(listed.lines.filter(({ seq }) => seq > after)),
    write: (...[, , lines]: Parameters<ApplyStore["write"]>) => {
      for (const line of lines) listed.lines.push({ seq: listed.lines.length + 1, ...line });
      return Promise.resolve([]);
    },
  } as unknown as ApplyStore;
  const entryOf = () => ({}) as never;
  const swaps = new InterruptedSwaps({
    store,
    runtime: () => runtime as never,
    journalOf: (of) => new Journal(of, { store, now: () => 0, entryOf, written: () => {} }),
    assertHeld: () => Promise.resolve(),
    seal: SEAL,
    stopping: new AbortController().signal,
    awayMs: 0,
  });
  await swaps.look();
  assert.equal(
    swaps.failure(),
    'The replacement of a network in "shop" was interrupted and waits: resume or abandon its apply',
  );
  assert.notDeepEqual(world.now, before, "it is gone");
  isAway = false;

  assert.equal(await swaps.end(record, false), null);

  assert.deepEqual(world.now, before);
});
