/** Promises of every store for newer images. */
import assert from "node:assert/strict";
import { ENTRY } from "../access/audit_entry.ts";
import { type Change, MANY, type Promised } from "./store_records.ts";

const check = (reference: string, nextAt = 5, body = "{}") => ({ reference, body, nextAt });

/** As in the store's own contract: the change and its entry, both or neither. */
export const CHANGES_OF_UPDATES: readonly Change[] = [
  {
    name: "updates.setRules",
    change: (store, entry) => store.updates.setRules({ enabled: true, coolDownDays: 3 }, entry),
    state: (store) => store.updates.rules(),
  },
];

export function updatesContract(promise: Promised): void {
  promise("looks for newer images only once somebody says so, across a new start", async (under) => {
    {
      await using store = await under.open("a");
      assert.deepEqual(await store.updates.rules(), { enabled: false, coolDownDays: 0, revision: 0 });
      await store.updates.setRules({ enabled: true, coolDownDays: 7 }, ENTRY);
    }
    await using store = await under.open("a");
    await using other = await under.open("a");
    const { revision, ...rules } = await other.updates.rules();
    assert.deepEqual(rules, { enabled: true, coolDownDays: 7 });
    await store.updates.putChecks([check("b")], MANY);
    assert.notEqual((await other.updates.rules()).revision, revision);
  });

  promise("keeps one check for each reference, and no more than it may", async (under) => {
    await using store = await under.open("a");
    await store.updates.putChecks([check("b"), check("a")], MANY);
    await store.updates.putChecks([check("b", 9, '{"x":1}'), check("c")], 2);
    assert.deepEqual(await store.updates.checks(), [check("a"), check("b", 9, '{"x":1}')]);
    await store.updates.hasten(7);
    assert.deepEqual((await store.updates.checks()).map(({ nextAt }) => nextAt), [5, 7]);
    await store.updates.forgetChecks(["a", "none"]);
    assert.deepEqual((await store.updates.checks()).map(({ reference }) => reference), ["b"]);
  });
}
