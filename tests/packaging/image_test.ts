/** The container image, built and run on a real engine: from nothing to a listed container. */
import assert from "node:assert/strict";
import { buildImage } from "../../tools/image.ts";
import { VERSION } from "../../version.ts";
import { runBerth } from "../support/berth_process.ts";
import type { TestEngine } from "../support/engine.ts";
import { proofEngine, sharedEngine } from "../support/shared_engine.ts";
import { GitServer, hasGit } from "../support/git_server.ts";
import { GitSshServer, hasSshd } from "../support/git_ssh_server.ts";
import { SshHost } from "../support/ssh_host.ts";
import { eventually } from "../support/eventually.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { importCaddy } from "./caddy_image.ts";
import { importPostgres } from "./postgres_image.ts";
import { preparedImage } from "./clean_machine.ts";
import { ImageRoot } from "./image_root.ts";
import { askInside, inside, type Said } from "./inside.ts";

const { engine: shared, test } = await sharedEngine("docker");
const IMAGE = "berth:test";
const MOST_BYTES = 125e6;
const MOST_SSH_BYTES = 150e6;
const HARDENED = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];

const SSH_IMAGE = "berth:test-ssh";

let built: Promise<string> | undefined;

/** Builds both images once for all tests of this file. Returns the folder that they were built in. */
function build(engine: TestEngine): Promise<string> {
  return built ??= (async () => {
    const { path } = prepared = await preparedImage();
    const docker = ["docker", "-H", `unix://${engine.socket}`];
    await buildImage(path, IMAGE, docker);
    await buildImage(path, SSH_IMAGE, docker, "ssh");
    return path;
  })();
}

let prepared: (AsyncDisposable & { readonly path: string }) | undefined;
Deno.test.afterAll(async () => await prepared?.[Symbol.asyncDispose]());

/** The group that may use the engine. */
async function groupOf(engine: TestEngine): Promise<string> {
  return String((await Deno.stat(engine.socket)).gid);
}

const mounted = (engine: TestEngine) => ["-v", `${engine.socket}:/var/run/docker.sock`];

/** Runs one of berth's commands in its container. */
const BERTH_IN = ["exec", "berth", "deno", "run", "-A", "main.ts"];

/** Runs a container that ends by itself, and returns its words. */
async function ended(engine: TestEngine, ...args: string[]): Promise<{ code: number; said: string }> {
  await engine.cli("run", "-d", "--name", "short", ...HARDENED, ...args);
  try {
    const code = Number(await engine.cli("wait", "short"));
    const lines = await engine.ask("GET /containers/short/logs?stdout=1&stderr=1");
    // deno-lint-ignore no-control-regex -- each frame begins with eight bytes
    return { code, said: lines.body.replaceAll(/[\x00-\x02]\x00\x00\x00[^]{4}/g, "") };
  } finally {
    await engine.cli("rm", "-fv", "short");
  }
}

test("the image has at most 125 MB, one user, no shell, labels and a health check (R41)", async (engine) => {
  const folder = await build(engine);
  const { json: image } = await engine.ask(`GET /images/${IMAGE}/json`);

  assert.ok(image.Size <= MOST_BYTES, `${(image.Size / 1e6).toFixed(1)} MB`);
  assert.equal(image.Config.User, "65532:65532");
  assert.equal(image.Config.Labels["org.opencontainers.image.version"], VERSION);
  assert.deepEqual(image.Config.Healthcheck.Test.slice(-2), ["health", "--ready"]);
  assert.deepEqual(await programsIn(`${folder}/runtime`), ["/usr/bin/deno"]);
  assert.deepEqual(await programsIn(`${folder}/program`), []);
});

/** Returns the programs in a folder, without the loader of libraries. */
async function programsIn(folder: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("find", { args: [folder, "-type", "f", "-perm", "/111"] })
    .output();
  return new TextDecoder().decode(stdout).split("\n").filter((path) =>
    path !== "" && !/\.so(?:\.\d+)*$/.test(path)
  )
    .map((path) => path.slice(folder.length));
}

