/** `berth restore`: a good backup takes the store's place, and nothing else does. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { restoreStoreFile } from "../../store/sqlite/inspection.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { key, MANY } from "./store_records.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";

/** A store that the first schema wrote, and the names of its keys. */
const FIRST = new URL("../support/fixtures/store_015db1d/berth.db", import.meta.url).pathname;
const KEYS = ["first", "nightly", "restarter"];

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "berth-restore-" });
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function namesIn(path: string): Promise<string[]> {
  await using store = await openSqliteStore(path);
  return (await store.keys.list()).map(({ name }) => name);
}

Deno.test("berth restore puts a backup of the first schema in place, and berth starts on it with its key (F65)", async () => {
  await withFolder(async (folder) => {
    await runBerth(["admin-key", "other"], { BERTH_DATA: folder });

    const { code, stderr } = await runBerth(["restore", FIRST], { BERTH_DATA: folder });

    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal((await Deno.stat(`${folder}/berth.db`)).mode! & 0o777, 0o600);
    await using berth = await startBerthProcess({ data: folder });
    assert.equal(await (await fetch(`${berth.url}/api/health/ready`)).text(), "ready\n");
    await berth.end();
    assert.deepEqual(await namesIn(`${folder}/berth.db`), KEYS);
    assert.deepEqual(await namesIn(`${folder}/berth.db.before-restore`), ["other"], "what was there is kept");
  });
});

Deno.test("berth restore refuses a damaged, a foreign, a newer and an absent file, and leaves the store as it was (F65)", async () => {
  await withFolder(async (folder) => {
    await runBerth(["admin-key", "mine"], { BERTH_DATA: folder });
    const good = await Deno.readFile(FIRST);
    const damaged = good.slice();
    damaged.fill(0xff, 4096, 3 * 4096);
    await Deno.writeFile(`${folder}/damaged`, damaged);
    await Deno.writeFile(`${folder}/cut`, good.subarray(0, 5_000));
    await Deno.writeTextFile(`${folder}/empty`, "");
    const foreign = new DatabaseSync(`${folder}/foreign`);
    foreign.exec("CREATE TABLE a (b)");
    foreign.close();
    await Deno.copyFile(FIRST, `${folder}/newer`);
    const newer = new DatabaseSync(`${folder}/newer`);
    newer.exec("PRAGMA user_version = 99");
    newer.close();

    for (
      const [name, why] of [
        ["damaged", "it is damaged; take another backup"],
        ["cut", "it is damaged; take another backup"],
        ["empty", "it is damaged; take another backup"],
        ["foreign", "it is no backup of berth"],
        ["newer", "it has schema 99 and this berth knows up to \\d+; use the newer berth"],
        ["absent", "there is no such file"],
      ] as const
    ) {
      const { code, stderr } = await runBerth(["restore", `${folder}/${name}`], { BERTH_DATA: folder });
      assert.equal(code, 1, name);
      assert.match(stderr, new RegExp(`^berth: Cannot restore "${folder}/${name}": ${why}\n$`));
    }
    assert.deepEqual(await namesIn(`${folder}/berth.db`), ["mine"]);
    assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => /partial|before/.test(name)), []);
  });
});

Deno.test("berth restore refuses while the service runs", async () => {
  await using berth = await startBerthProcess();

  const { code, stderr } = await runBerth(["restore", FIRST], { BERTH_DATA: berth.data });

  assert.deepEqual([code, stderr], [
    1,
    `berth: Cannot restore "${FIRST}": berth still runs on this data folder; stop it first\n`,
  ]);
  assert.equal(
    await (await fetch(`${berth.url}/api/health/ready`)).text(),
    "ready\n",
    "and the service goes on",
  );
});

