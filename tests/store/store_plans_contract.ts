/** The promises of every store about plans. */
import assert from "node:assert/strict";
import type { PlanRecord } from "../../core/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import type { Change, Promised } from "./store_records.ts";

function plan(id: string, over: Partial<PlanRecord> = {}): PlanRecord {
  return {
    id,
    workspaceId: "shop",
    project: "shop",
    backend: "docker",
    creator: { kind: "apiKey", id: "k" },
    createdBy: "ci",
    createdAt: 1,
    expiresAt: 100,
    body: '{"steps":[]}',
    ...over,
  };
}

/** As in the store's own contract: the change and its entry, both or neither. */
export const CHANGES_OF_PLANS: readonly Change[] = [
  {
    name: "plans.add",
    change: (store, entry) => store.plans.add([plan("one")], 1, { ofOne: 10, all: 10 }, entry),
    state: (store) => store.plans.get("one", 1),
  },
];

export function plansContract(promise: Promised): void {
  promise(
    "remembers a plan whole until it expires, across a new start and for every handle",
    async (under) => {
      const one = plan("one", { creator: { kind: "user", id: "ada" }, body: '{"steps":[{"n":1}]}' });
      {
        await using store = await under.open("a");
        await store.plans.add([one], 1, { ofOne: 10, all: 10 }, ENTRY);
      }
      await using store = await under.open("a");
      await using other = await under.open("a");
      assert.deepEqual(await other.plans.get("one", 99), one);
      assert.equal(await store.plans.get("one", 100), null);
      assert.equal(await store.plans.get("two", 1), null);
    },
  );

  promise("forgets plans that have expired, and the oldest where there are too many", async (under) => {
    await using store = await under.open("a");
    const most = (all: number) => ({ ofOne: all, all });
    const there = async () => {
      const known = await Promise.all(["a", "b", "c", "d"].map((id) => store.plans.get(id, 0)));
      return known.flatMap((one) => one?.id ?? []).join("");
    };
    await store.plans.add([plan("a", { createdAt: 1, expiresAt: 5 })], 1, most(10), ENTRY);
    await store.plans.add([plan("b", { createdAt: 2 })], 2, most(10), ENTRY);
    assert.equal(await there(), "ab");
    await store.plans.add([plan("c", { createdAt: 5 })], 5, most(10), ENTRY);
    assert.equal(await there(), "bc", "the first has expired");
    await store.plans.add([plan("d", { createdAt: 5 })], 5, most(2), ENTRY);
    assert.equal(await there(), "cd", "two at most");
    await store.plans.add([plan("a", { createdAt: 6 }), plan("b", { createdAt: 6 })], 6, most(3), ENTRY);
    assert.equal(await there(), "abd", "two at once, with the newest of those before");
  });

  promise(
    "forgets of a creator's plans their own oldest first, and of all only beyond another bound",
    async (under) => {
      await using store = await under.open("a");
      const of = (id: string, creator: string, createdAt: number) =>
        plan(id, { createdAt, creator: { kind: "user", id: creator } });
      const there = async () => {
        const known = await Promise.all(["a", "b", "c", "d", "e"].map((id) => store.plans.get(id, 0)));
        return known.flatMap((one) => one?.id ?? []).join("");
      };
      await store.plans.add([of("a", "ada", 1)], 1, { ofOne: 2, all: 9 }, ENTRY);
      await store.plans.add([of("b", "ben", 2), of("c", "ben", 2)], 2, { ofOne: 2, all: 9 }, ENTRY);
      await store.plans.add([of("d", "ben", 3)], 3, { ofOne: 2, all: 9 }, ENTRY);
      assert.equal(await there(), "acd", "of ben's the oldest, and none of ada's");
      await store.plans.add([of("e", "eve", 4)], 4, { ofOne: 2, all: 3 }, ENTRY);
      assert.equal(await there(), "cde", "of all the oldest");
    },
  );
}
