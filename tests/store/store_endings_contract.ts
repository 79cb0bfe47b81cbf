/** Promises of every store for endings of containers. */
import assert from "node:assert/strict";
import type { EndingQuery, EndingRecord } from "../../core/endings.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { bytes, type Promised } from "./store_records.ts";

const ending = (id: string, over: Partial<EndingRecord> = {}): EndingRecord => ({
  id,
  at: 1_000,
  engine: "docker",
  containerId: `id-${id}`,
  container: `shop-${id}-1`,
  workspace: null,
  group: null,
  unit: null,
  startedFrom: null,
  project: "shop",
  exitCode: 137,
  outOfMemory: true,
  words: "kept",
  more: 0,
  ...over,
});

const WORKSPACE = {
  id: "srv",
  name: "srv",
  path: "/srv",
  createdAt: "2026-01-01T00:00:00.000Z",
  allowHardLinks: false,
  editable: false,
};

const ALL: EndingQuery = {
  workspace: null,
  unit: null,
  container: null,
  engine: null,
  from: null,
  to: null,
  before: null,
  limit: 100,
};

export function endingsContract(promise: Promised): void {
  promise("keeps endings with their words, and counts further ones", async (under) => {
    {
      await using store = await under.open("a");
      await store.endings.add(ending("a"), bytes(8, 1));
      await store.endings.count([{ id: "a", by: 2 }, { id: "gone", by: 1 }]);
      await store.endings.count([{ id: "a", by: 3 }]);
    }
    await using store = await under.open("a");
    assert.deepEqual(await store.endings.get("a"), {
      ending: { ...ending("a"), more: 5 },
      sealed: bytes(8, 1),
    });
    assert.equal(await store.endings.get("b"), null);
  });

  promise("lists endings newest first, by what is asked, and page by page", async (under) => {
    await using store = await under.open("a");
    await store.workspaces.add(WORKSPACE, ENTRY);
    const web = { workspace: "srv", group: "shop", unit: "unit:shop.web" };
    await store.endings.add(ending("a", { at: 1_000, ...web }), null);
    await store.endings.add(ending("b", { at: 2_000, engine: "podman", exitCode: null }), null);
    await store.endings.add(ending("c", { at: 2_000, workspace: "unknown" }), null);
    const ids = async (query: Partial<EndingQuery>) =>
      (await store.endings.list({ ...ALL, ...query })).map(({ id }) => id);
    assert.deepEqual(await ids({}), ["c", "b", "a"]);
    assert.deepEqual(await ids({ limit: 1, before: { at: 2_000, id: "c" } }), ["b"]);
    assert.deepEqual(await ids({ workspace: "srv" }), ["a"]);
    assert.deepEqual(await ids({ unit: "unit:shop.web" }), ["a"]);
    assert.deepEqual(await ids({ container: "shop-b-1" }), ["b"]);
    assert.deepEqual(await ids({ container: "id-b", engine: "docker" }), []);
    assert.deepEqual(await ids({ from: 1_001, to: 2_000 }), ["c", "b"]);
    assert.equal((await store.endings.get("c"))?.ending.workspace, null);
    await store.workspaces.remove("srv", ENTRY);
    assert.deepEqual(await ids({}), ["c", "b"]);
  });

  promise("forgets old endings, those beyond a number, and the oldest words beyond a size", async (under) => {
    await using store = await under.open("a");
    for (const n of [1, 2, 3, 4]) await store.endings.add(ending(`e${n}`, { at: n * 1_000 }), bytes(100, n));
    assert.equal(await store.endings.forget(1_500, 100, 250), 1);
    const words = (await store.endings.list(ALL)).map(({ id, words }) => `${id} ${words}`);
    assert.deepEqual(words, ["e4 kept", "e3 kept", "e2 forgotten"]);
    assert.equal((await store.endings.get("e2"))?.sealed, null);
    assert.equal(await store.endings.forget(0, 2, 250), 1);
    assert.deepEqual((await store.endings.list(ALL)).map(({ id }) => id), ["e4", "e3"]);
  });
}
