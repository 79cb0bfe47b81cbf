/** The turns of the policy `auto` over a real store: what a person changes between two groups holds for the next one. */
import assert from "node:assert/strict";
import type { Principal } from "../../core/access.ts";
import type { SourceRecord, SourceStore } from "../../core/source.ts";
import { Auto } from "../../git/auto.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { sourceOf } from "../store/store_sources_contract.ts";
import { startService, type TestService } from "../support/service.ts";

const OPERATOR = { role: null, permissions: ["projects:apply"] };
const OWNER: Principal = { kind: "user", id: "ada", name: "Ada", ...OPERATOR, grants: [OPERATOR] };
const todo = {
  groups: ["one", "two", "three"].map((name) => ({ name, isNew: true, added: [] })),
  isTried: false,
};

interface Turned {
  readonly applied: readonly string[];
  readonly record: SourceRecord | null;
}

/** Lets the policy apply three groups; `between` is what a person does while the first of them is applied. */
async function turned(
  between: (store: SourceStore, record: SourceRecord) => Promise<unknown>,
  holder: () => Principal | null = () => OWNER,
): Promise<Turned> {
  await using berth = await startService();
  const id = await folderOf(berth);
  const { sources: store } = berth.berth.store;
  const record = sourceOf(id, { policy: "auto", head: "c", synced: "c", todo });
  await store.put(record, 100, ENTRY);
  const applied: string[] = [];
  const unused = () => Promise.reject(new Error("Nothing is to be synced"));
  const auto = new Auto({
    store,
    holder: () => Promise.resolve(holder()),
    isRunning: unused,
    applyGroup: async ({ group }) => {
      applied.push(group.name);
      if (applied.length === 1) await between(store, record);
      return null;
    },
    entryOf: () => ENTRY,
    record: async (workspace) => (await store.get(workspace))!, // it was put
    follow: unused,
    sync: unused,
    turn: () => Promise.resolve(true),
    model: unused,
    signal: new AbortController().signal,
  });
  await auto.run(id);
  return { applied, record: await store.get(id) };
}

async function folderOf(berth: TestService): Promise<string> {
  const path = `${berth.folder}/workspaces/home`;
  await Deno.mkdir(path);
  const made = await berth.call("POST /api/workspaces", { path });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

Deno.test("groups that a commit changes are applied one after the other while nobody interferes", async () => {
  const { applied, record } = await turned(() => Promise.resolve());

  assert.deepEqual(applied, ["one", "two", "three"]);
  assert.deepEqual([record?.waiting, record?.todo], [null, null]);
});

Deno.test("a source that is set to manual, removed or synced by a person has no further group applied", async () => {
  const anew = (record: SourceRecord) => ({ ...record, policy: "manual" as const, createdAt: 6, todo: null });

  const manual = await turned((store, record) => store.put(anew(record), 100, ENTRY));
  assert.deepEqual(manual.applied, ["one"]);
  assert.deepEqual([manual.record?.waiting, manual.record?.todo], [null, null]);

  const removed = await turned((store, { workspace }) => store.remove(workspace, ENTRY));
  assert.deepEqual(removed, { applied: ["one"], record: null });

  const synced = await turned(async (store, record) => {
    await store.sync(record.workspace, { synced: "b", syncing: null, policy: "manual" }, ENTRY);
    await store.setAuto(record, { waiting: null, todo: null });
  });
  assert.deepEqual([synced.applied, synced.record?.todo], [["one"], null]);
});

Deno.test("an owner that loses its rights between two groups has no further group applied", async () => {
  let isGone = false;

  const { applied, record } = await turned(
    () => Promise.resolve(isGone = true),
    () => isGone ? null : OWNER,
  );

  assert.deepEqual(applied, ["one"]);
  assert.match(record?.waiting ?? "", /^Ada, who set the policy "auto", is gone/);
  assert.deepEqual(record?.todo, { groups: todo.groups.slice(1), isTried: false });
});
