/** The promises of every store about applies and their journals. */
import assert from "node:assert/strict";
import type { ApplyRecord, ApplyStore, NewApply } from "../../core/applies.ts";
import type { Store } from "../../core/store.ts";
import { auditEntryOf, ENTRY } from "../access/audit_entry.ts";
import { type Change, type Promised, refused } from "./store_records.ts";

const BY = { kind: "apiKey", id: "k", name: "key" } as const;

function apply(id: string, over: Partial<NewApply> = {}): NewApply {
  return {
    id,
    workspace: "w",
    group: "shop",
    project: "shop",
    backend: "docker",
    work: "{}",
    by: BY,
    credential: "key:k",
    createdAt: 10,
    owner: "one",
    leaseUntil: 100,
    ...over,
  };
}

const line = (step: number, body = "{}") => ({ at: 1, kind: "step", step, body }) as const;
const ALL = { before: null, limit: 100, workspace: null, group: null, state: null };
const LOG = { before: null, limit: 100, action: null, actor: null, result: null };
const actions = async (store: Store) => (await store.audit.list(LOG)).items.map(({ action }) => action);
const ids = (found: readonly ApplyRecord[]) => found.map(({ id }) => id);
const over = (applies: ApplyStore, id: string, state: "done" | "failed" = "done") =>
  applies.write(id, 1, [], [], { state, reason: null, at: 5 });

/** Each is committed with its entry, or not at all. */
export const CHANGES_OF_APPLIES: readonly Change[] = [
  {
    name: "applies.add",
    change: (store, entry) => store.applies.add(apply("a"), entry),
    state: (store) => store.applies.list(ALL),
  },
  {
    name: "applies.write",
    before: (store) => store.applies.add(apply("a"), ENTRY),
    change: (store, entry) => store.applies.write("a", 1, [line(1)], [entry]),
    state: (store) => store.applies.lines("a", 0, 10),
  },
  {
    name: "applies.wish",
    before: (store) => store.applies.add(apply("a"), ENTRY),
    change: (store, entry) => store.applies.wish("a", "cancel", entry),
    state: (store) => store.applies.list(ALL),
  },
  {
    name: "applies.resume",
    before: async (store) => {
      await store.applies.add(apply("a"), ENTRY);
      await store.applies.write("a", 1, [], [], { state: "paused", reason: "why", at: 2 });
    },
    change: (store, entry) =>
      store.applies.resume("a", { by: BY, credential: null, wish: null }, { owner: "two", until: 1 }, entry),
    state: (store) => store.applies.list(ALL),
  },
];