Deno.test(
  "root makes no store in a data folder of another user, where the service could not open it",
  { ignore: Deno.build.os !== "linux" || Deno.uid() !== 0 },
  async () => {
    await withFolder(async (folder) => {
      const env = { BERTH_DATA: folder };
      await Deno.writeTextFile(`${folder}/berth.db`, "x".repeat(10_000));
      for (const path of [folder, `${folder}/berth.db`]) await Deno.chown(path, 1234, 1234);
      const restored = await runBerth(["restore", FIRST], env);
      await Deno.remove(`${folder}/berth.db`);
      const others = [await runBerth(["import", FIRST], env), await runBerth(["admin-key", "me"], env)];

      for (const [at, { code, stderr }] of [restored, ...others].entries()) {
        const what = ["restore", "import", "make the key"][at];
        assert.equal(code, 1, what);
        assert.match(
          stderr,
          new RegExp(`Cannot ${what}: .* belongs to the user 1234, .* sudo -u '#1234' env `),
        );
      }
      assert.deepEqual([...Deno.readDirSync(folder)], [], "nothing of root's is there");

      await Deno.copyFile(FIRST, `${folder}/berth.db`);
      const roots = await runBerth(["restore", FIRST], env);
      assert.deepEqual(
        [roots.code, roots.stderr],
        [0, ""],
        "a store of root is one of a service that is root",
      );
      for (const { name } of Deno.readDirSync(folder)) await Deno.remove(`${folder}/${name}`);

      await Deno.copyFile(FIRST, `${folder}/berth.db`);
      await Deno.chown(`${folder}/berth.db`, 1234, 1234);
      assert.equal(
        (await runBerth(["admin-key", "me"], env)).code,
        0,
        "a store that is there keeps its owner",
      );
      for (const { name } of Deno.readDirSync(folder)) {
        assert.equal((await Deno.stat(`${folder}/${name}`)).uid, 1234, name);
      }
    });
  },
);

Deno.test("berth restore replaces a store that is damaged", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/berth.db`, "x".repeat(10_000));

    const { code } = await runBerth(["restore", FIRST], { BERTH_DATA: folder });

    assert.equal(code, 0);
    assert.deepEqual(await namesIn(`${folder}/berth.db`), KEYS);
  });
});

Deno.test("A copied data folder is restored with its write-ahead log, and every store of before stays", async () => {
  await withFolder(async (folder) => {
    const [path, copy, kept] = [`${folder}/berth.db`, `${folder}/copy.db`, `${folder}/kept`];
    {
      await using store = await openSqliteStore(`${folder}/source.db`);
      await store.keys.add(key("late", { name: "late" }), MANY, ENTRY);
      for (const end of ["", "-wal"]) await Deno.copyFile(`${folder}/source.db${end}`, copy + end);
    }
    assert.ok((await Deno.stat(`${copy}-wal`)).size > 0);

    assert.equal(await restoreStoreFile(copy, path, kept), null, "there was nothing before");
    assert.deepEqual(await namesIn(path), ["late"], "the last change was in the log alone");
    assert.equal(await restoreStoreFile(FIRST, path, kept), kept);
    assert.equal(await restoreStoreFile(copy, path, kept), `${kept}-2`);

    assert.deepEqual(await namesIn(kept), ["late"]);
    assert.deepEqual(await namesIn(`${kept}-2`), KEYS);
    assert.ok((await Deno.stat(`${copy}-wal`)).size > 0, "the copy stays as it was");
    await Deno.writeFile(`${copy}-wal`, (await Deno.readFile(`${copy}-wal`)).fill(0xff, 32));
    await restoreStoreFile(copy, path, kept).then(() => assert.fail("a log that was damaged"), () => {});
    assert.deepEqual(await namesIn(path), ["late"]);
    assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => name.includes("partial")), []);
  });
});

Deno.test("A backup that takes the name of a copied store leaves that store's log to no restore", async () => {
  await withFolder(async (folder) => {
    const [source, copy, path] = [`${folder}/source.db`, `${folder}/copy.db`, `${folder}/berth.db`];
    await using store = await openSqliteStore(source);
    await store.keys.add(key("early", { name: "early" }), MANY, ENTRY);
    for (const end of ["", "-wal"]) await Deno.copyFile(source + end, copy + end);
    await store.keys.add(key("late", { name: "late" }), MANY, ENTRY);

    await store.backup!(copy);
    await restoreStoreFile(copy, path, `${folder}/kept`);

    assert.deepEqual((await namesIn(path)).toSorted(), ["early", "late"]);
  });
});
