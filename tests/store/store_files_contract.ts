/** The promises of every store about the texts that files had before. */
import assert from "node:assert/strict";
import type { SealedFileVersion } from "../../core/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { bytes, type Promised, refused } from "./store_records.ts";

const BOUNDS = { most: 3, mostBytes: 100 };

function version(n: number, over: Partial<SealedFileVersion> = {}): Omit<SealedFileVersion, "id"> {
  return {
    workspace: "shop",
    path: "compose.yaml",
    kind: "compose",
    at: 1_000 + n,
    by: { kind: "user", id: "ada", name: "Ada" },
    sha256: `hash ${n}`,
    size: 10,
    sealed: bytes(5, n),
    ...over,
  };
}

const workspace = (id: string) => ({
  id,
  name: id,
  path: `/srv/${id}`,
  createdAt: "2026-01-01T00:00:00.000Z",
  allowHardLinks: false,
  editable: true,
});

export function filesContract(promise: Promised): void {
  promise("remembers the newest texts of a file, whole, in order, across a new start", async (under) => {
    {
      await using store = await under.open("a");
      await store.workspaces.add(workspace("shop"), ENTRY);
      for (const n of [1, 2, 3, 4]) await store.fileVersions.add(version(n), BOUNDS);
      await store.fileVersions.add(version(9, { path: ".env", kind: "env" }), BOUNDS);
    }
    await using store = await under.open("a");
    const listed = await store.fileVersions.list("shop", "compose.yaml");
    assert.deepEqual(listed.map(({ sha256 }) => sha256), ["hash 4", "hash 3", "hash 2"]);
    const { sealed: _, ...plain } = version(4);
    assert.deepEqual(listed[0], { ...plain, id: listed[0]!.id });
    assert.deepEqual(await store.fileVersions.get("shop", listed[0]!.id), {
      ...version(4),
      id: listed[0]!.id,
    });
    assert.equal((await store.fileVersions.list("shop", ".env")).length, 1);
    assert.deepEqual(await store.fileVersions.list("shop", "other.yaml"), []);
  });

  promise("adds no text of a file twice in a row", async (under) => {
    await using store = await under.open("a");
    await store.workspaces.add(workspace("shop"), ENTRY);
    for (const n of [1, 1, 2, 1]) await store.fileVersions.add(version(n), BOUNDS);
    const listed = await store.fileVersions.list("shop", "compose.yaml");
    assert.deepEqual(listed.map(({ sha256 }) => sha256), ["hash 1", "hash 2", "hash 1"]);
  });

  promise("tells the newest versions of some files of a workspace, the newest first", async (under) => {
    await using store = await under.open("a");
    await store.workspaces.add(workspace("shop"), ENTRY);
    await store.workspaces.add(workspace("blog"), ENTRY);
    await store.fileVersions.add(version(8, { workspace: "blog", path: "a.yaml" }), BOUNDS);
    for (const [n, path] of [[1, "a.yaml"], [2, "b.yaml"], [3, "c.yaml"], [4, "a.yaml"]] as const) {
      await store.fileVersions.add(version(n, { path }), BOUNDS);
    }
    const newest = async (paths: string[], limit: number) =>
      (await store.fileVersions.newest("shop", paths, limit)).map(({ sha256 }) => sha256);
    assert.deepEqual(await newest(["a.yaml", "b.yaml"], 9), ["hash 4", "hash 2", "hash 1"]);
    assert.deepEqual(await newest(["a.yaml", "b.yaml"], 2), ["hash 4", "hash 2"]);
    assert.deepEqual(await newest([], 9), []);
  });

  promise("forgets the oldest texts of a workspace beyond its bytes, and of no other", async (under) => {
    await using store = await under.open("a");
    await store.workspaces.add(workspace("shop"), ENTRY);
    await store.workspaces.add(workspace("blog"), ENTRY);
    await store.fileVersions.add(version(0, { workspace: "blog", size: 90 }), BOUNDS);
    for (const n of [1, 2, 3]) {
      await store.fileVersions.add(version(n, { path: `${n}.yaml`, size: 40 }), BOUNDS);
    }
    const counts = await Promise.all(
      ["1.yaml", "2.yaml", "3.yaml"].map(async (path) =>
        (await store.fileVersions.list("shop", path)).length
      ),
    );
    assert.deepEqual(counts, [0, 1, 1]);
    assert.equal((await store.fileVersions.list("blog", "compose.yaml")).length, 1);
  });

  promise("keeps texts within their workspace, and forgets them with it", async (under) => {
    await using store = await under.open("a");
    await store.workspaces.add(workspace("shop"), ENTRY);
    await store.fileVersions.add(version(1), BOUNDS);
    const [{ id } = { id: 0 }] = await store.fileVersions.list("shop", "compose.yaml");
    assert.equal(await store.fileVersions.get("blog", id), null);
    assert.equal(await store.fileVersions.get("shop", id + 1), null);
    await store.workspaces.remove("shop", ENTRY);
    await store.workspaces.add(workspace("shop"), ENTRY);
    assert.equal(await store.fileVersions.get("shop", id), null);
    await refused("workspace_not_found", store.fileVersions.add(version(1, { workspace: "none" }), BOUNDS));
  });
}
