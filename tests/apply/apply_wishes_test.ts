/** A wish that reaches an apply in the moment in which another replica pauses or resumes it is heeded all the same. */
import assert from "node:assert/strict";
import type { ApplyStore } from "../../core/applies.ts";
import { ServiceError } from "../../core/error.ts";
import type { Store } from "../../core/store.ts";
import { Applies } from "../../projects/apply/applies.ts";
import type { AppliesOptions } from "../../projects/apply/applies_options.ts";
import type { Work } from "../../projects/apply/work.ts";
import { openPostgresStore } from "../../store/postgres/store.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { SILENT } from "../support/silent_log.ts";

const BY = { by: { kind: "apiKey", id: "k", name: "key" }, credential: null, entry: () => ENTRY } as const;
const PLAN = { id: "p", workspace: "w", group: "shop", project: "shop", backend: "docker", basis: {} };
const WORK = {
  plan: { ...PLAN, action: "up", steps: [] },
  request: {},
  steps: [],
  subjects: {},
  timeouts: {},
} as unknown as Work;

/** A replica whose engines are away, so that it pauses every apply. `store` is what it does between looks and writes. */
const replica = (
  { applies }: Store,
  store: Partial<ApplyStore> = {},
  more: Partial<AppliesOptions> = {},
): Applies => {
  const unused = () => assert.fail("not asked for");
  const options: AppliesOptions = {
    store: { ...applies, ...store },
    runtime: () => null,
    sources: () => Promise.resolve(null),
    rights: unused,
    entryOf: () => ENTRY,
    noteFailed: unused,
    seal: { seal: unused, open: unused } as never,
    composeVersion: "2.0.0",
    log: SILENT,
    now: () => Date.now(),
    ...more,
  };
  return new Applies(options);
};

const stateOf = async (applies: Applies, id: string) => {
  const { state } = await applies.get(id);
  return state === "running" ? null : state;
};

const begin = (applies: Applies) => applies.begin(WORK, {}, BY, () => Promise.resolve());

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null;
if (server === null) console.error(`NOT RUN: wishes on PostgreSQL, because ${CANNOT_RUN_POSTGRES}`);

async function onBoth(work: (open: () => Promise<Store>) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "berth-wishes-" });
  try {
    await work(() => openSqliteStore(`${folder}/store.db`));
    if (server === null) return;
    const settings = await server.database();
    await work(() => openPostgresStore(settings));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const wish of ["cancel", "abandon"] as const) {
  Deno.test(`The wish to ${wish} an apply is heeded in the moment in which another replica pauses it`, async () => {
    await onBoth(async (open) => {
      await using one = await open();
      await using two = await open();
      await using other = replica(two);
      await using owner = replica(one, {
        write: async (...line) => {
          const [id, , , , end] = line;
          if (end?.state === "paused") assert.equal((await other.ask(id, wish, BY)).state, "running");
          return await one.applies.write(...line);
        },
      });
      const { id } = await begin(owner);
      assert.equal(await eventually("it is over, or waits", () => stateOf(owner, id)), "cancelled");
      assert.equal((await one.applies.get(id))?.wish, null);
    });
  });
}

Deno.test("A cancel of a paused apply that another replica resumes in that moment ends it", async () => {
  await onBoth(async (open) => {
    await using one = await open();
    await using two = await open();
    await using owner = replica(one);
    let isResumed = false;
    await using other = replica(two, {
      resume: async (...given) => {
        if (!isResumed) {
          isResumed = true;
          await owner.resume(given[0], BY);
        }
        return await two.applies.resume(...given);
      },
    });
    const { id } = await begin(owner);
    assert.equal(await eventually("it waits", () => stateOf(owner, id)), "paused");

    await other.ask(id, "cancel", BY);

    assert.equal(await eventually("it is over, or waits", () => stateOf(owner, id)), "cancelled");
  });
});

