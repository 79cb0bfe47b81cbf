/** Applies that are taken up before everything they need is there: their engine, their files or the store. */
import assert from "node:assert/strict";
import type { ApplyStore } from "../../core/applies.ts";
import type { PullOrder } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { Applies } from "../../projects/apply/applies.ts";
import type { AppliesOptions } from "../../projects/apply/applies_options.ts";
import type { Sources } from "../../projects/apply/orders.ts";
import { nameOf, type Work } from "../../projects/apply/work.ts";
import { declaredNow, digestOf } from "../../projects/plan/looked.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { eventually } from "../support/eventually.ts";
import { SILENT } from "../support/silent_log.ts";

const BY = { by: { kind: "apiKey", id: "k", name: "key" }, credential: null, entry: () => ENTRY } as const;
const SWAP = {
  n: 1,
  kind: "container.swap",
  target: "shop-web-1",
  unit: "web",
  why: [],
  after: [],
  needs: [],
};
const WORK = {
  plan: {
    id: "p",
    workspace: "w",
    group: "shop",
    project: "shop",
    backend: "docker",
    basis: {},
    action: "up",
    steps: [SWAP],
  },
  request: {},
  steps: [1],
  subjects: { 1: { id: "old-id", name: "shop-web-1" } },
  timeouts: {},
  countsSettings: true,
} as unknown as Work;

/** An engine on which a swap stopped halfway: the old container is aside, and there is no new one. */
class HalfSwapped {
  isFound = false;
  readonly old = {
    id: "old-id",
    name: "",
    state: "exited",
    labels: {},
    restart: { name: "no" },
    networkMode: "",
  };

  get runtime(): ReturnType<AppliesOptions["runtime"]> {
    const find = (name: string) => [this.old.id, this.old.name].includes(name) ? this.old : null;
    const acts = {
      isAway: () => false,
      find: (name: string) => Promise.resolve(find(name)),
      rename: (_: string, name: string) => Promise.resolve(void (this.old.name = name)),
      start: () => Promise.resolve(void (this.old.state = "running")),
    };
    return {
      findsEngines: true,
      settle: () => Promise.resolve(),
      backends: () => this.isFound ? [{ name: "docker", kind: "docker" }] : [],
      unheard: () => new Map(),
      containers: () => Promise.resolve([]),
      acts: () => {
        if (!this.isFound) throw new ServiceError("not_found", 'No engine "docker"');
        return acts;
      },
    } as never;
  }

  get isBack(): boolean {
    return this.old.name === "shop-web-1" && this.old.state === "running";
  }
}