test("the image, hardened and published on loopback, goes from nothing to its own container in the list (R6, R63)", async (engine) => {
  await build(engine);
  const run = [
    ...[
      "run",
      "-d",
      "--name",
      "berth",
      ...HARDENED,
      "--group-add",
      await groupOf(engine),
      ...mounted(engine),
    ],
    ...["-v", "berth-data:/data", "-p", "127.0.0.1:8700:8700", "-e", "BERTH_PUBLISHED=loopback"],
    ...["--health-interval", "1s", IMAGE],
  ];
  await engine.cli(...run);
  const url = "http://127.0.0.1:8700";
  await eventually("it is healthy", async () => {
    return (await engine.cli("inspect", "-f", "{{.State.Health.Status}}", "berth")) === "healthy";
  }, { timeoutMs: 30_000 });
  const token = /:8700\/#setup=(\S+)/.exec(await engine.cli("logs", "berth"))?.[1]; // of the page, which is in it

  const { status, body: { key } } = await askInside(engine, `${url}/api/settings/setup`, {
    body: { token, name: "me" },
  });
  const { body: list } = await askInside(engine, `${url}/api/containers`, { key });

  assert.equal(status, 201);
  assert.deepEqual(list.items.map(({ name, state }: Record<string, string>) => [name, state]), [[
    "berth",
    "running",
  ]]);
  assert.equal(
    await engine.cli(
      "exec",
      "-e",
      `BERTH_KEY=${key}`,
      "berth",
      "deno",
      "run",
      "-A",
      "main.ts",
      "ls",
      "--names",
    ),
    "berth",
    "the other commands are in it, too",
  );

  await engine.cli("stop", "berth");
  assert.equal(await engine.cli("inspect", "-f", "{{.State.ExitCode}}", "berth"), "0");
  await engine.cli("rm", "berth");
  await engine.cli(...run);
  await eventually("the key is known after an upgrade", async () => {
    return (await askInside(engine, `${url}/api/auth/me`, { key })).status === 200;
  }, { timeoutMs: 30_000 });
  await engine.cli("rm", "-fv", "berth");
});

test("the image with ssh, hardened, lists the containers of a host that ssh reaches; the other says what it lacks", async (engine) => {
  const folder = await build(engine);
  assert.deepEqual((await programsIn(`${folder}/ssh`)).toSorted(), [
    "/usr/bin/git",
    "/usr/bin/ssh",
    "/usr/bin/ssh-keygen",
    "/usr/lib/git-core/git-remote-http",
  ]);
  const { json: image } = await engine.ask(`GET /images/${SSH_IMAGE}/json`);
  assert.ok(image.Size <= MOST_SSH_BYTES, `${(image.Size / 1e6).toFixed(1)} MB`);
  assert.equal(image.Config.User, "65532:65532");
  await using host = await SshHost.start(engine.socket);
  const address = await host.linkTo(engine.sandbox!.pid);
  const own = await host.homeFor(65_532, address);
  const run = (tag: string) =>
    engine.cli(
      ...[
        "run",
        "-d",
        "--name",
        "berth",
        ...HARDENED,
        "-v",
        `${own}:/data/.ssh:ro`,
        "-p",
        "127.0.0.1:8700:8700",
      ],
      ...["-e", "BERTH_PUBLISHED=loopback", "-e", `BERTH_ENGINES=nas=ssh://ada@${address}`, tag],
    );
  await run(SSH_IMAGE);
  assert.deepEqual(await walkThrough(engine, ["berth"], "http://127.0.0.1:8700"), ["berth"]);
  await engine.cli("rm", "-fv", "berth");

  await run(IMAGE);
  const doctor = await inside(
    engine,
    ...["docker", "-H", `unix://${engine.socket}`, "exec", "berth"],
    ...["deno", "run", "-A", "main.ts", "doctor"],
  );
  assert.match(doctor.out, /"nas" is not reached: there is no program "ssh"/);
  assert.match(doctor.out, /take the image whose tag ends in -ssh/);
  await engine.cli("rm", "-fv", "berth");
});

test("the image without a safe way to be reached ends with code 64 and names all ways (R1)", async (engine) => {
  await build(engine);
  const { code, said } = await ended(engine, IMAGE);

  assert.equal(code, 64);
  for (
    const way of [
      "BERTH_TLS_CERT",
      "BERTH_TRUSTED_PROXIES",
      "127.0.0.1:8700:8700",
      "BERTH_PUBLISHED=loopback",
    ]
  ) {
    assert.ok(said.includes(way), said);
  }
});

