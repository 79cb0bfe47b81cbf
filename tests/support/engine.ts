/** A real container engine of a test's own: started in a sandbox, with one small image, gone without a trace. */

import { eventually } from "./eventually.ts";
import { fixtureImage } from "./fixture_image.ts";
import { onPath } from "./on_path.ts";
import { quoted, Sandbox } from "./sandbox.ts";
import { WatchedMakes } from "./watched_makes.ts";

export type EngineKind = "docker" | "podman";

/** The reason that this machine cannot run such an engine. Tests that need one are skipped with it. */
export class NoEngine extends Error {}

export interface EngineAnswer {
  readonly status: number;
  readonly body: string;
  // deno-lint-ignore no-explicit-any -- an oracle's answer is compared, not trusted
  readonly json: any;
}

export interface TestEngine extends AsyncDisposable {
  readonly kind: EngineKind;
  /** The path of its unix socket. */
  readonly socket: string;
  /** The value for `BERTH_ENGINES`: `docker=unix:///…`. */
  readonly setting: string;
  /** Its sandbox, absent when the engine is somebody's own (`BERTH_TEST_ENGINE`). */
  readonly sandbox: Sandbox | null;
  /** Runs the `docker` command line against it (Podman speaks the same API); throws with its words when it fails. */
  cli(...args: string[]): Promise<string>;
  /** Asks the engine itself, for example `ask("GET /containers/json?all=1")`: the oracle of what berth answers. */
  ask(route: string, body?: unknown): Promise<EngineAnswer>;
  /** Ends the engine's own process at once, without a chance to tidy up; its containers go down with the next start. */
  kill(): Promise<void>;
  /** Holds the engine's process still: the socket accepts and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Starts it again after `kill`, on the same socket and data. */
  start(): Promise<void>;
}

/** The image that every engine of a test has: busybox, and `idle`, which waits and obeys SIGTERM at once. */
export const FIXTURE = "berth-fixture:latest";

/** A busy machine takes long to find out what became of many containers. */
const STARTUP_MS = 180_000;
const CALL_MS = 180_000;

/**
 * Starts a private engine; about a second with its image. The first failure is retried once, with the plainest storage.
 * `settings` are further lines for the `[engine]` part of Podman's containers.conf; `args` are further arguments for dockerd.
 * `BERTH_TEST_ENGINE=docker=unix:///path` (several separated by commas) takes a running one instead.
 */
export async function startEngine(
  kind: EngineKind,
  settings = "",
  args: readonly string[] = [],
): Promise<TestEngine> {
  const named = (Deno.env.get("BERTH_TEST_ENGINE") ?? "").split(",").find((one) =>
    one.startsWith(`${kind}=`)
  );
  if (named) return await borrowed(kind, named.slice(kind.length + 1).replace(/^unix:\/\//, ""));
  await assertPossible(kind);
  try {
    return await launch(kind, kind === "docker" ? "overlay2" : "overlay", settings, args);
  } catch (error) {
    console.error(`A test's ${kind} did not start, trying once more:`, error);
    return await launch(kind, "vfs", settings, args);
  }
}

async function assertPossible(kind: EngineKind): Promise<void> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) throw new NoEngine("that takes root on Linux");
  const programs = ["unshare", "ip", "docker", "busybox", "tar", kind === "docker" ? "dockerd" : "podman"];
  for (const program of programs) {
    if (!await onPath(program)) throw new NoEngine(`"${program}" is not installed`);
  }
  const trial = await new Deno.Command("unshare", { args: ["--net", "--mount", "--pid", "--fork", "true"] })
    .output();
  if (!trial.success) throw new NoEngine("namespaces cannot be made here");
}

async function borrowed(kind: EngineKind, socket: string): Promise<TestEngine> {
  const folder = await Deno.makeTempDir({ prefix: "be" });
  const refuse = () => Promise.reject(new Error("The engine named by BERTH_TEST_ENGINE is not ours to stop"));
  const client = new Client(socket, folder);
  await client.importFixture();
  const watched = await WatchedMakes.on(kind, client, socket, FIXTURE);
  return {
    ...client.calls(),
    kind,
    socket,
    setting: `${kind}=unix://${socket}`,
    sandbox: null,
    kill: refuse,
    pause: refuse,
    resume: refuse,
    start: refuse,
    [Symbol.asyncDispose]: async () => {
      await using stack = new AsyncDisposableStack();
      stack.defer(() => Deno.remove(folder, { recursive: true }));
      stack.defer(() => client.close());
      stack.use(watched);
    },
  };
}

