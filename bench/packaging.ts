/** berth in its image beside berth outside of it, from the start of the process on; and `berth ls` beside `docker ps`. */
import { startEngine, type TestEngine } from "../tests/support/engine.ts";
import { buildImage, prepareImage } from "../tools/image.ts";
import { fill, startBerth, waitForAll } from "./listed_berth.ts";
import { type Competitor, rounds } from "./rounds.ts";
import { programOf } from "./server_process.ts";

const IMAGE = "berth:bench";
const COUNTS = [50, 500];

await using stack = new AsyncDisposableStack();
const engine = stack.use(await startEngine("docker"));
const docker = ["docker", "-H", `unix://${engine.socket}`];
for (const [name, measure] of Object.entries({ image, list })) {
  if (Deno.args.length === 0 || Deno.args.includes(name)) await measure();
}

async function image(): Promise<void> {
  await using folder = await temporary();
  await prepareImage(`${folder.path}/image`);
  await buildImage(`${folder.path}/image`, IMAGE, docker);

  await rounds("start-in-image", [
    { name: "outside", run: startOutside },
    { name: "in the image, hardened", run: () => startInside(engine) },
  ], {
    about: "from the start of the process to its first words, on an empty data folder; the aim is 1.2",
    warmUps: 2,
    rounds: 7,
  });

  await rounds("image-healthy", [{ name: "docker run, until healthy", run: () => startHealthy(engine) }], {
    about: "from `docker run` to a container that its health check calls healthy; the aim is 3,000",
  });
  await rounds("image-memory", [{ name: "without engines, a minute old", run: () => memoryOf(engine) }], {
    about: "as `docker stats` counts it, after its first minute; the aim is 60",
    exact: true,
    unit: "MiB",
  });
}

async function list(): Promise<void> {
  let from = 0;
  for (const count of COUNTS) {
    await fill(engine, from, count);
    from = count;
    await using own = new AsyncDisposableStack();
    const { server, key } = await startBerth(own, engine.setting);
    own.use(server);
    await waitForAll(server, key, count);
    await rounds(`list-on-a-terminal-${count}`, [
      command("docker ps", count, [...docker, "ps", "-a"]),
      command("berth ls", count, [Deno.execPath(), "run", "-A", await programOf(), "ls"], {
        BERTH_URL: `http://127.0.0.1:${server.port}`,
        BERTH_KEY: key,
      }),
    ], { about: `a table of ${count} containers, process start included; the aim is 1.5`, rounds: 9 });
  }
}

async function startOutside(): Promise<number> {
  await using data = await temporary();
  const begun = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", await programOf(), "serve"],
    env: { BERTH_DATA: data.path, BERTH_PORT: "0", BERTH_ENGINES: "none" },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  const { done } = await reader.read();
  const took = performance.now() - begun;
  if (done) throw new Error("berth ended at its start");
  child.kill("SIGTERM");
  await reader.cancel();
  await child.status;
  return took;
}

async function runHardened(engine: TestEngine, ...more: string[]): Promise<void> {
  const hardened = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
  const settings = ["-e", "BERTH_PUBLISHED=loopback", "-e", "BERTH_ENGINES=none", "-p", "127.0.0.1::8700"];
  await engine.cli("run", "-d", "--name", "started", ...hardened, ...settings, ...more, IMAGE);
}

/** Docker looks first after one interval, so it is as short as it can be. */
async function startHealthy(engine: TestEngine): Promise<number> {
  const begun = performance.now();
  await runHardened(engine, "--health-interval", "1s");
  try {
    for (let attempt = 0; attempt < 600; attempt++) {
      const health = await engine.cli("inspect", "-f", "{{.State.Health.Status}}", "started");
      if (health === "healthy") return performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("berth did not become healthy");
  } finally {
    await engine.cli("rm", "-fv", "started");
  }
}

/** Memory without the cache of files that the kernel may drop. */
async function memoryOf(engine: TestEngine): Promise<number> {
  await runHardened(engine);
  try {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    const { json } = await engine.ask("GET /containers/started/stats?stream=false&one-shot=true");
    const { usage, stats } = json.memory_stats;
    return (usage - (stats.inactive_file ?? stats.total_inactive_file)) / 2 ** 20;
  } finally {
    await engine.cli("rm", "-fv", "started");
  }
}

/** As the engine has it: from when the program was started, which its own making of the container comes before. */
async function startInside(engine: TestEngine): Promise<number> {
  await runHardened(engine);
  try {
    const begun = Date.parse(await engine.cli("inspect", "-f", "{{.State.StartedAt}}", "started"));
    for (let attempt = 0; attempt < 200; attempt++) {
      const [first] = (await engine.cli("logs", "-t", "started")).split(" ");
      if (first) return Date.parse(first) - begun;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("berth said nothing in its image");
  } finally {
    await engine.cli("rm", "-fv", "started");
  }
}

function command(
  name: string,
  count: number,
  [program, ...args]: string[],
  env: Record<string, string> = {},
): Competitor {
  return {
    name,
    async run() {
      const { success, stdout } = await new Deno.Command(program!, { args, env }).output();
      const lines = new TextDecoder().decode(stdout).trim().split("\n").length;
      if (!success || lines < count) throw new Error(`${name} listed ${lines} lines`);
    },
  };
}

async function temporary(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "berth-bench-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