test("the image on a read-only data folder, or one of somebody else's, ends with code 64 and says so", async (engine) => {
  await build(engine);
  for (
    const [options, why] of [[["-v", "ro:/data:ro"], "it is read-only"], [
      ["--user", "1234:5678"],
      'permission denied; it must belong to the user that berth runs as: chown -R 1234:5678 "/data"',
    ]] as const
  ) {
    const { code, said } = await ended(engine, "-e", "BERTH_PUBLISHED=loopback", ...options, IMAGE);

    assert.equal(code, 64, said);
    const [sentence, ...more] = said.split("\n").filter((line) => line.startsWith("berth:"));
    assert.equal(more.length, 0);
    assert.match(sentence ?? "", new RegExp(`^berth: Cannot .*"/data.*${why}`));
  }
});

test("the image without the socket's group runs, and its doctor names the group to add", async (engine) => {
  await build(engine);
  await Deno.chmod(engine.socket, 0o660);
  await engine.cli(
    ...[
      "run",
      "-d",
      "--name",
      "denied",
      ...HARDENED,
      ...mounted(engine),
      "-e",
      "BERTH_PUBLISHED=loopback",
      IMAGE,
    ],
  );
  const doctor = ["exec", "denied", "deno", "run", "-A", "main.ts", "doctor"];
  const { code, out } = await inside(engine, "docker", "-H", `unix://${engine.socket}`, ...doctor);

  assert.equal(code, 1);
  const mend = `Start the container with --group-add ${await groupOf(engine)}`;
  assert.ok(out.includes(mend), out);
  await engine.cli("rm", "-fv", "denied");
});

const PACKAGING = new URL("../../packaging/", import.meta.url).pathname;

/** `docker-compose up` with a file of `packaging/`, and down at the end. */
async function composed(
  engine: TestEngine,
  name: string,
  more: Readonly<Record<string, string>> = {},
  folder = `${PACKAGING}${name}`,
): Promise<AsyncDisposable & { compose(...words: string[]): Promise<Said> }> {
  const env = {
    DOCKER_HOST: `unix://${engine.socket}`,
    BERTH_IMAGE: IMAGE,
    BERTH_DOCKER_GROUP: await groupOf(engine),
    BERTH_DOCKER_SOCKET: engine.socket,
    BERTH_PROJECTS: engine.socket.replace(/\/s$/, "/projects"),
    ...more,
  };
  const set = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const compose = (...words: string[]) =>
    inside(engine, "env", ...set, "docker-compose", "-f", `${folder}/compose.yaml`, ...words);
  const { code, error } = await compose("up", "-d");
  assert.equal(code, 0, error);
  return { compose, [Symbol.asyncDispose]: async () => void await compose("down", "-v", "-t", "5") };
}

/** Answers the first admin's key. */
async function setUp(engine: TestEngine, containers: readonly string[], url: string): Promise<string> {
  const curl = ["-k", "-m", "50"]; // a busy machine is late
  await isReady(engine, url);
  // It is ready before it greets, and its words reach the engine later still.
  const token = await eventually("one of them shows the setup token", async () => {
    const words = await Promise.all(containers.map((one) => engine.cli("logs", one)));
    return /#setup=(\S+)/.exec(words.join("\n"))?.[1];
  });
  const { status, body, error } = await askInside(engine, `${url}/api/settings/setup`, {
    body: { token, name: "me" },
    curl,
  });
  assert.equal(status, 201, `${JSON.stringify(body)} ${error}`);
  return body.key;
}

async function isReady(engine: TestEngine, url: string): Promise<void> {
  await eventually("it is ready", async () => {
    const { status, body, error } = await askInside(engine, `${url}/api/health/ready`, { curl: ["-k"] });
    assert.equal(body, "ready", `${status} ${error}`);
    return true;
  }, { timeoutMs: 30_000 });
}

