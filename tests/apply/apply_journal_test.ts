/** The lines of an apply's journal: what they say of its steps, and what a follower reads of them. */
import assert from "node:assert/strict";
import type { ApplyStore } from "../../core/applies.ts";
import type { ApplyEvent } from "../../projects/apply/apply_shape.ts";
import { ApplyFeed } from "../../projects/apply/feed.ts";
import { followApply } from "../../projects/apply/follow.ts";
import { Journal, lineOf, progressOf } from "../../projects/apply/journal.ts";
import type { Step } from "../../projects/plan/plan_shape.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { ENTRY } from "../access/audit_entry.ts";

const step = (n: number): Step => ({
  n,
  kind: "service.update",
  target: `shop_${n}`,
  unit: null,
  why: [{ code: "asked" }],
  after: [],
  needs: [],
  risk: "none",
});

const BY = { kind: "apiKey", id: "k", name: "key" } as const;
const RECORD = {
  id: "a",
  workspace: "w",
  group: "shop",
  project: "shop",
  backend: "swarm:one",
  work: "{}",
  by: BY,
  credential: null,
  createdAt: 0,
  endedAt: null,
  state: "running",
  reason: null,
  wish: null,
  owner: "one",
  epoch: 1,
  leaseUntil: 1e15,
} as const;

/** Writes a journal in a store of its own; each line is written a second after the one before. */
async function journal(
  work: (journal: Journal, store: ApplyStore) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "berth-journal-" });
  await using made = new AsyncDisposableStack();
  made.defer(() => Deno.remove(folder, { recursive: true }));
  const store = made.use(await openSqliteStore(`${folder}/store.db`));
  let now = 0;
  await store.applies.add(RECORD, ENTRY);
  const options = {
    store: store.applies,
    now: () => now += 1_000,
    entryOf: () => ENTRY,
    written: () => {},
  };
  await work(new Journal(RECORD, options), store.applies);
}

async function eventsOf(store: ApplyStore): Promise<ApplyEvent[]> {
  const record = async () => await store.get("a") ?? assert.fail("it is there");
  const followed = { id: "a", store, feed: new ApplyFeed(), record };
  return await Array.fromAsync(followApply(followed, 0, AbortSignal.timeout(5_000)));
}

Deno.test("A note on the way back does not move the end of a step that was done", async () => {
  await journal(async (journal, store) => {
    await journal.begin(step(1), {});
    await journal.end(step(1), { state: "done" });
    const before = (await progressOf(store, "a")).get(1) ?? assert.fail("it was begun");

    await journal.note(step(1), { waited: true }, lineOf(before));

    const after = (await progressOf(store, "a")).get(1);
    assert.deepEqual(after, { ...before, noted: { waited: true } });
    await journal.undo(step(1), null, () => Promise.resolve(), () => false);
    const undone = (await progressOf(store, "a")).get(1);
    assert.deepEqual([undone?.state, undone?.endedAt === before.endedAt], ["undone", false]);
  });
});

for (const state of ["cancelled", "failed"] as const) {
  Deno.test(`A follower of an apply that ends as ${state} is told last that a step in hand is unknown`, async () => {
    await journal(async (journal, store) => {
      await journal.begin(step(1), {});
      await journal.end(step(1), { state: "done" });
      await journal.begin(step(2), {}); // its replica is killed here, and the swarm is away afterwards
      await journal.close("paused", "the swarm is away");
      const paused = await progressOf(store, "a");
      assert.equal(paused.get(2)?.state, "running", "a paused one goes on");
      await store.resume(
        "a",
        { by: BY, credential: null, wish: "cancel" },
        { owner: "one", until: 1e15 },
        ENTRY,
      );

      await new Journal({ ...RECORD, epoch: 2 }, {
        store,
        now: () => 9_000,
        entryOf: () => ENTRY,
        written: () => {},
      }).close(state, null);

      const events = await eventsOf(store);
      const last = new Map(
        events.flatMap((event) => event.kind === "step" ? [[event.step, event.state]] : []),
      );
      assert.deepEqual([...last], [[1, "done"], [2, "unknown"]]);
      assert.deepEqual(events.at(-1), { kind: "end", state, reason: null });
    });
  });
}
