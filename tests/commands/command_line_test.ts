/** Promises of the command line, each in a process of its own. */
import assert from "node:assert/strict";
import { mustBeSpare } from "../../commands/backup.ts";
import { VERSION } from "../../version.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "berth-line-" });
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the version is the one of deno.json", async () => {
  const manifest = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));

  assert.equal(VERSION, manifest.version);
});

Deno.test("berth --version and --help answer, and an unknown command is refused with exit code 64", async () => {
  const [version, help, unknown, extra] = await Promise.all([
    runBerth(["--version"]),
    runBerth(["backup", "--help"]),
    runBerth(["sevre"]),
    runBerth(["serve", "now"]),
  ]);

  assert.deepEqual([version.code, version.stdout], [0, `berth ${VERSION}\n`]);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /^Usage: berth backup <file>/m);
  assert.equal(unknown.code, 64);
  assert.match(unknown.stderr, /^berth: there is no command "sevre"; .*\n$/);
  assert.equal(extra.code, 64);
});

Deno.test("berth serve lists every mistake in the settings at once, with exit code 64", async () => {
  const { code, stderr, stdout } = await runBerth(["serve"], {
    BERTH_PORT: "many",
    BERTH_LOG_LEVEL: "loud",
    BERTH_HOST: "0.0.0.0",
    BERTH_PLUGINS: "Not A Name",
  });

  assert.deepEqual([code, stdout], [64, ""]);
  for (const name of ["BERTH_PORT", "BERTH_LOG_LEVEL", "BERTH_HOST", "BERTH_PLUGINS"]) {
    assert.match(stderr, new RegExp(`^  ${name}[.:]`, "m"));
  }
});

Deno.test("berth serve says in one sentence that a port is in use, with exit code 64", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await withFolder(async (folder) => {
    const { code, stderr } = await runBerth(["serve"], {
      BERTH_DATA: folder,
      BERTH_ENGINES: "none",
      BERTH_PORT: String(taken.addr.port),
    });

    assert.equal(code, 64);
    const said = stderr.split("\n").filter((line) => line.startsWith("berth:"));
    assert.deepEqual(said, [
      `berth: Cannot listen on 127.0.0.1:${taken.addr.port}: another program uses that port; name another one with BERTH_PORT, ` +
      `or find it with: ss -ltnp sport = :${taken.addr.port}`,
    ]);
  });
});

Deno.test("berth serve says in one sentence that its data folder cannot be used, with exit code 64", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    const { code, stderr } = await runBerth(["serve"], { BERTH_DATA: `${folder}/file/data` });

    assert.deepEqual([code, stderr], [
      64,
      `berth: Cannot use the data folder "${folder}/file/data": there is a file in its place\n`,
    ]);
  });
});

Deno.test("berth serve refuses too low a limit of file descriptors (F2, R7)", async () => {
  await assert.rejects(
    startBerthProcess({ descriptors: 300, env: { BERTH_MIN_DESCRIPTORS: "1000" } }),
    /berth: Cannot start: only 300 file descriptors are allowed, and 1000 are needed/,
  );
});

Deno.test("berth serve prints its address and a token that makes the first admin; the folder is private", async () => {
  await using berth = await startBerthProcess();
  const token = /"token": "([^"]+)"/.exec(berth.stdout)?.[1];
  assert.equal((await Deno.readTextFile(`${berth.data}/setup-token`)).trim(), token);
  for (const name of ["", "/setup-token", "/berth.log", "/berth.db"]) {
    assert.equal((await Deno.stat(berth.data + name)).mode! & 0o077, 0, name);
  }

  const response = await fetch(`${berth.url}/api/settings/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, name: "me" }),
  });
  const { key } = await response.json();
  const who = await fetch(`${berth.url}/api/auth/me`, { headers: { authorization: `Bearer ${key}` } });

  assert.equal(response.status, 201);
  assert.equal((await who.json()).role, "admin");
  const { stdout, stderr } = await berth.end();
  for (const secret of [token!, key]) {
    assert.ok(!stderr.includes(secret));
    assert.ok(!(await Deno.readTextFile(`${berth.data}/berth.log`)).includes(secret));
  }
  assert.ok(!stdout.includes(key));
});

Deno.test("berth backup copies the store while the service runs, and the copy opens with all that was in it", async () => {
  await using berth = await startBerthProcess();
  const token = (await Deno.readTextFile(`${berth.data}/setup-token`)).trim();
  await (await fetch(`${berth.url}/api/settings/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, name: "me" }),
  })).body?.cancel();
  await withFolder(async (folder) => {
    const made = await runBerth(["backup", `${folder}/copy.db`], { BERTH_DATA: berth.data });

    assert.deepEqual([made.code, made.stderr], [0, ""]);
    await using copy = await openSqliteStore(`${folder}/copy.db`);
    assert.equal(await copy.keys.isSetUp(), true);
    assert.deepEqual((await copy.keys.list()).map(({ name }) => name), ["me"]);
  });
});