/** Walks through setup. Returns the names of the containers that the API and the command line list then. */
async function walkThrough(
  engine: TestEngine,
  containers: readonly string[],
  url: string,
): Promise<string[]> {
  const key = await setUp(engine, containers, url);
  const { body } = await askInside(engine, `${url}/api/containers?state=running`, { key, curl: ["-k"] });
  const names: string[] = body.items.map(({ name }: { readonly name: string }) => name).sort();
  const [, , ...program] = BERTH_IN;
  const listed = await engine.cli(
    "exec",
    "-e",
    `BERTH_KEY=${key}`,
    containers[0]!,
    ...program,
    "ls",
    "--names",
  );
  assert.deepEqual(listed.split("\n").sort(), names, "the command line asks the same berth, past its proxy");
  return names;
}

test("packaging/berth/compose.yaml goes from nothing to its own container in the list", async (engine) => {
  await build(engine);
  await using _up = await composed(engine, "berth");

  assert.deepEqual(await walkThrough(engine, ["berth"], "http://127.0.0.1:8700"), ["berth"]);
});

test(
  "packaging/berth/compose.yaml edits its user's own files, its doctor finds nothing, and a backup brings back what was lost",
  async (engine) => {
    await build(engine);
    const url = "http://127.0.0.1:8700";
    const text = "services:\n  web:\n    image: web:1\n";
    await using folder = await workspaceFolder({
      ...Object.fromEntries(await filesIn(`${PACKAGING}berth`)),
      "projects/shop/compose.yaml": text,
    }, "berth");
    const shop = `${folder.path}/projects/shop`;
    await Deno.mkdir(`${folder.path}/data`, { mode: 0o700 });
    for (const path of ["data", "projects", "projects/shop", "projects/shop/compose.yaml"]) {
      await Deno.chown(`${folder.path}/${path}`, 1000, 1000);
    }
    const own = {
      BERTH_USER: "1000:1000",
      BERTH_DATA_VOLUME: "./data",
      BERTH_PROJECTS: `${folder.path}/projects`,
    };
    await using up = await composed(engine, "berth", own, folder.path);
    const key = await setUp(engine, ["berth"], url);
    const ask = (path: string, more: Parameters<typeof askInside>[2] = {}) =>
      askInside(engine, `${url}/api/${path}`, { key, ...more });

    const doctor = await inside(engine, "docker", "-H", `unix://${engine.socket}`, ...BERTH_IN, "doctor");
    assert.match(doctor.out, /checks: 0 wrong, 0 risky/);
    assert.equal(doctor.error, "", "nothing is fetched");

    const { body: { id } } = await ask("workspaces", { body: { path: shop } });
    const put = (body: unknown, tag?: string) => ({
      body,
      curl: ["-X", "PUT", ...(tag === undefined ? [] : ["-H", `if-match: ${tag}`])],
    });
    assert.equal((await ask(`workspaces/${id}`, put({ editable: true }))).status, 200);
    const file = `workspaces/${id}/files/compose.yaml`;
    const read = await inside(
      engine,
      "curl",
      "-si",
      "-H",
      `authorization: Bearer ${key}`,
      `${url}/api/${file}`,
    );
    const tag = /^etag: (\S+)/mi.exec(read.out)?.[1];
    const saved = await ask(file, put({ text: text.replace(":1", ":2") }, tag));
    const { uid, gid } = await Deno.stat(`${shop}/compose.yaml`);
    assert.deepEqual([saved.status, uid, gid], [200, 1000, 1000], JSON.stringify(saved.body));
    assert.equal(await Deno.readTextFile(`${shop}/compose.yaml`), text.replace(":1", ":2"));

    await engine.cli(...BERTH_IN, "backup", "/data/backup.db");
    assert.equal((await ask(`workspaces/${id}`, { curl: ["-X", "DELETE"] })).status, 204);
    await engine.cli("stop", "berth");
    const restored = await up.compose("run", "--rm", "-T", "berth", "restore", "/data/backup.db");
    assert.equal(restored.code, 0, restored.error);
    await engine.cli("start", "berth");
    await isReady(engine, url);
    assert.equal((await ask(`workspaces/${id}`)).body.path, shop);
  },
);