export function appliesContract(promise: Promised): void {
  promise("has one apply of a project on an engine in hand, of two handles", async (under) => {
    await using one = await under.open("a");
    await using two = await under.open("a");
    const both = await Promise.allSettled([
      one.applies.add(apply("a"), ENTRY),
      two.applies.add(apply("b"), ENTRY),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const [held] = await one.applies.list(ALL);
    const error = await refused("apply_running", two.applies.add(apply("c"), ENTRY));
    assert.match(error.message, new RegExp(`apply ${held!.id} `));
    await two.applies.add(apply("d", { project: "other" }), ENTRY);
    await two.applies.add(apply("e", { backend: "podman" }), ENTRY);
    await one.applies.write(held!.id, 1, [], [], { state: "paused", reason: "a person's word", at: 3 });
    await refused("apply_running", one.applies.add(apply("f"), ENTRY));
    await one.applies.resume(
      held!.id,
      { by: BY, credential: null, wish: null },
      { owner: "one", until: 9 },
      ENTRY,
    );
    await one.applies.write(held!.id, 2, [], [], { state: "failed", reason: "it failed", at: 4 });
    await two.applies.add(apply("g"), ENTRY);
    const { state, reason, endedAt } = (await two.applies.get(held!.id))!;
    assert.deepEqual([state, reason, endedAt], ["failed", "it failed", 4]);
  });

  promise(
    "appends to a journal without a gap, with its entries of the audit log, for its owner alone",
    async (under) => {
      await using store = await under.open("a");
      const { applies } = store;
      await applies.add(apply("a"), ENTRY);
      const first = await applies.write("a", 1, [line(1), line(2)], [auditEntryOf({ action: "begun" })]);
      assert.ok(typeof first === "object");
      assert.deepEqual(first?.map(({ seq, step }) => [seq, step]), [[1, 1], [2, 2]]);
      await applies.write("a", 1, [line(1, '{"state":"done"}')], []);
      assert.deepEqual((await applies.lines("a", 1, 10)).map(({ seq, body }) => [seq, body]), [
        [2, "{}"],
        [3, '{"state":"done"}'],
      ]);
      assert.deepEqual((await applies.lines("a", 0, 1)).map(({ seq }) => seq), [1]);
      assert.equal(await applies.write("a", 2, [line(3)], [auditEntryOf({ action: "lost" })]), null);
      assert.equal(await applies.write("none", 1, [line(3)], []), null);
      await over(applies, "a");
      assert.equal(await applies.write("a", 1, [line(3)], [auditEntryOf({ action: "late" })]), null);
      assert.equal((await applies.lines("a", 0, 10)).length, 3);
      assert.deepEqual((await actions(store)).filter((one) => one !== "test"), ["begun"]);
    },
  );

  promise("lists applies newest first, page by page, and by what they are about", async (under) => {
    await using store = await under.open("a");
    const { applies } = store;
    for (const [n, id] of ["a", "b", "c", "d"].entries()) {
      const more = id === "d" ? { workspace: "other", group: "site" } : {};
      await applies.add(apply(id, { project: id, createdAt: n === 2 ? 11 : 10 + n, ...more }), ENTRY);
    }
    await over(applies, "a");
    const page = await applies.list({ ...ALL, limit: 2 });
    assert.deepEqual(ids(page), ["d", "c"]);
    const { createdAt: at, id } = page[1]!;
    assert.deepEqual(ids(await applies.list({ ...ALL, before: { at, id } })), ["b", "a"]);
    assert.deepEqual(ids(await applies.list({ ...ALL, workspace: "other" })), ["d"]);
    assert.deepEqual(ids(await applies.list({ ...ALL, group: "shop", state: "running" })), ["c", "b"]);
    assert.deepEqual(ids(await applies.list({ ...ALL, state: "done" })), ["a"]);
  });

  promise(
    "gives what is orphaned to one of all who ask, and shuts out its owner of before",
    async (under) => {
      await using one = await under.open("a");
      await using two = await under.open("a");
      await one.applies.add(apply("a"), ENTRY);
      await one.applies.add(apply("b", { project: "b", leaseUntil: 500 }), ENTRY);
      assert.deepEqual(await two.applies.takeOver(100, { owner: "two", until: 900 }), []);
      assert.deepEqual(ids(await one.applies.renew({ owner: "one", until: 200 })).sort(), ["a", "b"]);
      assert.deepEqual(await two.applies.takeOver(150, { owner: "two", until: 900 }), []);
      const both = await Promise.all([
        one.applies.takeOver(300, { owner: "three", until: 900 }),
        two.applies.takeOver(300, { owner: "two", until: 900 }),
      ]);
      const taken = both.flat();
      assert.deepEqual(taken.map(({ apply, since }) => [apply.id, apply.epoch, since]).sort(), [
        ["a", 2, 200],
        ["b", 2, 200],
      ]);
      assert.equal(await one.applies.write("a", 1, [line(1)], []), null, "who lost it writes nothing");
      assert.notEqual(await two.applies.write("a", 2, [line(1)], []), null);
      assert.deepEqual(await one.applies.renew({ owner: "one", until: 999 }), []);
      const { owner } = taken[0]!.apply;
      await one.applies.release(owner, 400, 900);
      assert.deepEqual(await two.applies.takeOver(400, { owner: "four", until: 900 }), [], "none ends later");
      await one.applies.release(owner, 400);
      assert.ok((await two.applies.takeOver(400, { owner: "four", until: 900 })).length > 0);
      await one.applies.release("four", 2_000);
      const [late] = await two.applies.takeOver(2_000, { owner: "five", until: 3_000 });
      assert.equal(late?.since, 900, "a lease that has ended already keeps its end");
    },
  );

  promise("remembers what was asked of an apply, until it is over", async (under) => {
    await using store = await under.open("a");
    const { applies } = store;
    await applies.add(apply("a"), ENTRY);
    assert.equal(await applies.wish("a", "cancel", ENTRY), true);
    assert.equal((await applies.renew({ owner: "one", until: 1 }))[0]?.wish, "cancel");
    const pausing = { state: "paused", reason: "why", at: 7 } as const;
    assert.equal(
      await applies.write("a", 1, [line(1)], [auditEntryOf({ action: "lost" })], pausing),
      "cancel",
    );
    assert.equal(await applies.write("a", 1, [], [], { ...pausing, heeded: "abandon" }), "cancel");
    assert.deepEqual([(await applies.get("a"))?.state, await applies.lines("a", 0, 9)], ["running", []]);
    assert.ok(!(await actions(store)).includes("lost"));
    assert.deepEqual(await applies.write("a", 1, [], [], { ...pausing, heeded: "cancel" }), []);
    assert.equal(await applies.wish("a", "cancel", ENTRY), false, "a paused one takes it as it resumes");
    assert.deepEqual(await applies.renew({ owner: "one", until: 1 }), [], "a paused one is nobody's");
    assert.deepEqual(await applies.takeOver(1_000, { owner: "two", until: 1 }), []);
    const by = { by: { ...BY, name: "other" }, credential: "key:o", wish: "abandon" } as const;
    const resumed = await applies.resume("a", by, { owner: "two", until: 5 }, ENTRY);
    assert.deepEqual(resumed, {
      ...apply("a"),
      ...by,
      state: "running",
      reason: null,
      endedAt: null,
      owner: "two",
      epoch: 2,
      leaseUntil: 5,
    });
    assert.equal(await applies.resume("a", by, { owner: "two", until: 5 }, ENTRY), null);
    assert.equal(await applies.wish("a", "cancel", ENTRY), true);
    assert.equal((await applies.get("a"))?.wish, "abandon", "the stronger wish stays");
    await applies.write("a", 2, [], [], { state: "cancelled", reason: null, at: 8 });
    assert.equal(await applies.wish("a", "cancel", ENTRY), false);
  });

  promise(
    "forgets applies that ended long ago, with their journals, and none that is in hand",
    async (under) => {
      await using store = await under.open("a");
      const { applies } = store;
      await applies.add(apply("a"), ENTRY);
      await applies.write("a", 1, [line(1)], []);
      await over(applies, "a", "failed");
      await applies.add(apply("b"), ENTRY);
      assert.equal(await applies.forget(5), 0);
      assert.equal(await applies.forget(6), 1);
      assert.deepEqual([ids(await applies.list(ALL)), await applies.lines("a", 0, 9)], [["b"], []]);
    },
  );
}
