/** Promises of every store for image registries. */
import assert from "node:assert/strict";
import type { RegistryRecord } from "../../core/registries.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { bytes, type Change, MANY, type Promised, refused } from "./store_records.ts";

export function registry(host: string, over: Partial<RegistryRecord> = {}): RegistryRecord {
  return {
    id: `id of ${host}/${over.path ?? ""}`,
    host,
    path: "",
    login: "password",
    username: "ada",
    tokenService: null,
    plainHttp: false,
    ca: null,
    by: { kind: "user", id: "ada", name: "Ada" },
    at: 5,
    sealed: bytes(40, 7),
    ...over,
  };
}

/** As in the store's own contract: the change and its entry, both or neither. */
export const CHANGES_OF_REGISTRIES: readonly Change[] = [
  {
    name: "registries.put",
    change: (store, entry) => store.registries.put(registry("ghcr.io"), MANY, entry),
    state: (store) => store.registries.list(),
  },
  {
    name: "registries.remove",
    before: (store) => store.registries.put(registry("ghcr.io", { id: "one" }), MANY, ENTRY),
    change: (store, entry) => store.registries.remove("one", entry),
    state: (store) => store.registries.list(),
  },
];

export function registriesContract(promise: Promised): void {
  promise("remembers registries in order, one for each host and path, across a new start", async (under) => {
    const plain = registry("a.lan:5000", {
      login: "none",
      username: null,
      plainHttp: true,
      ca: "PEM",
      tokenService: "auth.a.lan",
      sealed: null,
    });
    const all = [plain, registry("b"), registry("b", { path: "team" })];
    {
      await using store = await under.open("a");
      await store.registries.put(registry("b", { id: "before", username: "eve" }), MANY, ENTRY);
      for (const one of all.toReversed()) await store.registries.put(one, MANY, ENTRY);
    }
    await using store = await under.open("a");
    assert.deepEqual(await store.registries.list(), all);
    assert.equal(await store.registries.remove("before", ENTRY), false);
    assert.equal(await store.registries.remove(all[1]!.id, ENTRY), true);
    assert.deepEqual(await store.registries.list(), [all[0], all[2]]);
  });

  promise("keeps no more registries than it may, and replaces one that it has", async (under) => {
    await using store = await under.open("a");
    await store.registries.put(registry("a"), 1, ENTRY);
    await refused("too_many_registries", store.registries.put(registry("b"), 1, ENTRY));
    await store.registries.put(registry("a", { username: "grace" }), 1, ENTRY);
    assert.deepEqual((await store.registries.list()).map(({ username }) => username), ["grace"]);
  });
}