async function withStore(work: (applies: ApplyStore) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "berth-taken-up-" });
  try {
    await using store = await openSqliteStore(`${folder}/store.db`);
    await work(store.applies);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Berth after a start: an apply of another boot is in the middle of a swap, `left` as it says. */
async function taken(
  left: (store: ApplyStore, id: string) => Promise<unknown>,
  work: (owner: Applies, id: string, engine: HalfSwapped) => Promise<void>,
  more: Partial<AppliesOptions> = {},
): Promise<void> {
  await withStore(async (applies) => {
    const id = crypto.randomUUID();
    const { workspace, group, project, backend } = WORK.plan;
    const about = { id, workspace, group, project, backend, by: BY.by, credential: null };
    const owned = { createdAt: Date.now(), owner: "another boot", leaseUntil: Date.now() };
    await applies.add({ ...about, ...owned, work: JSON.stringify(WORK) }, ENTRY);
    const body = JSON.stringify({ state: "running", noted: { running: true } });
    await applies.write(id, 1, [{ at: 0, kind: "step", step: 1, body }], []);
    await left(applies, id);
    const engine = new HalfSwapped();
    engine.old.name = nameOf("shop-web-1", "old", id);
    const unused = () => assert.fail("not asked for");
    await using owner = new Applies({
      store: applies,
      runtime: () => engine.runtime,
      sources: () => Promise.resolve(null),
      rights: unused,
      entryOf: () => ENTRY,
      noteFailed: unused,
      seal: { seal: unused, open: unused } as never,
      composeVersion: "2.0.0",
      log: SILENT,
      now: () => Date.now(),
      leaseMs: 200,
      awayMs: 30_000,
      ...more,
    });
    await work(owner, id, engine);
  });
}

const asItIs = () => Promise.resolve();
const abandoned = (store: ApplyStore, id: string) => store.wish(id, "abandon", ENTRY);
const paused = (store: ApplyStore, id: string) =>
  store.write(id, 1, [], [], { state: "paused", reason: null, at: 0 });

const SOON = { timeoutMs: 10_000 };

const ended = (owner: Applies, id: string) =>
  eventually("it is over, or waits", async () => {
    const { state } = await owner.get(id);
    return state === "running" ? null : state;
  }, SOON);

/** Resolves once health says that a swap waits for its engine. */
const waits = (owner: Applies) =>
  eventually(
    "it waits for its engine",
    () => Promise.resolve(/for its engine$/.test(owner.unsettled() ?? "")),
  );

Deno.test("An apply that was abandoned before a start brings its old container back once its engine is found", async () => {
  await taken(abandoned, async (owner, id, engine) => {
    await waits(owner);
    engine.isFound = true;
    assert.equal(await ended(owner, id), "cancelled");
    assert.ok(engine.isBack);
  });
});

Deno.test("An apply that is abandoned while it looks for its engine brings its old container back later", async () => {
  const goesOn = Promise.withResolvers<void>();
  const sources = () => {
    goesOn.resolve();
    return Promise.resolve(pulled().ground);
  };
  await taken(asItIs, async (owner, id, engine) => {
    await goesOn.promise;
    await owner.ask(id, "abandon", BY);
    await waits(owner);
    engine.isFound = true;
    assert.equal(await ended(owner, id), "cancelled");
    assert.ok(engine.isBack);
  }, { sources });
});

Deno.test("An apply whose group is gone settles its swap before it waits, once its engine is found", async () => {
  await taken(asItIs, async (owner, id, engine) => {
    await waits(owner);
    engine.isFound = true;
    assert.equal(await ended(owner, id), "paused");
    assert.ok(engine.isBack);
  });
});

Deno.test("An apply that is abandoned while its engine may still be found leaves no container stopped", async () => {
  await taken(paused, async (owner, id, engine) => {
    await assert.rejects(owner.ask(id, "abandon", BY), {
      code: "engine_unavailable",
      message: /not found yet$/,
    });
    assert.equal(await ended(owner, id), "paused");
    engine.isFound = true;

    assert.equal((await owner.ask(id, "abandon", BY)).state, "cancelled");

    assert.ok(engine.isBack);
  });
});

Deno.test("An apply whose engine is not found for a while is abandoned all the same", async () => {
  await taken(abandoned, async (owner, id) => {
    assert.equal(await ended(owner, id), "cancelled");
    const [step] = (await owner.get(id)).steps;
    assert.deepEqual([step?.state, step?.note], ["unknown", 'The engine "docker" was not found']);
  }, { awayMs: 100 });
});

const HOST = "r.example";
const IMAGE = `${HOST}/web:1`;
const LOGIN = { username: "u", password: "p" };

/** Files of one service, and the plan that pulls its image. */
function pulled() {
  const service = {
    image: IMAGE,
    imageAt: null,
    build: null,
    platform: null,
    volumes: [],
    mounts: [],
    containerName: null,
  };
  const unit = { id: "web", label: "web", name: "web", service, paths: [], references: [], value: null };
  const group = { name: "shop", project: "shop", units: [unit], sources: [], envFiles: [], resources: [] };
  const settings = { paths: [], projects: new Map(), stacks: new Map() };
  const ground = {
    model: { settings, root: "/shop" },
    group: { ...group, value: null, profiles: [] },
    digest: (text: string) => text,
    contents: new Map(),
    hashes: () => Promise.resolve(new Map()),
    reading: null,
  } as unknown as Sources;
  const declared = digestOf(declaredNow(ground), ground.digest);
  const step = { ...SWAP, kind: "image.pull", target: IMAGE };
  const work = { ...WORK, plan: { ...WORK.plan, basis: { declared }, steps: [step] }, subjects: {} };
  return { ground, work: work as unknown as Work };
}

/** An apply that pulls an image. `pull` is told the login that the pull has. Returns how the apply ends. */
async function pullEnds(
  store: ApplyStore,
  pull: (login: unknown) => void,
  sources: (ground: Sources) => Promise<Sources | null>,
  awayMs = 30_000,
) {
  const { ground, work } = pulled();
  const unused = () => assert.fail("not asked for");
  const acts = {
    isAway: () => false,
    imageId: () => Promise.resolve("sha256:1"),
    pull: ({ loginFor }: PullOrder) => Promise.resolve(pull(loginFor(HOST))),
  };
  const runtime = {
    settle: () => Promise.resolve(),
    backends: () => [{ name: "docker", kind: "docker" }],
    unheard: () => new Map(),
    containers: () => Promise.resolve([]),
    acts: () => acts,
  };
  await using owner = new Applies({
    store,
    runtime: () => runtime as never,
    sources: () => sources(ground),
    rights: () => Promise.resolve({} as never),
    entryOf: () => ENTRY,
    noteFailed: unused,
    seal: { seal: unused, open: unused } as never,
    composeVersion: "2.0.0",
    log: SILENT,
    now: () => Date.now(),
    leaseMs: 200,
    awayMs,
    judgedMs: 10,
  });
  const { id } = await owner.begin(work, { [HOST]: LOGIN }, BY, () => Promise.resolve());
  const state = await ended(owner, id);
  return { state, reason: (await owner.get(id)).reason };
}

Deno.test("A pull that is begun again after its store was away has the login that was given", async () => {
  await withStore(async (applies) => {
    const logins: unknown[] = [];
    let asked = 0; // while the store is away
    const away = () => Promise.reject(new ServiceError("store_unavailable", "The store is away"));
    const isAway = () => logins.length === 1 && asked++ < 10;
    const store: ApplyStore = {
      ...applies,
      get: (id) => isAway() ? away() : applies.get(id),
      write: (...line) => isAway() ? away() : applies.write(...line),
    };

    const { state } = await pullEnds(
      store,
      (login) => logins.push(login),
      (ground) => Promise.resolve(ground),
    );

    assert.deepEqual([state, logins], ["done", [LOGIN, LOGIN]]);
  });
});

const unreadable = () => Promise.reject(new ServiceError("workspace_unavailable", "The folder is not there"));

Deno.test("An apply whose files cannot be read for a moment goes on once they can", async () => {
  await withStore(async (applies) => {
    let reads = 0;
    const sources = (ground: Sources) => ++reads < 3 ? unreadable() : Promise.resolve(ground);

    const end = await pullEnds(applies, () => {}, sources);

    assert.deepEqual([end, reads], [{ state: "done", reason: null }, 3]);
  });
});

Deno.test("An apply whose files stay unreadable waits for a person, and says why", async () => {
  await withStore(async (applies) => {
    const end = await pullEnds(applies, () => {}, unreadable, 100);

    assert.deepEqual(end, { state: "paused", reason: "The folder is not there" });
  });
});