Deno.test("berth backup leaves a file that is there as it is, unless it is forced", async () => {
  await using berth = await startBerthProcess();
  await withFolder(async (folder) => {
    const file = `${folder}/copy.db`;
    await Deno.writeTextFile(file, "the copy of another day");
    const refused = await runBerth(["backup", file], { BERTH_DATA: berth.data });

    assert.deepEqual([refused.code, refused.stderr], [
      1,
      `berth: Cannot back up: "${file}" is there already; name another file, or add --force\n`,
    ]);
    assert.equal(await Deno.readTextFile(file), "the copy of another day");
    const forced = await runBerth(["backup", "--force", file], { BERTH_DATA: berth.data });
    assert.deepEqual([forced.code, forced.stderr], [0, ""]);
    await using copy = await openSqliteStore(file);
    assert.deepEqual(await copy.keys.list(), []);
    for (const command of ["backup", "export"]) {
      const own = `${berth.data}/../${berth.data.split("/").at(-1)}/berth.db`;
      const onto = await runBerth([command, "--force", own], { BERTH_DATA: berth.data });
      assert.equal(onto.code, 1, command);
      assert.match(onto.stderr, /"[^"]+berth\.db" is berth's own; name another file\n$/);
    }
    await Deno.link(`${berth.data}/berth.db`, `${folder}/linked.db`);
    const linked = await runBerth(["backup", "--force", `${folder}/linked.db`], { BERTH_DATA: berth.data });
    assert.deepEqual([linked.code, linked.stderr], [
      1,
      `berth: Cannot back up: "${folder}/linked.db" is berth's own; name another file\n`,
    ]);
    assert.equal(await (await fetch(`${berth.url}/api/health/ready`)).text(), "ready\n");
  });
});

Deno.test("a backup takes no file of berth's own by another path or case, and any other name beside the store", async () => {
  await withFolder(async (folder) => {
    const data = `${folder}/data`;
    await Deno.mkdir(data);
    await Deno.symlink(data, `${folder}/other`);
    for (const path of [`${data}/berth.db`, `${folder}/key`]) await Deno.writeTextFile(path, "");
    await Deno.link(`${folder}/key`, `${folder}/linked-key`);
    const config = { data, sealingKeyFile: `${folder}/key` };
    const own = ["key", "linked-key", "data/BERTH.DB", "other/berth.db", "other/berth.db-wal"];

    for (const name of [...own, "data/berth.db.before-restore", "data/berth.db.before-restore-2-wal"]) {
      await assert.rejects(mustBeSpare("back up", `${folder}/${name}`, config), /is berth's own/, name);
    }
    for (const name of ["berth.db", "data/berth.db.bak", "data/berth.db-2026-11-29", "none/berth.db"]) {
      await mustBeSpare("back up", `${folder}/${name}`, config);
    }
  });
});

Deno.test("berth serve stops for a misspelt variable before it has made anything, and warns of others", async () => {
  await withFolder(async (folder) => {
    const data = `${folder}/data`;
    const { code, stderr } = await runBerth(["serve"], { BERTH_DATA: data, BERTH_PROT: "1" });

    assert.equal(code, 64);
    assert.match(stderr, /^ {2}BERTH_PROT: there is no such setting; did you mean BERTH_PORT\?$/m);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
  await using berth = await startBerthProcess({ env: { BERTH_SERVICE_HOST: "10.0.0.1" } });
  const { stderr } = await berth.end();
  assert.match(stderr, /Kubernetes sets it for a service named .*BERTH_SERVICE_HOST/);
});

Deno.test("berth backup refuses to copy a store that is not there, and leaves none behind", async () => {
  await withFolder(async (folder) => {
    const { code, stderr } = await runBerth(["backup", `${folder}/copy.db`], { BERTH_DATA: folder });

    assert.deepEqual([code, stderr], [
      1,
      `berth: Cannot back up: there is no store in the data folder "${folder}"\n`,
    ]);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});

Deno.test("berth admin-key makes a key that a running service accepts", async () => {
  await using berth = await startBerthProcess();
  const { code, stdout } = await runBerth(["admin-key", "spare"], { BERTH_DATA: berth.data });
  assert.equal(code, 0);

  const who = await fetch(`${berth.url}/api/auth/me`, {
    headers: { authorization: `Bearer ${stdout.trim()}` },
  });

  assert.deepEqual([who.status, (await who.json()).name], [200, "spare"]);
});

Deno.test("berth admin-key refuses a name that no route would take, and makes nothing", async () => {
  await withFolder(async (folder) => {
    for (const name of [" ", "a\u001b[31mb", "x".repeat(101)]) {
      const { code, stdout, stderr } = await runBerth(["admin-key", name], { BERTH_DATA: folder });

      assert.deepEqual([code, stdout, stderr], [
        64,
        "",
        "berth: Cannot make the key: its name must have 1 to 100 visible characters\n",
      ]);
    }
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});
