/** A disk that fails at one operation after the other, that is full, and a backup that is killed on its way. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { runBerth } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { key, MANY, refused } from "./store_records.ts";

/** Every how many operations one fails: `BERTH_TEST_EVERY=1` for the whole proof. */
const EVERY = Number(Deno.env.get("BERTH_TEST_EVERY") ?? "19");
const KEYS = 6;
const WRITER = new URL("store_writer.ts", import.meta.url).pathname;

const canTrace = await new Deno.Command("strace", { args: ["-o", "/dev/null", "true"], stderr: "null" })
  .output().then(({ success }) => success, () => false);
if (!canTrace) console.error("NOT RUN: a disk that fails at the Nth operation, because that takes strace");

Deno.test({
  name: "whichever operation on the disk fails, what was acknowledged is there afterwards (F62)",
  ignore: !canTrace,
  async fn() {
    for (const calls of ["fsync,fdatasync", "pwrite64"]) {
      let failed = 0;
      for (let nth = 1, isOver = false; !isOver; nth += EVERY) {
        const folder = await Deno.makeTempDir({ prefix: "berth-nth-" });
        try {
          await (await openSqliteStore(`${folder}/store.db`))[Symbol.asyncDispose]();
          const trace = `${folder}/trace`;
          const { stdout, stderr } = await new Deno.Command("strace", {
            args: [
              ...[
                "-f",
                "-qq",
                "-e",
                `trace=${calls}`,
                "-e",
                `inject=${calls}:error=EIO:when=${nth}`,
                "-o",
                trace,
              ],
              ...["store.db", "store.db-wal", "store.db-shm"].flatMap((name) => ["-P", `${folder}/${name}`]),
              ...[Deno.execPath(), "run", "-A", "--no-check", WRITER, folder, "0", `${KEYS}`],
            ],
          }).output();
          isOver = !(await Deno.readTextFile(trace)).includes("(INJECTED)");
          if (!isOver) failed++;
          const acknowledged = new TextDecoder().decode(stdout).split("\n").slice(0, -1);
          if (isOver) assert.equal(acknowledged.length, KEYS, new TextDecoder().decode(stderr));
          await using store = await openSqliteStore(`${folder}/store.db`);
          const there = new Set((await store.keys.list()).map(({ id }) => id));
          for (const id of acknowledged) assert.ok(there.has(id), `${calls} ${nth}: ${id} is lost`);
          using raw = new DatabaseSync(`${folder}/store.db`);
          assert.equal(Object.values(raw.prepare("PRAGMA integrity_check").get() ?? {})[0], "ok");
          // No key without its entry, and no entry without its key
          const entries = Number(raw.prepare("SELECT count(*) AS n FROM audit").get()?.["n"]);
          assert.equal(there.size, entries, `${calls} ${nth}`);
        } finally {
          await Deno.remove(folder, { recursive: true });
        }
      }
      assert.ok(failed > 0, `no ${calls} was made to fail`);
    }
  },
});

Deno.test({
  name: "a backup to a full disk fails with words and leaves nothing, and a start on one too (F61)",
  ignore: !mayMount,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "berth-backup-" });
    try {
      await using disk = await SmallDisk.mount();
      await using store = await openSqliteStore(`${folder}/store.db`);
      await store.keys.add(key("one", {}), MANY, ENTRY);
      disk.fill();
      const backup = await refused("store_unavailable", store.backup!(`${disk.folder}/copy.db`));
      assert.match(backup.message, /full/);
      assert.deepEqual([...Deno.readDirSync(disk.folder)].map(({ name }) => name), ["ballast"]);
      await refused("store_unavailable", openSqliteStore(`${disk.folder}/store.db`));
      const { code, stderr } = await runBerth(["serve"], {
        BERTH_DATA: `${disk.folder}/data`,
        BERTH_PORT: "0",
        BERTH_ENGINES: "none",
        BERTH_MIN_DESCRIPTORS: "0",
      });
      assert.deepEqual(
        [code, stderr],
        [1, "berth: Cannot use the store: the disk is full\n"],
        "it is tried again",
      );

      disk.empty();
      await store.backup!(`${disk.folder}/copy.db`);
      await using copy = await openSqliteStore(`${disk.folder}/copy.db`);
      assert.deepEqual((await copy.keys.list()).map(({ id }) => id), ["one"]);
      await (await openSqliteStore(`${disk.folder}/store.db`))[Symbol.asyncDispose]();
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** A program that is no file has none of its own. */
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

Deno.test("a backup that is killed on its way leaves no file of its name (F65)", async () => {
  const folder = await Deno.makeTempDir({ prefix: "berth-killed-" });
  try {
    {
      await using store = await openSqliteStore(`${folder}/store.db`);
      for (let n = 0; n < 300; n++) {
        await store.keys.add(key(`k${n}`, { name: "x".repeat(20_000) }), MANY, ENTRY);
      }
    }
    const program = `import { openSqliteStore } from ${
      JSON.stringify(new URL("../../store/sqlite/store.ts", import.meta.url).href)
    };
      await using store = await openSqliteStore("${folder}/store.db");
      for (let n = 0;; n++) { await store.backup!("${folder}/copy-" + n); console.log(n); }`;
    let killed = 0;
    for (let round = 0; round < 8; round++) {
      const child = new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          `--config=${CONFIG}`,
          `data:application/typescript,${encodeURIComponent(program)}`,
        ],
        stdout: "null",
        stderr: "null",
      }).spawn();
      const partial = () => [...Deno.readDirSync(folder)].some(({ name }) => name.endsWith(".partial"));
      await eventually("a backup is on its way", partial, { everyMs: 1 });
      await new Promise((resolve) => setTimeout(resolve, round));
      child.kill("SIGKILL");
      await child.status;
      for (const { name } of [...Deno.readDirSync(folder)]) {
        if (name.includes(".partial")) killed++;
        else if (/^copy-\d+$/.test(name)) {
          await using copy = await openSqliteStore(`${folder}/${name}`);
          assert.equal((await copy.keys.list()).length, 300, `${name} is whole`);
        }
        if (!name.startsWith("store.db")) await Deno.remove(`${folder}/${name}`).catch(() => {});
      }
    }
    assert.ok(killed > 0, "no backup was on its way when it was killed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
