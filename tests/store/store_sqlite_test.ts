/** SQLite keeps every promise of a store, and what only a file can break. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../core/error.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { backUpStoreFile } from "../../store/sqlite/backup.ts";
import { inspectStoreFile } from "../../store/sqlite/inspection.ts";
import { MIGRATIONS } from "../../store/sqlite/migrations.ts";
import { storeContract } from "./store_contract.ts";
import { CATALOGUE, permissionsOf } from "../support/catalogue.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { key, MANY, refused } from "./store_records.ts";
import { ENTRY } from "../access/audit_entry.ts";

/** `BERTH_TEST_FLIPS=1000` for the whole proof. */
const FLIPS = Number(Deno.env.get("BERTH_TEST_FLIPS") ?? "60");

async function folderOfOurOwn() {
  const folder = await Deno.makeTempDir({ prefix: "berth-store-" });
  return {
    kind: "sqlite",
    folder,
    open: (name: string) => openSqliteStore(`${folder}/${name}`),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

storeContract("sqlite", folderOfOurOwn);

Deno.test("openSqliteStore makes a file that only its owner reads, its write-ahead log and its backup too", async () => {
  await using here = await folderOfOurOwn();
  await using store = await here.open("store.db");
  await store.keys.setUp({ key: key("first", { grants: [{ role: "admin" }] }) }, ENTRY);
  let isWritten = false;
  const writing = store.backup!(`${here.folder}/copy.db`).finally(() => isWritten = true);
  const partial = new Set<number>();
  while (!isWritten) {
    for (const { name } of Deno.readDirSync(here.folder)) {
      if (!name.includes(".partial")) continue;
      partial.add(Deno.lstatSync(`${here.folder}/${name}`).mode! & 0o777);
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
  await writing;
  assert.deepEqual([...partial], [0o600], "not readable while it is written, either");
  const names = [...Deno.readDirSync(here.folder)].map((entry) => entry.name).sort();
  assert.deepEqual(names, ["copy.db", "store.db", "store.db-shm", "store.db-wal"]);
  for (const name of names) {
    assert.equal((Deno.statSync(`${here.folder}/${name}`).mode ?? 0) & 0o777, 0o600, name);
  }
});

Deno.test("openSqliteStore refuses the schema of a newer berth with words, and leaves the file as it was (F68)", async () => {
  await using here = await folderOfOurOwn();
  const path = `${here.folder}/store.db`;
  await (await here.open("store.db"))[Symbol.asyncDispose]();
  const raw = new DatabaseSync(path);
  raw.exec("PRAGMA user_version = 99");
  raw.close();
  const error = await refused("store_unavailable", openSqliteStore(path));
  assert.match(error.message, /schema 99 .* start the newer berth/);
  const after = new DatabaseSync(path);
  assert.deepEqual({ ...after.prepare("PRAGMA user_version").get() }, { user_version: 99 });
  after.close();
});

Deno.test("openSqliteStore leaves the schema to an older berth that runs, whose probe never counts it down (F68)", async () => {
  await using here = await folderOfOurOwn();
  const path = `${here.folder}/store.db`;
  const steps = MIGRATIONS as string[];
  const last = steps.splice(-2);
  try {
    await using older = await openSqliteStore(path);
    steps.push(...last);
    const error = await refused("store_unavailable", openSqliteStore(path));
    assert.match(error.message, /another process uses it, .* stop the other one first$/);
    assert.equal(error.headers?.["retry-after"], "1", "a supervisor tries again");

    steps.splice(-2);
    await older.check();
    await older.keys.setUp({ key: key("first", { grants: [{ role: "admin" }] }) }, ENTRY);
  } finally {
    steps.push(...last);
  }
  await (await openSqliteStore(path))[Symbol.asyncDispose]();

  steps.splice(-2);
  try {
    const raw = new DatabaseSync(path);
    raw.exec(`PRAGMA user_version = ${steps.length}`);
    await using older = await openSqliteStore(path);
    raw.exec(`PRAGMA user_version = ${steps.length + 2}`);
    const error = await refused("store_unavailable", older.check());
    assert.match(error.message, /start the newer berth that wrote it$/);
    assert.deepEqual({ ...raw.prepare("PRAGMA user_version").get() }, { user_version: steps.length + 2 });
    raw.close();
  } finally {
    steps.push(...last);
  }
  await using newer = await openSqliteStore(path);
  assert.deepEqual((await newer.keys.list()).map(({ id }) => id), ["first"]);
});

Deno.test("backUpStoreFile leaves an older schema as it is, so that the older berth can use the backup", async () => {
  await using here = await folderOfOurOwn();
  const path = `${here.folder}/store.db`;
  await Deno.copyFile(new URL("../support/fixtures/store_015db1d/berth.db", import.meta.url), path);

  await backUpStoreFile(path, `${here.folder}/copy.db`);

  for (const one of [path, `${here.folder}/copy.db`]) {
    const { schema, state } = await inspectStoreFile(one);
    assert.deepEqual([schema, state], [1, "whole"]);
  }
  await Deno.writeTextFile(`${here.folder}/text`, "no store".repeat(500));
  const error = await refused(
    "store_unavailable",
    backUpStoreFile(`${here.folder}/text`, `${here.folder}/no`),
  );
  assert.match(error.message, /it belongs to another program$/);
});

Deno.test("openSqliteStore refuses a database of another program, a text file, a damaged file and a folder", async () => {
  await using here = await folderOfOurOwn();
  const foreign = `${here.folder}/foreign.db`;
  const raw = new DatabaseSync(foreign);
  raw.exec("CREATE TABLE theirs (x)");
  raw.close();
  assert.match((await refused("store_unavailable", openSqliteStore(foreign))).message, /belongs to another/);

  const text = `${here.folder}/text.db`;
  await Deno.writeTextFile(text, "just some words, long enough to be no header of a database\n".repeat(50));
  assert.match((await refused("store_unavailable", openSqliteStore(text))).message, /damaged/);

  const damaged = `${here.folder}/damaged.db`;
  {
    await using store = await openSqliteStore(damaged);
    for (let n = 0; n < 200; n++) await store.keys.add(key(`k${n}`, {}), MANY, ENTRY);
  }
  const file = await Deno.readFile(damaged);
  // All but the beginning, and the last rows alone, which nobody reads at a start
  for (const from of [4096 * 2, file.length - 4096 * 4]) {
    await Deno.writeFile(damaged, file.slice().fill(0xff, from));
    assert.match((await refused("store_unavailable", openSqliteStore(damaged))).message, /damaged/);
  }

  await refused("store_unavailable", openSqliteStore(here.folder));
});

Deno.test("Store waits for another process's write, and says store_unavailable if it takes too long (F63)", async () => {
  await using here = await folderOfOurOwn();
  await using store = await here.open("store.db");
  const other = new DatabaseSync(`${here.folder}/store.db`);
  other.exec("BEGIN IMMEDIATE");
  const waiting = store.keys.add(key("patient", {}), MANY, ENTRY);
  assert.deepEqual(await store.keys.list(), [], "reads go on");
  other.exec("COMMIT");
  await waiting;

  other.exec("BEGIN IMMEDIATE");
  const error = await refused("store_unavailable", store.keys.add(key("late", {}), MANY, ENTRY));
  assert.match(error.message, /another process/);
  assert.equal(error.headers?.["retry-after"], "1");
  other.exec("ROLLBACK");
  other.close();
  assert.deepEqual((await store.keys.list()).map((one) => one.id), ["patient"]);
});

Deno.test("Store keeps every acknowledged write through kill -9 (F8)", async () => {
  await using here = await folderOfOurOwn();
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round++) {
    const writer = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        new URL("store_writer.ts", import.meta.url).pathname,
        here.folder,
        `${round}`,
      ],
      stdout: "piped",
    }).spawn();
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of writer.stdout) {
      text += decoder.decode(chunk, { stream: true });
      if (text.split("\n").length > 20) break;
    }
    writer.kill("SIGKILL");
    assert.equal((await writer.status).signal, "SIGKILL", "it was killed amid its writes");
    acknowledged.push(...text.split("\n").slice(0, -1));
    await using store = await here.open("store.db");
    const kept = new Set((await store.keys.list()).map((one) => one.id));
    for (const id of acknowledged) assert.ok(kept.has(id), id);
  }
  assert.ok(acknowledged.length >= 60);
});

