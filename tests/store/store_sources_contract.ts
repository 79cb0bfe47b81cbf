/** Promises of every store for the repositories that workspaces follow. */
import assert from "node:assert/strict";
import type { SourceRecord } from "../../core/source.ts";
import type { Store } from "../../core/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { bytes, type Change, MANY, type Promised, refused, workspaceIn } from "./store_records.ts";

export function sourceOf(workspace: string, over: Partial<SourceRecord> = {}): SourceRecord {
  return {
    workspace,
    url: "https://git.example/ada/home.git",
    branch: "main",
    folder: "",
    policy: "manual",
    by: { kind: "user", id: "ada", name: "Ada" },
    createdAt: 5,
    credential: bytes(16, 4),
    synced: null,
    syncing: null,
    head: null,
    checkedAt: null,
    error: null,
    failures: 0,
    hook: null,
    ssh: null,
    signers: [],
    waiting: null,
    todo: null,
    ...over,
  };
}

const withSource = async (store: Store) => {
  await workspaceIn(store, "shop");
  await store.sources.put(sourceOf("shop"), MANY, ENTRY);
};
const state = (store: Store) => store.sources.list();

/** As in the store's own contract: the change and its entry, both or neither. */
export const CHANGES_OF_SOURCES: readonly Change[] = [
  {
    name: "sources.put",
    before: (store) => workspaceIn(store, "shop"),
    change: (store, entry) => store.sources.put(sourceOf("shop"), MANY, entry),
    state,
  },
  {
    name: "sources.remove",
    before: withSource,
    change: (store, entry) => store.sources.remove("shop", entry),
    state,
  },
  {
    name: "sources.setHook",
    before: withSource,
    change: (store, entry) => store.sources.setHook("shop", { id: "h", secret: bytes(8, 1) }, entry),
    state,
  },
  {
    name: "sources.sync",
    before: withSource,
    change: (store, entry) =>
      store.sources.sync("shop", {
        synced: null,
        policy: "manual",
        syncing: { from: null, to: "b", inPlace: ["c"], keep: [], overwrite: {} },
      }, entry),
    state,
  },
];

export function sourcesContract(promise: Promised): void {
  promise(
    "remembers sources, their checks and syncs, across a new start and for every handle",
    async (under) => {
      {
        await using store = await under.open("a");
        await workspaceIn(store, "b");
        await workspaceIn(store, "a");
        await store.sources.put(sourceOf("b"), MANY, ENTRY);
        await store.sources.put(sourceOf("a", { credential: null }), MANY, ENTRY);
        const before = sourceOf("a", { createdAt: 4 });
        await store.sources.note(before, { head: "other", checkedAt: 6, error: null, failures: 0 });
        assert.equal((await store.sources.get("a"))?.head, null, "of the source that was there before");
        await store.sources.note(sourceOf("a"), { head: "h", checkedAt: 7, error: "why", failures: 2 });
        const syncing = { from: null, to: "h", inPlace: ["one.conf"], keep: ["a"], overwrite: { b: "id" } };
        assert.equal(await store.sources.sync("b", { synced: null, syncing, policy: "auto" }, ENTRY), true);
      }
      await using store = await under.open("a");
      const a = sourceOf("a", { credential: null, head: "h", checkedAt: 7, error: "why", failures: 2 });
      const b = sourceOf("b", {
        policy: "auto",
        syncing: { from: null, to: "h", inPlace: ["one.conf"], keep: ["a"], overwrite: { b: "id" } },
      });
      assert.deepEqual(await store.sources.list(), [a, b]);
      assert.deepEqual(await store.sources.get("b"), b);
      assert.equal(
        await store.sources.sync("b", { synced: "h", syncing: null, policy: "manual" }, ENTRY),
        true,
      );
      assert.deepEqual(await store.sources.get("b"), sourceOf("b", { synced: "h" }));
      const todo = { groups: [{ name: "web", isNew: true, added: ["u"] }], isTried: true };
      await store.sources.setAuto(sourceOf("b", { createdAt: 4 }), { waiting: "of one before", todo: null });
      assert.equal((await store.sources.get("b"))?.waiting, null);
      await store.sources.setAuto(sourceOf("b"), { waiting: "why", todo });
      assert.deepEqual(await store.sources.get("b"), sourceOf("b", { synced: "h", waiting: "why", todo }));
      const signers = [{ key: "ssh-ed25519 C", name: "ada", fingerprint: "SHA256:c" }];
      const ssh = {
        publicKey: "ssh-ed25519 A",
        hostKeys: [{ key: "ssh-ed25519 B", fingerprint: "SHA256:b" }],
      };
      await store.sources.put(sourceOf("b", { branch: "next", ssh, signers }), MANY, ENTRY);
      assert.deepEqual(await store.sources.get("b"), sourceOf("b", { branch: "next", ssh, signers }));
      assert.equal(await store.sources.get("none"), null);
      assert.equal(await store.sources.remove("b", ENTRY), true);
      assert.equal(await store.sources.remove("b", ENTRY), false);
      assert.equal(
        await store.sources.sync("b", { synced: "h", syncing: null, policy: "manual" }, ENTRY),
        false,
      );
      await store.sources.note(sourceOf("b"), { head: null, checkedAt: 1, error: null, failures: 0 });
      assert.equal(await store.sources.setHook("b", null, ENTRY), false);
    },
  );

  promise(
    "finds a source by its hook, until that is replaced or taken away",
    async (under) => {
      await using store = await under.open("a");
      await workspaceIn(store, "a");
      const hook = { id: "one", secret: bytes(40, 2) };
      await store.sources.put(sourceOf("a", { hook }), MANY, ENTRY);
      assert.deepEqual(await store.sources.ofHook("one"), sourceOf("a", { hook }));
      const other = { id: "two", secret: bytes(40, 3) };
      assert.equal(await store.sources.setHook("a", other, ENTRY), true);
      assert.equal(await store.sources.ofHook("one"), null);
      assert.deepEqual((await store.sources.ofHook("two"))?.hook, other);
      assert.equal(await store.sources.setHook("a", null, ENTRY), true);
      assert.deepEqual(await store.sources.get("a"), sourceOf("a"));
    },
  );

  promise("keeps no source without its workspace, and no more than it is told", async (under) => {
    await using store = await under.open("a");
    await refused("workspace_not_found", store.sources.put(sourceOf("none"), MANY, ENTRY));
    await workspaceIn(store, "a");
    await workspaceIn(store, "b");
    await store.sources.put(sourceOf("a"), 1, ENTRY);
    await store.sources.put(sourceOf("a", { branch: "next" }), 1, ENTRY);
    await refused("source_refused", store.sources.put(sourceOf("b"), 1, ENTRY));
    await store.workspaces.remove("a", ENTRY);
    assert.deepEqual(await store.sources.list(), []);
  });
}