async function launch(
  kind: EngineKind,
  storage: string,
  settings: string,
  args: readonly string[],
): Promise<TestEngine> {
  const folder = await Deno.makeTempDir({ prefix: "be" }); // short: a socket's path has 107 bytes
  const socket = `${folder}/s`;
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  await Deno.writeTextFile(`${folder}/daemon.json`, "{}");
  await Deno.writeTextFile(`${folder}/containers.conf`, `${PODMAN_SETTINGS}${settings}\n`);
  await Deno.writeTextFile(`${folder}/registries.conf`, PODMAN_REGISTRIES);
  const sandbox = new Sandbox({
    TMPDIR: folder,
    CONTAINERS_CONF: `${folder}/containers.conf`,
    CONTAINERS_REGISTRIES_CONF: `${folder}/registries.conf`,
  });
  // crun refuses the hybrid of both cgroup versions; in the sandbox's own mounts the second can go.
  if (kind === "podman") {
    await sandbox.run(`umount /sys/fs/cgroup/unified 2>/dev/null; ${OWN_LEASES}; ${NO_PACKAGES}`);
  }
  const client = new Client(socket, folder);
  const command = kind === "docker"
    ? [...dockerd(folder, storage, `berth-${name}`), ...args]
    : podman(folder, storage);
  const start = async () => {
    await Deno.remove(socket).catch(() => {});
    await sandbox.run(`${command.map(quoted).join(" ")} >>${quoted(`${folder}/log`)} 2>&1 & engine=$!`);
    const state = await eventually(`${kind} answers`, async () => {
      if ((await client.ask("GET /_ping").catch(() => null))?.status === 200) return "up";
      return await sandbox.run("kill -0 $engine 2>/dev/null") === 0 ? null : "ended";
    }, { timeoutMs: STARTUP_MS });
    if (state === "ended") throw new Error(`${kind} ended at once`);
  };
  let watched: WatchedMakes | null = null;
  const end = async () => {
    await using stack = new AsyncDisposableStack();
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    stack.defer(() => removeCgroups(kind, folder, name));
    stack.use(sandbox);
    stack.defer(() => client.close());
    stack.use(watched);
  };
  let ended: Promise<void> | undefined;
  const stop = () => ended ??= end();
  try {
    await start();
    await client.importFixture();
    watched = await WatchedMakes.on(kind, client, socket, FIXTURE);
  } catch (error) {
    const log = await Deno.readTextFile(`${folder}/log`).catch(() => "");
    await stop();
    throw new Error(`${kind} did not start; the end of its log:\n${log.slice(-2000)}`, { cause: error });
  }
  return {
    ...client.calls(),
    kind,
    socket,
    setting: `${kind}=unix://${socket}`,
    sandbox,
    kill: async () => void await sandbox.run("kill -9 $engine; wait $engine 2>/dev/null"),
    pause: async () => void await sandbox.run("kill -STOP $engine"),
    resume: async () => void await sandbox.run("kill -CONT $engine"),
    start,
    [Symbol.asyncDispose]: stop,
  };
}

function dockerd(folder: string, storage: string, cgroup: string): string[] {
  const own = [
    "--data-root",
    `${folder}/data`,
    "--exec-root",
    `${folder}/exec`,
    "--pidfile",
    `${folder}/pid`,
  ];
  const host = [
    "-H",
    `unix://${folder}/s`,
    "--config-file",
    `${folder}/daemon.json`,
    "--cgroup-parent",
    `/${cgroup}`,
  ];
  return ["dockerd", ...own, ...host, "--storage-driver", storage, "--log-level", "warn"];
}

function podman(folder: string, storage: string): string[] {
  const own = ["--root", `${folder}/root`, "--runroot", `${folder}/run`, "--tmpdir", `${folder}/tmp`];
  const network = ["--network-config-dir", `${folder}/networks`, "--cgroup-manager", "cgroupfs"];
  const service = ["system", "service", "--time", "0", `unix://${folder}/s`];
  return ["podman", ...own, ...network, "--storage-driver", storage, "--runtime", "crun", ...service];
}