const canTrace = await new Deno.Command("strace", { args: ["-o", "/dev/null", "true"], stderr: "null" })
  .output().then(({ success }) => success, () => false);
if (!canTrace) {
  console.error("NOT RUN: that a write is on the disk before its answer, because that takes strace");
}

Deno.test({
  name: "Store has written to the disk itself before it acknowledges a write (F8, R56)",
  ignore: !canTrace,
  async fn() {
    await using here = await folderOfOurOwn();
    const trace = `${here.folder}/trace`;
    const writer = new Deno.Command("strace", {
      args: [
        ...["-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", trace],
        ...[Deno.execPath(), "run", "-A", "--no-check"],
        ...[new URL("store_writer.ts", import.meta.url).pathname, here.folder, "0"],
      ],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    let text = "";
    for await (const part of writer.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.split("\n").length > 100) break; // the writer ends, as it is not heard any more
    }
    await writer.status;

    const acknowledged = text.split("\n").length - 1;
    const synced = (await Deno.readTextFile(trace)).match(/sync\(/g)?.length ?? 0;
    assert.ok(synced >= acknowledged, `${acknowledged} keys, and ${synced} times to the disk`);
  },
});

Deno.test("openSqliteStore refuses a flipped byte with words, or serves what was written, and never anything else (F64)", async () => {
  await using here = await folderOfOurOwn();
  const whole = `${here.folder}/whole.db`;
  const keys = Array.from(
    { length: 40 },
    (_, n) => key(`k${n}`, { grants: [{ role: "viewer" }], name: `key ${n}` }),
  );
  {
    await using store = await openSqliteStore(whole);
    for (const one of keys) await store.keys.add(one, MANY, ENTRY);
    await store.backup!(`${here.folder}/copy.db`);
  }
  const good = await Deno.readFile(`${here.folder}/copy.db`);
  const viewer = permissionsOf("viewer");
  let refusals = 0;
  for (let n = 0; n < FLIPS; n++) {
    const path = `${here.folder}/flipped-${n}.db`;
    const bent = good.slice();
    // Every page is hit, its head more often than its rows: that is where a tree is damaged.
    const at = (n * 7919) % bent.length;
    bent[at] = (bent[at] ?? 0) ^ (1 << (n % 8));
    await Deno.writeFile(path, bent);
    try {
      await using store = await openSqliteStore(path);
      const found = await store.keys.list();
      for (const { grants } of found) {
        const risen = CATALOGUE.rightsOf(grants).permissions.filter((one) => !viewer.includes(one));
        assert.deepEqual(risen, [], "no key ever rises");
      }
    } catch (thrown) {
      assert.ok(thrown instanceof ServiceError, `${thrown}`);
      assert.equal(thrown.code, "store_unavailable");
      refusals++;
    }
    for (const end of ["", "-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
  }
  assert.ok(refusals > 0);
});

const aFullDisk =
  "Store says the disk is full, loses nothing it acknowledged, and heals when there is room again (F61)";
Deno.test({ name: aFullDisk, ignore: !mayMount }, async () => {
  await using disk = await SmallDisk.mount();
  const { folder } = disk;
  {
    await using store = await openSqliteStore(`${folder}/store.db`);
    await Deno.writeFile(`${folder}/ballast`, new Uint8Array(500_000));
    let acknowledged = 0;
    const error = await refused(
      "store_unavailable",
      (async () => {
        for (; acknowledged < 5_000; acknowledged++) {
          await store.keys.add(key(`k${acknowledged}`, { name: "x".repeat(1_000) }), MANY, ENTRY);
        }
      })(),
    );
    assert.match(error.message, /full|failed/);
    assert.ok((await store.keys.list()).length >= acknowledged, "reads go on");
    await Deno.remove(`${folder}/ballast`);
    await store.keys.add(key("after", {}), MANY, ENTRY);
    const ids = new Set((await store.keys.list()).map((one) => one.id));
    for (let n = 0; n < acknowledged; n++) assert.ok(ids.has(`k${n}`));
    assert.ok(ids.has("after"));
  }
});

Deno.test("a store of commit 015db1d keeps its workspaces, and allows none of them hard links or edits", async () => {
  await using here = await folderOfOurOwn();
  await Deno.copyFile(
    new URL("../support/fixtures/store_015db1d/berth.db", import.meta.url),
    `${here.folder}/store.db`,
  );
  await using store = await here.open("store.db");
  assert.deepEqual(await store.workspaces.list(), [{
    id: "shop",
    name: "Shop",
    path: "/srv/shop",
    createdAt: "2026-01-01T00:00:00.000Z",
    allowHardLinks: false,
    editable: false,
  }]);
});