for (const held of ["reads its files", "writes its journal"] as const) {
  Deno.test(`A run that lost its apply while it ${held} leaves the run alone that somebody resumed beside it`, async () => {
    await onBoth(async (open) => {
      await using one = await open();
      await using two = await open();
      const [lost, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const lease = { leaseMs: 500 };
      let isAway = false;
      let looks = 0;
      const runs: number[] = [];
      const store: Partial<ApplyStore> = {
        renew: async (given) => {
          if (isAway) throw new Error("The store is away");
          looks += 1;
          return await one.applies.renew(given);
        },
        write: async (...line) => {
          const [, epoch] = line;
          if (epoch === 1 && held === "writes its journal") await lost.promise;
          if (epoch > 1) await resumed.promise;
          return await one.applies.write(...line);
        },
      };
      const sources = async () => {
        if (runs.push(looks) === 1 && held === "reads its files") await lost.promise;
        return null;
      };
      await using owner = replica(one, store, { ...lease, sources });
      const begun = begin(owner);
      const { id } = await eventually("it is begun", async () => {
        const all = { before: null, limit: 1, workspace: null, group: null, state: null };
        return runs.length > 0 ? (await one.applies.list(all))[0] ?? null : null;
      });
      isAway = true;
      await using other = replica(two, {}, lease);
      assert.equal(await eventually("another replica pauses it", () => stateOf(other, id)), "paused");
      isAway = false;
      await owner.resume(id, BY);

      lost.resolve();

      await begun;
      const before = looks;
      await eventually("it looks at what is its own", () => Promise.resolve(looks > before + 3 || null));
      assert.equal(runs.length, 2, "nobody began a second run beside the resumed one");
      resumed.resolve();
      assert.equal(await eventually("it waits", () => stateOf(owner, id)), "paused");
    });
  });
}

Deno.test("A cancel does not weaken the wish to abandon that somebody else has left", async () => {
  await onBoth(async (open) => {
    await using one = await open();
    const paused = Promise.withResolvers<void>();
    await using owner = replica(one, {
      write: async (...line) => {
        await paused.promise;
        return await one.applies.write(...line);
      },
    });
    const { id } = await begin(owner);
    await owner.ask(id, "abandon", BY);
    await owner.ask(id, "cancel", BY);

    const record = await one.applies.get(id);
    assert.deepEqual([record?.wish, JSON.parse(record?.work ?? "{}").countsSettings], ["abandon", true]);
    paused.resolve();
    assert.equal(await eventually("it is over, or waits", () => stateOf(owner, id)), "cancelled");
  });
});

const SWAP = {
  n: 1,
  kind: "container.swap",
  target: "shop-web-1",
  unit: "web",
  why: [],
  after: [],
  needs: [],
};

/** Adds an apply of another owner that is in the middle of a swap. */
async function leftInSwap({ applies }: Store, leaseUntil: number): Promise<string> {
  const id = crypto.randomUUID();
  const work = JSON.stringify({ ...WORK, plan: { ...WORK.plan, steps: [SWAP] }, steps: [1] });
  const { workspace, group, project, backend } = WORK.plan;
  const about = { id, workspace, group, project, backend, by: BY.by, credential: null, work };
  await applies.add({ ...about, createdAt: Date.now(), owner: "another boot", leaseUntil }, ENTRY);
  const body = JSON.stringify({ state: "running", noted: { running: true } });
  await applies.write(id, 1, [{ at: 0, kind: "step", step: 1, body }], []);
  return id;
}

Deno.test("An apply whose lease a clock that was set back keeps from ending is taken up within two leases", async () => {
  await onBoth(async (open) => {
    await using one = await open();
    const id = await leftInSwap(one, (await one.applies.now?.() ?? Date.now()) + 4 * 3_600_000);
    await using owner = replica(one, {}, { leaseMs: 200 });
    assert.equal(await eventually("it waits", () => stateOf(owner, id)), "paused");
  });
});

Deno.test("A swap whose engine is not configured any more waits, until somebody abandons its apply", async () => {
  await onBoth(async (open) => {
    await using one = await open();
    const id = await leftInSwap(one, 0);
    const runtime = () => ({ settle: () => Promise.resolve(), backends: () => [] }) as never;
    await using owner = replica(one, {}, { leaseMs: 200, runtime });
    assert.equal(await eventually("it waits", () => stateOf(owner, id)), "paused");
    await assert.rejects(owner.ask(id, "cancel", BY), { code: "engine_unavailable" });
    assert.equal(await stateOf(owner, id), "paused");
    await eventually("health tells of it", () => Promise.resolve(owner.unsettled()));

    const ended = await owner.ask(id, "abandon", BY);

    const [{ state, note } = assert.fail()] = ended.steps;
    assert.deepEqual([ended.state, state, note], [
      "cancelled",
      "unknown",
      'The engine "docker" is not configured any more',
    ]);
    await eventually("health has nothing to tell", () => Promise.resolve(owner.unsettled() === null));
  });
});

Deno.test("An apply whose begin was refused while the store went away is never carried out", async () => {
  await onBoth(async (open) => {
    await using one = await open();
    const away = () => new ServiceError("store_unavailable", "The store is away");
    let isAway = false;
    let sights = 0;
    const store: Partial<ApplyStore> = {
      write: async (...line) => {
        if (isAway) throw away();
        return await one.applies.write(...line);
      },
    };
    const sources = () => Promise.resolve(void sights++ as never);
    await using owner = replica(one, store, { leaseMs: 500, sources });
    const still = () => {
      isAway = true;
      return Promise.reject(new ServiceError("plan_stale", "Something moved"));
    };

    await assert.rejects(owner.begin(WORK, {}, BY, still), { code: "store_unavailable" });

    isAway = false;
    const all = { before: null, limit: 2, workspace: null, group: null, state: null };
    const [{ id } = assert.fail(), ...others] = await one.applies.list(all);
    assert.equal(await eventually("it is over, or waits", () => stateOf(owner, id)), "failed");
    assert.match(
      (await owner.get(id)).reason ?? "",
      /^The store was away before it began: nothing was done$/,
    );
    assert.deepEqual([sights, others], [0, []]);
  });
});
