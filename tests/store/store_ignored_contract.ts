/** Promises of every store for ignored projects and containers. */
import assert from "node:assert/strict";
import type { IgnoredRecord } from "../../core/ignored.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { type Change, MANY, type Promised, refused } from "./store_records.ts";

function ignored(name: string, over: Partial<IgnoredRecord> = {}): IgnoredRecord {
  const by = { kind: "user", id: "ada", name: "Ada" } as const;
  return { engine: "docker", kind: "project", name, by, at: 5, ...over };
}

/** As in the store's own contract: the change and its entry, both or neither. */
export const CHANGES_OF_IGNORED: readonly Change[] = [
  {
    name: "ignored.add",
    change: (store, entry) => store.ignored.add(ignored("shop"), MANY, entry),
    state: (store) => store.ignored.list(),
  },
  {
    name: "ignored.remove",
    before: async (store) => void await store.ignored.add(ignored("shop"), MANY, ENTRY),
    change: (store, entry) => store.ignored.remove(ignored("shop"), entry),
    state: (store) => store.ignored.list(),
  },
];

export function ignoredContract(promise: Promised): void {
  promise(
    "remembers ignored projects and containers in order, across a new start and for every handle",
    async (under) => {
      const all = [
        ignored("a", { kind: "container" }),
        ignored("b"),
        ignored("b", { engine: "podman", at: 9 }),
      ];
      {
        await using store = await under.open("a");
        for (const one of all.toReversed()) assert.equal(await store.ignored.add(one, MANY, ENTRY), true);
      }
      await using store = await under.open("a");
      await using other = await under.open("a");
      assert.deepEqual(await other.ignored.list(), all);
      assert.equal(await other.ignored.remove(all[1]!, ENTRY), true);
      assert.deepEqual(await store.ignored.list(), [all[0], all[2]]);
    },
  );

  promise("ignores nothing twice, and no more than it may", async (under) => {
    await using store = await under.open("a");
    assert.equal(await store.ignored.add(ignored("a"), 2, ENTRY), true);
    assert.equal(await store.ignored.add(ignored("a", { at: 6 }), 2, ENTRY), false);
    assert.equal(await store.ignored.add(ignored("b"), 2, ENTRY), true);
    await refused("too_many_ignored", store.ignored.add(ignored("c"), 2, ENTRY));
    assert.equal(await store.ignored.add(ignored("b"), 2, ENTRY), false);
    assert.deepEqual(await store.ignored.list(), [ignored("a"), ignored("b")]);
    assert.equal(await store.ignored.remove(ignored("c"), ENTRY), false);
    assert.equal(
      (await store.audit.list({ before: null, limit: 9, action: null, actor: null, result: null })).total,
      2,
    );
  });
}
