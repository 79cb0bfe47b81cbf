/** Promises of every store for adopted containers. */
import assert from "node:assert/strict";
import type { Claim } from "../../core/claims.ts";
import type { Store } from "../../core/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { type Change, MANY, type Promised, refused } from "./store_records.ts";

export function claimOf(container: string, over: Partial<Claim> = {}): Claim {
  return {
    id: `claim-${container}`,
    engine: "docker",
    container,
    name: `web-${container}`,
    workspace: "shop",
    group: "shop",
    project: "shop",
    service: "web",
    folder: "/srv/shop",
    file: "/srv/shop/compose.yaml",
    by: { kind: "user", id: "ada", name: "Ada" },
    at: 5,
    goneAt: null,
    ...over,
  };
}

const addWorkspace = (store: Store, id = "shop") =>
  store.workspaces.add({
    id,
    name: id,
    path: `/srv/${id}`,
    createdAt: "2026-01-01T00:00:00.000Z",
    allowHardLinks: false,
    editable: true,
  }, ENTRY);

const one = async (store: Store) => {
  await addWorkspace(store);
  await store.claims.add([claimOf("a")], MANY, ENTRY);
};

/** As in the store's own contract: the change and its entry, both or neither. */
export const CHANGES_OF_CLAIMS: readonly Change[] = [
  {
    name: "claims.add",
    before: (store) => addWorkspace(store),
    change: (store, entry) => store.claims.add([claimOf("a"), claimOf("b")], MANY, entry),
    state: (store) => store.claims.list(),
  },
  {
    name: "claims.move",
    before: one,
    change: (store, entry) => store.claims.move("claim-a", "z", entry),
    state: (store) => store.claims.list(),
  },
  {
    name: "claims.remove",
    before: one,
    change: (store, entry) => store.claims.remove("claim-a", entry),
    state: (store) => store.claims.list(),
  },
];

export function claimsContract(promise: Promised): void {
  promise("remembers adopted containers, across a new start and for every handle", async (under) => {
    const all = [claimOf("a"), claimOf("b"), claimOf("a", { id: "other", engine: "podman", goneAt: 7 })];
    {
      await using store = await under.open("a");
      await addWorkspace(store);
      await store.claims.add(all.toReversed(), MANY, ENTRY);
    }
    await using store = await under.open("a");
    await using other = await under.open("a");
    assert.deepEqual(await other.claims.list(), all);
    await other.claims.note(new Map([["claim-a", 9], ["other", null]]));
    assert.deepEqual((await store.claims.list()).map(({ goneAt }) => goneAt), [9, null, null]);
    assert.equal(await store.claims.move("claim-a", "c", ENTRY), true);
    assert.deepEqual((await other.claims.list()).map(({ container, goneAt }) => [container, goneAt]), [
      ["b", null],
      ["c", null],
      ["a", null],
    ]);
    await other.claims.forget(["claim-b", "none"]);
    assert.equal(await store.claims.remove("other", ENTRY), true);
    assert.equal(await store.claims.remove("other", ENTRY), false);
    assert.equal(await store.claims.move("other", "d", ENTRY), false);
    assert.deepEqual((await store.claims.list()).map(({ id }) => id), ["claim-a"]);
  });

  promise("adopts no container twice, no more than it may, and all or none", async (under) => {
    await using store = await under.open("a");
    await addWorkspace(store);
    await store.claims.add([claimOf("a")], 2, ENTRY);
    await refused("already_claimed", store.claims.add([claimOf("b"), claimOf("a", { id: "n" })], 9, ENTRY));
    await refused("too_many_claims", store.claims.add([claimOf("b"), claimOf("c")], 2, ENTRY));
    assert.deepEqual((await store.claims.list()).map(({ container }) => container), ["a"]);
    await store.claims.add([claimOf("b")], 2, ENTRY);
    await refused("already_claimed", store.claims.move("claim-b", "a", ENTRY));
    const { total } = await store.audit.list({
      before: null,
      limit: 9,
      action: null,
      actor: null,
      result: null,
    });
    assert.equal(total, 3, "the workspace and two claims");
  });

  promise("forgets adopted containers with their workspace", async (under) => {
    await using store = await under.open("a");
    await addWorkspace(store);
    await addWorkspace(store, "zoo");
    await store.claims.add([claimOf("a"), claimOf("b", { workspace: "zoo" })], MANY, ENTRY);
    await store.workspaces.remove("shop", ENTRY);
    assert.deepEqual((await store.claims.list()).map(({ container }) => container), ["b"]);
  });
}