test("the image refuses to make a workspace editable that is mounted read-only, and says what to do", async (engine) => {
  await build(engine);
  await using folder = await workspaceFolder({ "shop/compose.yaml": "services: {}\n" });
  await engine.cli(
    ...["run", "-d", "--name", "fixed", ...HARDENED, "-v", `${folder.path}:${folder.path}:ro`],
    ...[
      "-p",
      "127.0.0.1:8700:8700",
      "-e",
      "BERTH_PUBLISHED=loopback",
      "-e",
      `BERTH_ROOTS=${folder.path}`,
      IMAGE,
    ],
  );
  const url = "http://127.0.0.1:8700";
  const key = await setUp(engine, ["fixed"], url);
  const made = await askInside(engine, `${url}/api/workspaces`, {
    key,
    body: { path: `${folder.path}/shop` },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { status, body } = await askInside(engine, `${url}/api/workspaces/${made.body.id}`, {
    key,
    body: { editable: true },
    curl: ["-X", "PUT"],
  });

  assert.deepEqual([status, body.code], [409, "not_editable"]);
  assert.match(
    body.title,
    /mounted read-only; mount its folder with the right to write: .*without ":ro" .*docker compose up -d/,
  );
  await engine.cli("rm", "-fv", "fixed");
});

test("packaging/berth-caddy/compose.yaml does so behind Caddy, with TLS, and only Caddy is published", async (engine) => {
  await build(engine);
  await importCaddy(engine, "caddy:test");
  await using _up = await composed(engine, "berth-caddy", { CADDY_IMAGE: "caddy:test" });

  const names = await walkThrough(engine, ["berth"], "https://localhost");

  assert.deepEqual(names, ["berth", "berth-caddy_caddy_1"]);
  const direct = await askInside(engine, "http://127.0.0.1:8700/api/health/live");
  assert.equal(direct.status, 0, "nobody reaches berth but Caddy");
});

const { test: testInProof } = await proofEngine("docker");

testInProof(
  "packaging/berth-postgres/compose.yaml does so with two replicas on PostgreSQL",
  async (engine) => {
    await build(engine);
    await importCaddy(engine, "caddy:test");
    await importPostgres(engine, "postgres:test");
    const random = () =>
      crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
    await using folder = await workspaceFolder({
      ...Object.fromEntries(await filesIn(`${PACKAGING}berth-postgres`)),
      "secrets/sealing-key": random(),
      "secrets/database-password": random(),
    }, "berth-postgres");
    for (const path of ["secrets", "secrets/sealing-key", "secrets/database-password"]) {
      await Deno.chmod(`${folder.path}/${path}`, path === "secrets" ? 0o700 : 0o600);
      await Deno.chown(`${folder.path}/${path}`, 65532, 65532);
    }
    const images = { CADDY_IMAGE: "caddy:test", POSTGRES_IMAGE: "postgres:test" };
    await using _up = await composed(engine, "berth-postgres", images, folder.path);

    const names = await walkThrough(
      engine,
      ["berth-one", "berth-two"],
      "https://localhost",
    );

    assert.deepEqual(names, [
      "berth-one",
      "berth-postgres_caddy_1",
      "berth-postgres_postgres_1",
      "berth-two",
    ]);
  },
);

/** Not every machine gives its engines that. */
const mayBound = (await shared?.ask("GET /info"))?.json.MemoryLimit === true;
if (!mayBound) console.error("NOT RUN: a message without an end, because no engine here can bound memory");
const testBounded: typeof test = mayBound ? test : (name) => Deno.test.ignore(name, () => {});

testBounded(
  "a message without an end ends berth at the bound of its container, which starts it again with all it knew (F57)",
  async (engine) => {
    await build(engine);
    await using _up = await composed(engine, "berth");
    const url = "http://127.0.0.1:8700";
    const name = "berth";
    const key = await setUp(engine, [name], url);
    const inspected = async () => (await engine.ask(`GET /containers/${name}/json`)).json;
    const { Memory, MemorySwap } = (await inspected()).HostConfig;
    assert.deepEqual([Memory, MemorySwap], [2 * 1024 ** 3, 2 * 1024 ** 3]);

    const mib = 400; // sooner there than at two thousand
    await engine.cli("update", "--memory", `${mib}m`, "--memory-swap", `${mib}m`, name);
    const sender = new URL("endless_message.ts", import.meta.url).pathname;
    const { code, out, error } = await inside(
      engine,
      ...[Deno.execPath(), "run", "--no-config", "--allow-net", sender, url, key, String(4 * mib)],
    );

    assert.ok(Number(out) > 0 && Number(out) < mib, `"${out.trim()}" MiB were taken, code ${code}: ${error}`);
    await eventually("it is started again", async () => (await inspected()).RestartCount > 0);
    await isReady(engine, url);
    const me = await askInside(engine, `${url}/api/auth/me`, { key });
    assert.equal(me.status, 200, `${JSON.stringify(me.body)} ${me.error}`);
  },
);

Deno.test("every way that berth is shipped bounds the memory that it may take (F57)", async () => {
  for (const name of ["berth", "berth-caddy", "berth-postgres"]) {
    assert.match(
      await Deno.readTextFile(`${PACKAGING}${name}/compose.yaml`),
      /mem_limit: 2g\n *memswap_limit: 2g\n/,
    );
  }
  assert.match(await Deno.readTextFile(`${PACKAGING}berth.service`), /^MemoryMax=2G\nMemorySwapMax=0$/m);
  assert.match(
    await Deno.readTextFile(`${PACKAGING}podman/berth.container`),
    /^PodmanArgs=--memory=2g --memory-swap=2g$/m,
  );
});

Deno.test("berth reads the Compose files of packaging/ without a finding", async (t) => {
  const alone = { "berth": [], "berth-caddy": [], "berth-postgres": ["sealing-key", "database-password"] };
  for (const [name, secrets] of Object.entries(alone)) {
    await t.step(name, async () => {
      await using folder = await workspaceFolder({
        ...Object.fromEntries(await filesIn(`${PACKAGING}${name}`)),
        ...Object.fromEntries(secrets.map((secret) => [`secrets/${secret}`, "made by its keeper"])),
      });
      const { code, stdout } = await runBerth(["validate", folder.path]);

      assert.equal(code, 0, stdout);
      assert.match(stdout, /^valid: no findings in 1 file/);
    });
  }
});

async function filesIn(folder: string): Promise<(readonly [string, string])[]> {
  const files = await Array.fromAsync(Deno.readDir(folder));
  return await Promise.all(
    files.map(async ({ name }) => [name, await Deno.readTextFile(`${folder}/${name}`)] as const),
  );
}

test("the image with ssh follows repositories by https and by ssh, with no shell in it", async (engine) => {
  const folder = await build(engine);
  const layers = ["runtime", "program", "ssh"].map((name) => `${folder}/${name}`);
  const credential = { user: "ada", token: "a-token" };
  await using server = await GitServer.start({ credential });
  await using sshd = await GitSshServer.start();
  const repository = await server.repository("home");
  const head = await repository.push({ "blog/compose.yaml": "services: {}\n" });
  await using root = await ImageRoot.start(layers, {
    files: { "authority.pem": server.authority! },
    env: { GIT_SSL_CAINFO: "/tmp/authority.pem" },
  });
  const follow = async (name: string, source: Readonly<Record<string, unknown>>) => {
    const path = `/srv/projects/${name}`;
    const made = await root.caller.call("POST /api/workspaces", {
      path,
      source: { branch: "main", ...source },
    });
    assert.equal(made.status, 201, made.text);
    return (await root.caller.call(`GET /api/workspaces/${name}/source`)).body;
  };

  await follow("https", { url: repository.url, credential });
  await sshd.admit([(await follow("ssh", { url: sshd.urlOf(repository.bare) })).ssh.publicKey]);

  for (const name of ["https", "ssh"]) {
    const { body } = await root.caller.call(`POST /api/workspaces/${name}/source/check`);
    assert.deepEqual([body.error, body.head], [null, head], name);
    const synced = await root.caller.call(`POST /api/workspaces/${name}/source/sync`, { commit: head });
    assert.equal(synced.status, 200, synced.text);
    assert.equal(
      await Deno.readTextFile(`${root.folder}/srv/projects/${name}/blog/compose.yaml`),
      "services: {}\n",
    );
  }
}, hasGit() && hasSshd() ? null : "git or sshd is not installed");
