/** `berth doctor` finds each of these mistakes, and nothing in a good setup. */
import assert from "node:assert/strict";
import { CHECKS, surroundingsOf } from "../../commands/doctor.ts";
import { mountIn } from "../../commands/doctor/mounts.ts";
import type { Setup } from "../../commands/doctor/check.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { readSealingKey, rotateSealingKey } from "../../auth/sealing/key.ts";
import { randomSecret } from "../../auth/secret.ts";
import { eventually } from "../support/eventually.ts";
import type { Finding } from "../../core/finding.ts";
import { inspectStoreFile, NEWEST_SCHEMA } from "../../store/sqlite/inspection.ts";
import { examine } from "../../plugins/containers/settings/examine.ts";
import { Settings as EngineSettings } from "../../plugins/containers/settings/settings.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";
import { startService, type TestService } from "../support/service.ts";

/** A service that is well set up, and what the doctor says about it once `spoil` was there. */
async function found(
  spoil: (setup: Spoilt) => Promise<void> | void,
): Promise<readonly (Finding & { check: string })[]> {
  await using berth = await startService();
  const folder = berth.folder;
  await Deno.mkdir(`${folder}/projects`);
  const config: Config = {
    ...await readConfig({ env: (name) => ({ HOME: folder, BERTH_DATA: `${folder}/data` })[name] }),
    port: berth.port,
    roots: [`${folder}/projects`],
    minDescriptors: 0,
  };
  const setup: Spoilt = {
    config,
    engines: [],
    isContained: false,
    uid: 1000,
    database: null,
    store: { state: "whole", schema: NEWEST_SCHEMA, isSetUp: true, folders: [], sources: 0, applies: [] },
    folder,
    berth,
  };
  await spoil(setup);
  const { chains } = await inspectStoreFile(`${folder}/data/berth.db`);
  setup.store = { chains, ...setup.store };
  const all: (Finding & { check: string })[] = [];
  for (const { name, look } of CHECKS) {
    for (const finding of await look(setup)) all.push({ check: name, ...finding });
  }
  const settings = EngineSettings.parse({ engines: setup.engines });
  for (const finding of await examine(settings, surroundingsOf(setup))) {
    all.push({ check: "engines", ...finding });
  }
  return all;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
interface Spoilt extends Writable<Omit<Setup, "config">> {
  /** As the setting of that name. */
  engines: unknown;
  config: Writable<Config>;
  readonly folder: string;
  readonly berth: TestService;
}

Deno.test("berth doctor finds nothing in a good setup", async () => {
  const machine = ["free space", "memory", "watches"]; // whatever this one has
  assert.deepEqual((await found(() => {})).filter(({ check }) => !machine.includes(check)), []);
});

const MISTAKES: readonly (readonly [
  name: string,
  spoil: (setup: Spoilt) => Promise<void> | void,
  what: RegExp,
  mend: RegExp,
])[] = [
  [
    "a data folder that is not there",
    ({ config, folder }) => void (config.data = `${folder}/gone`),
    /data folder .* is not there/,
    /BERTH_DATA/,
  ],
  [
    "a data folder that others may read",
    ({ config }) => Deno.chmod(config.data, 0o755),
    /Others may look into/,
    /chmod 700/,
  ],
  [
    "a data folder inside the container",
    (setup) => void (setup.isContained = true, setup.config.data = "/etc"),
    /goes with it/,
    /-v berth:\/etc/,
  ],
  [
    "a newer store",
    (setup) => void (setup.store = { ...setup.store, state: "newer", schema: 99 }),
    /schema 99/,
    /newer berth/,
  ],
  [
    "a damaged store",
    (setup) => void (setup.store = { ...setup.store, state: "damaged" }),
    /damaged/,
    /berth restore/,
  ],
  [
    "somebody else's database",
    (setup) => void (setup.store = { ...setup.store, state: "foreign" }),
    /no store of berth/,
    /BERTH_DATA/,
  ],
  [
    "a sealing key that others may read",
    ({ config }) => Deno.chmod(`${config.data}/sealing-key`, 0o644),
    /Others may read/,
    /chmod 600/,
  ],
  [
    "a sealing key that is gone",
    ({ config }) => Deno.remove(`${config.data}/sealing-key`),
    /sealing-key" is missing/,
    /sign in again/,
  ],
  [
    "a sealing key that is cut",
    ({ config }) => Deno.writeTextFile(`${config.data}/sealing-key`, "cut"),
    /does not hold 32 bytes/,
    /from a backup/,
  ],
  [
    "the sealing key of another store",
    async (setup) => {
      const path = `${setup.config.data}/berth.db`;
      await eventually(
        "something was sealed",
        async () => ((await inspectStoreFile(path)).chains?.changes.seq ?? 0) > 0,
      );
      setup.store = await inspectStoreFile(path);
      await Deno.writeTextFile(`${setup.config.data}/sealing-key`, randomSecret());
    },
    /another sealing key than the one that sealed this store/,
    /from a backup/,
  ],
  [
    "no admin, and an old token",
    async (setup) => {
      setup.store = { ...setup.store, isSetUp: false };
      await Deno.writeTextFile(`${setup.config.data}/setup-token`, "x");
      await Deno.utime(`${setup.config.data}/setup-token`, 0, 0);
    },
    /no admin yet, .* expired \(30 minutes\)/,
    /Start berth again/,
  ],
  ["root", (setup) => void (setup.uid = 0), /runs as root/, /user of its own/],
  [
    "too few descriptors",
    ({ config }) => void (config.minDescriptors = 1_048_576_000),
    /files may be open/,
    /LimitNOFILE/,
  ],
  ["a forgotten debug log", ({ config }) => void (config.logLevel = "debug"), /is debug/, /info/],
  [
    "a service that is down",
    ({ config }) => void (config.port = 9),
    /Nothing answers at http:\/\/127.0.0.1:9/,
    /Start berth/,
  ],
  [
    "another version that runs",
    ({ config }) => Deno.writeTextFile(`${config.data}/running-version`, "0.0.9\n"),
    /berth 0\.0\.9 runs, and this is \d/,
    /Start the service again/,
  ],
  [
    "a service of which no version is known",
    ({ config }) => Deno.remove(`${config.data}/running-version`),
    /tells which version of berth runs at http/,
    /BERTH_DATA/,
  ],
  [
    "the address left out behind a wide listener",
    ({ config }) => void (config.host = "0.0.0.0"),
    /BERTH_BASE_URL is not set/,
    /421|https:\/\/berth.example/,
  ],
  [
    "BERTH_PUBLISHED",
    ({ config }) => void (config.published = "loopback", config.baseUrl = "https://berth.example"),
    /all callers seem to be one/,
    /proxy/,
  ],
  [
    "plain http for others",
    ({ config }) => void (config.baseUrl = "http://nas.local"),
    /plain text/,
    /https/,
  ],
  [
    "a proxy that is down",
    ({ config }) => void (config.baseUrl = "https://127.0.0.1:9"),
    /127.0.0.1:9 does not answer/,
    /proxy/,
  ],
  [
    "trusted proxies without an address",
    ({ config }) => void (config.trustedProxies = ["127.0.0.1"]),
    /without BERTH_BASE_URL/,
    /Set BERTH_BASE_URL/,
  ],
  [
    "a certificate that ends soon",
    async ({ config, folder }) => void (config.tls = await tls(folder, 3)),
    /certificate ends in [23] days/,
    /Renew/,
  ],
  [
    "a certificate that is none",
    async ({ config, folder }) => {
      config.tls = await tls(folder, 3);
      await Deno.writeTextFile(config.tls!.cert, "not one");
    },
    /no PEM certificate/,
    /BERTH_TLS_CERT/,
  ],
  [
    "an engine that is not there",
    (setup) => void (setup.engines = [{ name: "d", url: "unix:///nowhere/s" }]),
    /there is no "\/nowhere\/s"/,
    /Start the engine/,
  ],
  [
    "an engine that was not mounted",
    (setup) =>
      void (setup.isContained = true,
        setup.config.data = "/dev/shm",
        setup.engines = [{ name: "d", url: "unix:///nowhere/s" }]),
    /there is no/,
    /-v \/nowhere\/s:\/nowhere\/s/,
  ],
  [
    "a certificate of an engine that cannot be read",
    (setup) =>
      void (setup.engines = [{
        name: "far",
        url: "tcp://h:2376",
        ca: "/nowhere/ca",
        cert: "/nowhere/c",
        key: "/nowhere/k",
      }]),
    /\/nowhere\/ca" of the engine "far"/,
    /Correct/,
  ],
  [
    "sign-in without roles",
    ({ config }) =>
      void (config.identityProvider = {
        issuer: "github",
        clientId: "x",
        clientSecretFile: null,
        redirectUris: [],
      }),
    /gets a role/,
    /BERTH_ROLES/,
  ],
  [
    "a client secret that cannot be read",
    ({ config }) =>
      void (config.roles = [{ claim: "a", value: "b", role: "admin" }],
        config.identityProvider = {
          issuer: "github",
          clientId: "x",
          clientSecretFile: "/nowhere/s",
          redirectUris: [],
        }),
    /client secret .* cannot be read/,
    /Correct/,
  ],
  [
    "a root that is not there",
    ({ config }) => void (config.roots = ["/nowhere"]),
    /root "\/nowhere"/,
    /BERTH_ROOTS/,
  ],
  [
    "a root that is everything",
    ({ config }) => void (config.roots = ["/"]),
    /every file/,
    /Name the folders/,
  ],
  [
    "a workspace that is gone",
    (setup) => void (setup.store = { ...setup.store, folders: [`${setup.folder}/projects/gone`] }),
    /workspace .* is not there/,
    /remove the workspace/,
  ],
  [
    "a folder that was not mounted",
    (setup) => void (setup.isContained = true, setup.config.data = "/dev/shm", setup.config.roots = ["/etc"]),
    /"\/etc" is not mounted/,
    /-v \/etc:\/etc$/,
  ],
];

for (const [name, spoil, what, mend] of MISTAKES) {
  Deno.test(`berth doctor finds ${name}, and says how to mend it`, async () => {
    const all = await found(spoil);
    const hit = all.find((finding) => what.test(finding.what));
    assert.ok(hit, JSON.stringify(all, null, 2));
    assert.match(hit.mend, mend);
  });
}

/** The argument with which this file is run without git: a variable is that of all tests that run beside this one. */
const WITHOUT_GIT = "without-git";

const missesGit = async (sources: number) =>
  (await found((setup) => void (setup.store = { ...setup.store, sources })))
    .filter(({ check }) => check === "git").map(({ what }) => what);

if (Deno.args[0] === WITHOUT_GIT) {
  console.log(JSON.stringify([await missesGit(0), await missesGit(1)]));
  Deno.exit();
}

/** Returns what this file finds by the programs of one folder alone, without and with a source. */
async function saidWith(path: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--lock=tests/deno.lock", import.meta.filename!, WITHOUT_GIT],
    env: { PATH: path },
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").at(-1)!;
}

Deno.test("berth doctor misses git only where a repository is followed", async () => {
  assert.match(
    await saidWith("/nowhere"),
    /^\[\[\],\["Workspaces follow Git repositories, and there is no git in PATH"\]\]$/,
  );
});

Deno.test("berth doctor finds a git that leaves out what berth asks of it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "berth-test-" });
  const told = async (version: string) => {
    await Deno.writeTextFile(`${folder}/git`, `#!/bin/sh\necho git version ${version}\n`, { mode: 0o755 });
    return await saidWith(folder);
  };
  assert.equal(await told("2.36.1"), '[[],["git 2.36.1 is too old to follow repositories"]]');
  assert.equal(await told("2.37.0"), "[[],[]]");
  await Deno.remove(folder, { recursive: true });
});

