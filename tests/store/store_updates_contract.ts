/** Promises of every store for newer images. */
import assert from "node:assert/strict";
import { ENTRY } from "../access/audit_entry.ts";
import type { FailedUpdate, ProjectUpdates } from "../../core/updates.ts";
import { type Change, MANY, type Promised, workspaceIn } from "./store_records.ts";

const OF = { workspace: "shop", group: "web" };

const wanted = (over: Partial<ProjectUpdates> = {}): ProjectUpdates => ({
  ...OF,
  automatic: true,
  window: { from: "23:00", to: "05:00", timeZone: "Europe/Berlin" },
  coolDownDays: 3,
  by: { kind: "user", id: "ada", name: "Ada" },
  at: 5,
  waits: null,
  wentBackAt: null,
  ...over,
});

const failure = (unit: string, at: number): FailedUpdate => ({
  ...OF,
  unit,
  digest: `sha256:${"a".repeat(64)}`,
  apply: "an apply",
  reason: "it ended",
  at,
});

const check = (reference: string, nextAt = 5, body = "{}") => ({ reference, body, nextAt });

/** As in the store's own contract: the change and its entry, both or neither. */
export const CHANGES_OF_UPDATES: readonly Change[] = [
  {
    name: "updates.setRules",
    change: (store, entry) => store.updates.setRules({ enabled: true, coolDownDays: 3 }, entry),
    state: (store) => store.updates.rules(),
  },
  {
    name: "updates.setProject",
    before: (store) => workspaceIn(store, "shop"),
    change: (store, entry) => store.updates.setProject(OF, wanted(), entry),
    state: (store) => store.updates.projects(),
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

  promise(
    "keeps what a person wants of a project, and how it stands, until the folder goes",
    async (under) => {
      await using store = await under.open("a");
      await workspaceIn(store, "shop");
      await store.updates.setProject(OF, wanted(), ENTRY);
      await store.updates.setProject(OF, wanted({ coolDownDays: null, window: null }), ENTRY);
      await store.updates.noteProject(OF, { waits: "ada is gone", wentBackAt: 9 });
      await store.updates.noteProject({ ...OF, group: "none" }, { waits: "x", wentBackAt: null });
      const known = wanted({ coolDownDays: null, window: null, waits: "ada is gone", wentBackAt: 9 });
      assert.deepEqual(await store.updates.projects(), [known]);
      const { revision } = await store.updates.rules();
      await store.updates.setProject(OF, wanted(), ENTRY);
      assert.deepEqual(await store.updates.projects(), [wanted()]);
      assert.notEqual((await store.updates.rules()).revision, revision);
      await store.updates.setProject(OF, null, ENTRY);
      assert.deepEqual(await store.updates.projects(), []);
      await store.updates.setProject(OF, wanted(), ENTRY);
      await store.updates.addFailures([failure("a", 1)], MANY);
      await store.workspaces.remove("shop", ENTRY);
      assert.deepEqual([await store.updates.projects(), await store.updates.failures()], [[], []]);
    },
  );

  promise("keeps the newest updates that went back, each digest of a unit once", async (under) => {
    await using store = await under.open("a");
    await workspaceIn(store, "shop");
    await store.updates.addFailures([failure("a", 1), failure("b", 2), {
      ...failure("c", 3),
      workspace: "gone",
    }], 3);
    await store.updates.addFailures([failure("a", 4), failure("d", 5), failure("e", 6)], 3);
    assert.deepEqual(await store.updates.failures(), [failure("a", 4), failure("d", 5), failure("e", 6)]);
  });
}