/** Files instead of journald and of the one shared-memory lock table that all Podmans of a machine would share. */
const PODMAN_SETTINGS = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
log_driver = "k8s-file"
[engine]
events_logger = "file"
lock_type = "file"
`;

/** All Podmans of a machine hand out addresses from one file, and those of killed ones never come back. */
const OWN_LEASES = "mkdir -p /run/containers && mount -t tmpfs tmpfs /run/containers";

/** Podman asks for the package of each of its programs whenever it tells its version, and nobody reads that. */
const NO_PACKAGES = "mount --bind /bin/true /usr/bin/dpkg-query 2>/dev/null";

const PODMAN_REGISTRIES = `unqualified-search-registries = []
[[registry]]
location = "127.0.0.1"
insecure = true
`;

/** A container that was killed with its sandbox leaves its (empty) cgroups behind. */
async function removeCgroups(kind: EngineKind, folder: string, name: string): Promise<void> {
  const roots = ["/sys/fs/cgroup"];
  for await (const entry of Deno.readDir("/sys/fs/cgroup")) {
    if (entry.isDirectory) roots.push(`/sys/fs/cgroup/${entry.name}`);
  }
  const groups = kind === "docker" ? [`berth-${name}`] : [];
  if (kind === "podman") {
    for (const id of await names(`${folder}/root/overlay-containers`, `${folder}/root/vfs-containers`)) {
      groups.push(`libpod_parent/libpod-${id}`, `libpod_parent/libpod-conmon-${id}`);
    }
  }
  for (const root of roots) for (const group of groups) await removeGroup(`${root}/${group}`);
}

async function names(...folders: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    try {
      for await (const entry of Deno.readDir(folder)) found.push(entry.name);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return found;
}

async function removeGroup(path: string): Promise<void> {
  try {
    for await (const entry of Deno.readDir(path)) {
      if (entry.isDirectory) await removeGroup(`${path}/${entry.name}`);
    }
    await Deno.remove(path);
  } catch {
    // Another kind of hierarchy, or not there: nothing of ours.
  }
}

/** The two ways a test speaks to an engine behind berth's back. */
class Client {
  readonly #http: Deno.HttpClient;

  constructor(readonly socket: string, readonly folder: string) {
    // Without a pool no connection outlives a call, so that Deno's leak checks stay meaningful.
    this.#http = Deno.createHttpClient({ proxy: { transport: "unix", path: socket }, poolMaxIdlePerHost: 0 });
  }

  calls(): Pick<TestEngine, "ask" | "cli"> {
    return { ask: this.ask.bind(this), cli: this.cli.bind(this) };
  }

  close(): void {
    this.#http.close();
  }

  async ask(route: string, body?: unknown): Promise<EngineAnswer> {
    const [method = "GET", path = "/"] = route.split(" ");
    const response = await fetch(`http://192.0.2.1${path}`, {
      method,
      client: this.#http,
      signal: AbortSignal.timeout(CALL_MS),
      ...(body === undefined ? {} : {
        body: body instanceof Uint8Array ? body as Uint8Array<ArrayBuffer> : JSON.stringify(body),
        headers: { "content-type": body instanceof Uint8Array ? "application/x-tar" : "application/json" },
      }),
    });
    const text = await response.text();
    return { status: response.status, body: text, json: parsed(text) };
  }

  async cli(...args: string[]): Promise<string> {
    const child = new Deno.Command("docker", {
      args,
      env: { DOCKER_HOST: `unix://${this.socket}`, DOCKER_CONFIG: this.folder },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    // Podman waits without an end for a container whose records it damaged
    const late = setTimeout(() => child.kill("SIGKILL"), CALL_MS);
    const { success, signal, stdout, stderr } = await child.output();
    clearTimeout(late);
    const text = new TextDecoder();
    const words = signal === "SIGKILL" ? `no answer in ${CALL_MS} ms` : text.decode(stderr).trim();
    if (!success) throw new Error(`docker ${args.join(" ")}: ${words}`);
    return text.decode(stdout).trim();
  }

  async importFixture(): Promise<void> {
    const [repo = "", tag = ""] = FIXTURE.split(":");
    const query = new URLSearchParams({ fromSrc: "-", repo, tag });
    for (const change of ['CMD ["idle"]', "LABEL berth.fixture=1", "ENV PATH=/bin:/usr/bin"]) {
      query.append("changes", change);
    }
    const answer = await this.ask(`POST /images/create?${query}`, await fixtureImage());
    if (answer.status !== 200 || answer.body.includes('"error')) {
      throw new Error(`Cannot import the fixture image: ${answer.status} ${answer.body}`);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
