/** Workspaces of many projects, and what runs on many engines: validating, one changed file, plans, an overview, a quiet minute. */
import { startManyEngines } from "../tests/proof/many_engines.ts";
import { composeFile, composeFolders } from "./compose_folders.ts";
import { BEFORE, filesOf } from "./earlier_commit.ts";
import { startBerth, waitForAll } from "./listed_berth.ts";
import { type Competitor, rounds } from "./rounds.ts";
import type { ServerProcess } from "./server_process.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const PROJECTS = 300;
const MANY_PROJECTS = 2_000;
const PLANNED = 100;
const QUIET_MS = 5_000;
const CPU = { unit: "ms of CPU" } as const;

const parts = { validate, change, plans, overview, quiet };
for (const [name, measure] of Object.entries(parts)) {
  if (Deno.args.length === 0 || Deno.args.includes(name)) await measure();
}

/** The command on a folder, beside that of an earlier commit. */
async function validate(): Promise<void> {
  await using folder = await composeFolders(PROJECTS);
  const before = await Deno.makeTempDir({ prefix: "berth-before-" });
  const absent = await filesOf(BEFORE, before);
  const command = (name: string, checkout: string): Competitor => ({
    name,
    async run() {
      const args = ["-c", `"$1" run -A "$2/main.ts" validate "$3" > /dev/null; times`, "sh"];
      const { stdout } = await new Deno.Command("sh", {
        args: [...args, Deno.execPath(), checkout, folder.path],
      })
        .output();
      return cpuMs(new TextDecoder().decode(stdout).split("\n")[1] ?? "");
    },
  });
  await rounds("workspace-validate", [
    { ...command(BEFORE, before), ...(absent === undefined ? {} : { absent }) },
    command("now", ROOT),
  ], { ...CPU, about: `berth validate of ${PROJECTS} projects, its start included; the aim is 0.5` });
  await Deno.remove(before, { recursive: true });
}

/** Adds what a shell's `times` says of its children: `0m0.012s 0m0.004s`. */
function cpuMs(times: string): number {
  const each = [...times.matchAll(/(\d+)m([\d.]+)s/g)];
  return each.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0,
  );
}

/** Ten files that change one after the other in a folder that is followed. */
async function change(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const competitors: Competitor[] = [];
  const late: Competitor[] = [];
  for (const count of [PROJECTS, MANY_PROJECTS]) {
    const folder = stack.use(await composeFolders(count));
    const { server, key } = await startBerth(stack, "none", ROOT, { BERTH_ROOTS: folder.path });
    stack.use(server);
    const { id } = await call(server, key, "POST", "workspaces", { path: folder.path });
    const revision = async () => (await call(server, key, "GET", `workspaces/${id}`)).revision;
    let turn = 0;
    let seenMs = 0;
    const name = `${count} projects`;
    await revision();
    competitors.push({
      name,
      async run() {
        const before = await server.cpuSeconds();
        const times: number[] = [];
        for (let at = 0; at < 10; at++) {
          const old = await revision();
          const began = performance.now();
          const path = `${folder.path}/project-${at}/compose.yaml`;
          await Deno.writeTextFile(path, `${composeFile(at)}# ${turn++}\n`);
          while (await revision() === old) await pause(20);
          times.push(performance.now() - began);
        }
        seenMs = Math.max(...times);
        return (await server.cpuSeconds() - before) * 100;
      },
    });
    late.push({ name, run: () => seenMs });
  }
  await rounds("workspace-change", competitors, {
    ...CPU,
    about: "one changed file, until its folder has another revision, asked every 20 ms; the aim is 1.3",
  });
  await rounds("workspace-change-seen", late, {
    exact: true,
    about: "from a change until it is seen, the longest of the last ten; the aim is 1,000 ms",
  });
}

/** Plans of a folder in one request, beside one request for each project. */
async function plans(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await composeFolders(PLANNED));
  const engines = stack.use(await startManyEngines(1, 50));
  const { server, key } = await startBerth(stack, engines.setting, ROOT, { BERTH_ROOTS: folder.path });
  stack.use(server);
  await waitForAll(server, key, 50);
  const { id } = await call(server, key, "POST", "workspaces", { path: folder.path });
  const measured = (name: string, ask: () => Promise<number>): Competitor => ({
    name,
    async run() {
      const before = await server.cpuSeconds();
      if (await ask() !== PLANNED) throw new Error("plans are missing");
      return (await server.cpuSeconds() - before) * 1_000;
    },
  });
  await rounds("workspace-plans", [
    measured(`${PLANNED} requests, one a project`, async () => {
      for (let at = 0; at < PLANNED; at++) {
        await call(server, key, "POST", `projects/project-${at}@${id}/plan`, {});
      }
      return PLANNED;
    }),
    measured(
      "one request",
      async () => (await call(server, key, "POST", `workspaces/${id}/plans`, {})).plans.length,
    ),
  ], { ...CPU, about: `plans of the ${PLANNED} projects of a folder, as \`berth plan\` asks for them` });
}

/** Starts a berth for each of these numbers of engines and containers on each. */
async function onEngines(
  stack: AsyncDisposableStack,
  each: readonly (readonly [number, number])[],
): Promise<{ readonly name: string; readonly server: ServerProcess; readonly key: string }[]> {
  const made = [];
  for (const [engines, containers] of each) {
    const many = stack.use(await startManyEngines(engines, containers));
    const { server, key } = await startBerth(stack, many.setting);
    stack.use(server);
    await waitForAll(server, key, engines * containers);
    const name = `${engines} ${engines === 1 ? "engine" : "engines"} with ${containers} ${
      containers === 1 ? "container" : "containers"
    }`;
    made.push({ name, server, key });
  }
  return made;
}

async function overview(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const made = await onEngines(stack, [[1, 5_000], [100, 50]]);
  let asked = 0;
  await rounds(
    "workspace-overview",
    made.map(({ name, server, key }) => ({
      name,
      async run() {
        const before = await server.cpuSeconds();
        // Another limit each time, so that no answer is remembered.
        for (let turn = 0; turn < 10; turn++) {
          await call(server, key, "GET", `overview?limit=${20 + asked++ % 200}`);
        }
        return (await server.cpuSeconds() - before) * 100;
      },
    })),
    { ...CPU, about: "an overview of 5,000 containers; the aim is 1.3" },
  );
}

async function quiet(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const made = await onEngines(stack, [[100, 1], [100, 50]]);
  await rounds(
    "workspace-quiet",
    made.map(({ name, server }) => ({
      name,
      async run() {
        const before = await server.cpuSeconds();
        await pause(QUIET_MS);
        return (await server.cpuSeconds() - before) * 1e6 / QUIET_MS;
      },
    })),
    {
      unit: "ms of CPU a second",
      about: "while nothing happens and nobody asks; the aim is 1.5",
      warmUps: 0, // each of them is up for a while by its first turn
    },
  );
}

/** The parts of answers that are read here. */
interface Answer {
  readonly id: string;
  readonly revision: string;
  readonly plans: readonly unknown[];
}

async function call(
  server: ServerProcess,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