/** A certificate that is good for so many days, as files. */
async function tls(folder: string, days: number): Promise<{ cert: string; key: string }> {
  const [cert, key] = [`${folder}/cert.pem`, `${folder}/key.pem`];
  const kind = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost".split(
    " ",
  );
  const { success } = await new Deno.Command("openssl", {
    args: [...kind, "-days", String(days), "-out", cert, "-keyout", key],
    stderr: "null",
  }).output();
  assert.ok(success, "openssl makes a certificate");
  return { cert, key };
}

Deno.test("berth doctor knows the store of a berth that runs, of which all may be in the write-ahead log yet", async () => {
  await using berth = await startBerthProcess();
  const { stdout } = await runBerth(["doctor", "--json"], {
    BERTH_DATA: berth.data,
    BERTH_PORT: `${berth.port}`,
    BERTH_ENGINES: "none",
  });
  const { checks } = JSON.parse(stdout);
  const of = (name: string) => checks.find(({ check }: { check: string }) => check === name).findings;
  assert.deepEqual(of("store"), []);
  assert.match(of("first admin")[0].what, /no admin yet/);
});

Deno.test("berth doctor knows on which file system a folder is, and that a volume on the root's own disk is one", () => {
  const mounts = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n40 22 0:35 / /srv/my\\040data rw - nfs4 nas:/x rw\n" +
    "41 22 8:1 /volumes/berth-data/_data /data rw - ext4 /dev/sda1 rw\n";
  assert.deepEqual(mountIn(mounts, "/srv/my data/berth"), { at: "/srv/my data", type: "nfs4" });
  assert.deepEqual(mountIn(mounts, "/srv/my data2"), { at: "/", type: "ext4" });
  assert.deepEqual(mountIn(mounts, "/data"), { at: "/data", type: "ext4" });
  assert.equal(mountIn("", "/data"), null);
});

