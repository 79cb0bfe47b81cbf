/** Moving everything from one store to the other and back: nothing is lost, nothing damaged is taken. */
import assert from "node:assert/strict";
import { claimOf } from "./store_claims_contract.ts";
import { COPIED } from "../../store/copy.ts";
import { readCopy, writeCopy } from "../../store/copy_file.ts";
import { openPostgresStore } from "../../store/postgres/store.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { SqliteDatabase } from "../../store/sqlite/database.ts";
import { sealsFrom } from "../../auth/audit/seals.ts";
import { auditEntryOf, ENTRY } from "../access/audit_entry.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { account, bytes, key, MANY, refused, session } from "./store_records.ts";
import { registry } from "./store_registries_contract.ts";
import { sourceOf } from "./store_sources_contract.ts";
import type { Store } from "../../core/store.ts";

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;
const SEALS = await sealsFrom(new Uint8Array(32).fill(7));
/** The tables that each kind of store has for itself. */
const OWN = ["schema_version", "replicas", "sealing", "setup_token", "room", "turns"];

function test(name: string, work: (folder: string) => Promise<void>): void {
  Deno.test({
    name,
    ignore: CANNOT_RUN_POSTGRES !== null,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: "berth-copy-" });
      try {
        await work(folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** A row in every table. */
async function fillStore(store: Store): Promise<void> {
  await store.keys.setUp({ key: key("first", { grants: [{ role: "admin" }] }) }, ENTRY);
  await store.workspaces.add({
    ...{ id: "shop", name: 'Zürich "shop"', path: "/srv/shop", createdAt: "2026-01-01T00:00:00.000Z" },
    ...{ allowHardLinks: true, editable: false },
  }, ENTRY);
  const by = { kind: "user", id: "ada", name: "Ada" } as const;
  const text = {
    workspace: "shop",
    path: "a.env",
    kind: "env",
    at: 5,
    by,
    sha256: "0",
    size: 3,
    sealed: bytes(9, 9),
  };
  await store.fileVersions.add({ ...text } as Parameters<Store["fileVersions"]["add"]>[0], {
    most: 9,
    mostBytes: 999,
  });
  const person = { id: "bob", issuer: "berth", subject: "bob", name: "Bob", password: null, createdAt: 1 };
  await store.people.add(
    { ...person, grants: [{ role: "viewer" }] },
    { hash: bytes(32, 3), expiresAt: 99 },
    ENTRY,
  );
  await store.sessions.open(session("s", 1), account("ada", { claims: '{"b":1,"a":[]}' }), () => ENTRY);
  const rotation = { session: "s", presented: bytes(32, 1), successor: bytes(32, 2), sealed: bytes(4, 4) };
  await store.sessions.rotate({ ...rotation, now: 5, graceMs: 10, idleMs: 1_000 }, ENTRY);
  await store.keys.add(key("k", { creator: { kind: "user", id: "bob" }, from: ["10.0.0.0/8"] }), MANY, ENTRY);
  const signing = {
    kid: "k1",
    algorithm: "EdDSA",
    publicKey: "{}",
    sealed: bytes(8, 1),
    createdAt: 1,
    since: 1,
  };
  await store.signingKeys.add({ ...signing, state: "pending" }, ENTRY);
  await store.audit.append(
    Array.from({ length: 1_200 }, (_, at) => auditEntryOf({ at, particulars: { at: `${at}` } })),
  );
  await store.ignored.add({ engine: "docker", kind: "project", name: "old", by, at: 7 }, MANY, ENTRY);
  await store.claims.add([claimOf("c", { goneAt: 3 })], MANY, ENTRY);
  await store.registries.put(registry("ghcr.io"), MANY, ENTRY);
  await store.sources.put(sourceOf("shop", { synced: "s", head: "h" }), MANY, ENTRY);
  const subject = { kind: "engine", engine: "docker" } as const;
  const nowhere = { workspace: null, group: null, project: null, unit: null, container: null };
  const state = { kind: "engine", since: 1, atLatest: true, cause: { kind: "engine" }, fields: [] } as const;
  const open = { openedAt: 2, closedAt: null, end: null, endings: 1, atFirst: false, lines: 1 };
  await store.incidents.write([{
    incident: { id: "i", subject: { ...subject, ...nowhere }, ...state, ...open },
    line: { at: 2, ...state },
  }]);
  const ended = { containerId: "c", container: "web", group: null, unit: null, project: null, exitCode: 1 };
  await store.endings.add({
    ...{
      id: "e",
      at: 1,
      engine: "docker",
      workspace: "shop",
      outOfMemory: false,
      words: "kept",
      more: 0,
      startedFrom: null,
    },
    ...ended,
  }, bytes(8, 1));
  await store.updates.setRules({ enabled: true, coolDownDays: 3 }, ENTRY);
  const project = { workspace: "shop", group: "web" };
  const window = { from: "23:00", to: "05:00", timeZone: "Europe/Berlin" };
  const wanted = {
    ...project,
    automatic: true,
    window,
    coolDownDays: 3,
    by,
    at: 5,
    waits: "x",
    wentBackAt: 9,
  };
  await store.updates.setProject(project, wanted, ENTRY);
  const failed = {
    ...project,
    unit: "unit:web.app",
    digest: "sha256:a",
    apply: "a",
    reason: "it ended",
    at: 5,
  };
  await store.updates.addFailures([failed], MANY);
  await store.updates.putChecks([{ reference: "docker.io/library/a:1", body: "{}", nextAt: 5 }], MANY);
  const notice = {
    id: "n",
    name: "phone",
    kind: "ntfy",
    host: "ntfy.sh",
    tells: ["engine"],
    on: [],
  } as const;
  await store.notices.add(
    { ...notice, afterS: 60, quiet: null, by, at: 7, sealed: bytes(8, 1) },
    MANY,
    ENTRY,
  );
  const mute = { on: "engine:docker", unit: null, incident: null, kinds: [], until: 99, by, at: 7 };
  await store.mutes.add({ id: "m", ...mute }, MANY, 0, ENTRY);
  const later = {
    incident: { id: "later", subject: { ...subject, ...nowhere, engine: "podman" }, ...state, ...open },
  };
  await store.incidents.write([{
    ...later,
    line: null,
    outbox: { to: [{ notice: "n", dueAt: 9 }], soonerAt: null, isWorse: false },
  }]);
  while (await store.audit.seal(SEALS, 500) > 0);
  await store.audit.append([auditEntryOf({ action: "unsealed" })]);
  await store.audit.countStrangers([{ hour: 1, peer: "p", action: "a", result: "r", count: 3 }], 9);
  await store.audit.deliver("tcp://one:1", { changes: 5, refusals: 0 });
  const command = { mark: "m", execId: "e", backend: "docker", container: "web", user: "0" };
  await store.commands.add({ ...command, heldUntil: 7, hungUp: true });
  const plan = {
    id: "p",
    workspaceId: "shop",
    project: "shop",
    backend: "docker",
    createdBy: "Ada",
    body: "{}",
  };
  await store.offers.add({ id: "o", owner: "user:ada", expiresAt: 99, body: "[]" }, 1, 9);
  const apply = {
    id: "a",
    workspace: "shop",
    group: "shop",
    project: "shop",
    backend: "docker",
    work: "{}",
    by,
  };
  await store.applies.add(
    { ...apply, credential: null, createdAt: 1, owner: "one", leaseUntil: 9 },
    ENTRY,
  );
  await store.applies.write("a", 1, [{ at: 2, kind: "log", step: null, body: "{}" }], []);
  await store.plans.add(
    [{ ...plan, creator: { kind: "user", id: "ada" }, createdAt: 1, expiresAt: 99 }],
    1,
    { ofOne: 9, all: 9 },
    ENTRY,
  );
}

const lines = async (file: string) => (await Deno.readTextFile(file)).split("\n");

test("A store goes from SQLite to PostgreSQL and back with every row as it was, and counts on from there", async (folder) => {
  await using here = await openSqliteStore(`${folder}/here.db`);
  await fillStore(here);
  const counts = await writeCopy(here.copy, `${folder}/1`);
  assert.deepEqual(
    Object.entries(counts).filter(([, count]) => count === 0),
    [],
    "every table has a row here",
  );
  assert.equal((Deno.statSync(`${folder}/1`).mode ?? 0) & 0o777, 0o600);

  await using there = await openPostgresStore(await server.database());
  await there.copy.fill((await readCopy(`${folder}/1`, there.copy)).rows);
  await writeCopy(there.copy, `${folder}/2`);
  await using back = await openSqliteStore(`${folder}/back.db`);
  await back.copy.fill((await readCopy(`${folder}/2`, back.copy)).rows);
  await writeCopy(back.copy, `${folder}/3`);
  assert.deepEqual(await lines(`${folder}/2`), await lines(`${folder}/1`));
  assert.deepEqual(await lines(`${folder}/3`), await lines(`${folder}/1`));

  for (const store of [there, back]) {
    const { items } = await store.audit.list({
      before: null,
      limit: 1,
      action: null,
      actor: null,
      result: null,
    });
    await store.audit.append([auditEntryOf({ action: "after" })]);
    const next = await store.audit.list({ before: null, limit: 1, action: null, actor: null, result: null });
    assert.deepEqual(next.items.map(({ id, action }) => [id, action]), [[items[0]!.id + 1, "after"]]);
    assert.ok(await store.audit.seal(SEALS, 500) > 0);
  }
});

test("A copy of a SQLite store is of one moment, and a berth beside it writes meanwhile", async (folder) => {
  await using store = await openSqliteStore(`${folder}/here.db`);
  await fillStore(store);
  const running = await SqliteDatabase.open(`${folder}/here.db`);
  const before = await writeCopy(store.copy, `${folder}/before`);
  let written = 0;
  const counts: Record<string, number> = {};
  await store.copy.read((table) => {
    counts[table] = (counts[table] ?? 0) + 1;
    if (written === 0) written += running.run("DELETE FROM notices");
  });
  running.close();
  assert.equal(written, 1, "written in the middle of the copy");
  assert.deepEqual(counts, before);
  assert.equal((await writeCopy(store.copy, `${folder}/after`))["notices"], 0);
});

test("Every table of either store is copied, or named as one that is not", async (folder) => {
  const copied = COPIED.map(({ name }) => name);
  const settings = await server.database();
  await (await openPostgresStore(settings))[Symbol.asyncDispose]();
  const tables = await server.sql(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    settings.name,
  );
  const database = await SqliteDatabase.open(`${folder}/a.db`);
  const ours = database.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  database.close();
  assert.deepEqual(tables.map(({ name }) => name).sort(), [...copied, ...OWN].sort());
  assert.deepEqual(ours.map(({ name }) => name).sort(), [...copied].sort());
  await using one = await openSqliteStore(`${folder}/a.db`);
  await using other = await openPostgresStore(settings);
  assert.deepEqual(await one.copy.columns(), await other.copy.columns());
});

test("A file that was cut off, changed or is something else is refused in words, and nothing is filled in", async (folder) => {
  await using store = await openSqliteStore(`${folder}/here.db`);
  await fillStore(store);
  await writeCopy(store.copy, `${folder}/whole`);
  const whole = await Deno.readTextFile(`${folder}/whole`);
  const all = whole.trimEnd().split("\n");
  await using empty = await openPostgresStore(await server.database());
  const says = async (text: string, words: RegExp) => {
    await Deno.writeTextFile(`${folder}/bad`, text);
    assert.match((await refused("store_unavailable", readCopy(`${folder}/bad`, empty.copy))).message, words);
  };
  await says(whole.slice(0, -200), /its end is missing|it is damaged/);
  await says(all.slice(0, -1).join("\n"), /its end is missing; export again/);
  await says(
    whole.replace('role\\":\\"admin', 'role\\":\\"viewer'),
    /it was changed or is damaged/,
  );
  await says(all.toSpliced(5, 1).join("\n"), /it was changed or is damaged/);
  await says(`${whole}${all[3]}\n`, /there is more behind its end/);
  await says("", /it is empty/);
  await says("SQLite format 3\0", /it is no export of berth/);
  await says(whole.replace('"editable"', '"colour"'), /another version of berth wrote it/);
  const { message } = await refused("store_unavailable", readCopy(`${folder}/none`, empty.copy));
  assert.match(message, /there is no such file/);
  assert.equal(await empty.keys.isSetUp(), false);

  const checked = await readCopy(`${folder}/whole`, store.copy);
  assert.match((await refused("store_unavailable", store.copy.fill(checked.rows))).message, /in use already/);
});

test("berth export and berth import move a running installation to PostgreSQL, where its keys and sessions go on", async (folder) => {
  const data = `${folder}/data`;
  await Deno.mkdir(data);
  let admin: string;
  {
    await using berth = await startBerthProcess({ data });
    const token = (await Deno.readTextFile(`${data}/setup-token`)).trim();
    const response = await fetch(`${berth.url}/api/settings/setup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, name: "me" }),
    });
    admin = (await response.json()).key;
    await eventually("the setup is sealed", async () => {
      const headers = { authorization: `Bearer ${admin}` };
      const { items } = await (await fetch(`${berth.url}/api/system/audit`, { headers })).json();
      return items.some(({ seq }: { seq: number | null }) => seq !== null);
    });
    const made = await runBerth(["export", `${folder}/all.ndjson`], { BERTH_DATA: data });
    assert.equal(made.code, 0);
    assert.match(
      made.stderr,
      /^berth: A berth runs on this store\. What it writes from now on is not in the file/,
    );
    assert.match(made.stdout, /^Rows: 1 keys, 1 setup, .* were written to/);
  }
  const alone = await runBerth(["export", `${folder}/all.ndjson`, "--force"], { BERTH_DATA: data });
  assert.deepEqual([alone.code, alone.stderr], [0, ""]);
  const { name } = await server.database();
  const env = {
    BERTH_DATA: `${folder}/replica`,
    BERTH_DATABASE_URL: server.url(name),
    BERTH_SEALING_KEY_FILE: `${folder}/sealing-key`,
  };
  const without = await runBerth(["import", `${folder}/all.ndjson`], env);
  assert.deepEqual([
    without.code,
    /the key that the audit log was sealed with, is not there/.test(without.stderr),
  ], [1, true]);
  await Deno.writeTextFile(env.BERTH_SEALING_KEY_FILE, new Uint8Array(32).toBase64(), { mode: 0o600 });
  const wrong = await runBerth(["import", `${folder}/all.ndjson`], env);
  assert.match(wrong.stderr, /sealed with another key; put the sealing key of the exported store/);
  await Deno.copyFile(`${data}/sealing-key`, env.BERTH_SEALING_KEY_FILE);
  const moved = await runBerth(["import", `${folder}/all.ndjson`], env);
  assert.deepEqual([moved.code, moved.stderr], [0, ""]);
  const backup = await runBerth(["backup", `${folder}/copy`], env);
  assert.match(
    backup.stderr,
    /^berth: Cannot back up: the store is in PostgreSQL.*pg_dump --format=custom .*--username=berth/,
  );
  {
    await using berth = await startBerthProcess({ data: env.BERTH_DATA, env });
    const me = await fetch(`${berth.url}/api/auth/me`, { headers: { authorization: `Bearer ${admin}` } });
    assert.deepEqual([me.status, (await me.json()).role], [200, "admin"]);
    await berth.end();
  }
  const verified = await runBerth(["audit", "verify"], env);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  const again = await runBerth(["import", `${folder}/all.ndjson`], env);
  assert.deepEqual([again.code, /in use already/.test(again.stderr)], [1, true]);
});