Deno.test("berth doctor shows every mistake in the settings, and exits with 1; with --json for programs", async () => {
  const { code, stdout } = await runBerth(["doctor"], { BERTH_PORT: "many", BERTH_LOG_LEVEL: "loud" });
  assert.equal(code, 1);
  assert.match(stdout, /^wrong {2}settings: BERTH_PORT: /m);
  assert.match(stdout, /^wrong {2}settings: BERTH_LOG_LEVEL: /m);

  const folder = await Deno.makeTempDir();
  try {
    const json = await runBerth(["doctor", "--json"], {
      BERTH_DATA: folder,
      BERTH_PORT: "9",
      BERTH_ENGINES: "none",
    });
    const { checks } = JSON.parse(json.stdout);
    assert.ok(checks.length > CHECKS.length);
    assert.ok(checks.length > 20);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("berth doctor finds nothing in the key of a store from before that key replaced another one", async () => {
  const all = await found(async (setup) => {
    const path = `${setup.config.data}/berth.db`;
    const sealed = async () => (await inspectStoreFile(path)).chains!;
    await eventually("something was sealed", async () => (await sealed()).changes.seq > 0);
    setup.store = await inspectStoreFile(path);
    const { changes, refusals } = await sealed();
    const key = `${setup.config.data}/sealing-key`;
    const later = { changes: { ...changes, seq: changes.seq + 5, mac: new Uint8Array(32) }, refusals };
    await rotateSealingKey(key, await readSealingKey(key), later);
  });
  assert.deepEqual(all.filter(({ check }) => check === "sealing key"), []);
});
