/** Swarms: lists, logs and their cost for a manager, on real nodes; comparing, memory and starts beside them. */
import { cpuUsage } from "node:process";
import { WorkspaceReader } from "../artifacts/reading/workspace_reader.ts";
import { mainGroups } from "../artifacts/graph/graph.ts";
import { serviceDifferences } from "../projects/fields/service_table.ts";
import { serviceDefinition } from "../plugins/swarm/rows/definition.ts";
import { serviceRow } from "../plugins/swarm/rows/service.ts";
import { FOR_HELD_BYTES, heldBytes } from "../tests/proof/process_memory.ts";
import { NoEngine, type TestEngine } from "../tests/support/engine.ts";
import { engineProcess } from "../tests/support/engine_process.ts";
import { eventually } from "../tests/support/eventually.ts";
import { ScriptedManager, type ScriptedSwarm } from "../tests/support/scripted_swarm.ts";
import { startSwarm, SWARM_IMAGE } from "../tests/support/swarm.ts";
import { exchangesPerSecond, onPort, onSocket, type Target } from "./exchanges.ts";
import { startBerth } from "./listed_berth.ts";
import { type Competitor, median, rounds } from "./rounds.ts";
import { cpuSecondsOf } from "./server_process.ts";
import { startCost } from "./start_cost.ts";

const SECONDS = 2;
const LISTED = 50;
const WATCHED = 100;
const QUIET_MS = 20_000;
const LINES_A_NODE = 20_000;
const COMPARED = 1_000;

const FILE = `x-berth: { target: swarm }
services:
${
  Array.from({ length: COMPARED }, (_, at) =>
    `  s${at}:
    image: registry.example/team/app${at}:1.2
    command: [serve, --port, "8080"]
    environment: { A: one, B: two, LONG: some-longer-value-${at} }
    labels: { tier: front, team: web }
    ports: ["${8_000 + at}:80"]
    volumes: ["store:/store:ro"]
    healthcheck: { test: [CMD, "true"], interval: 30s }
    deploy: { replicas: 2, resources: { limits: { memory: 256m } }, update_config: { order: start-first } }
`).join("")
}volumes: { store: {} }
`;

/** A definition that differs from its file in some fields, as managers answer it. */
const definitionOf = (at: number) => ({
  ID: `s${at}`.padEnd(25, "0"),
  Version: { Index: 20 },
  Spec: {
    Name: `bench_s${at}`,
    Labels: { "com.docker.stack.namespace": "bench" },
    TaskTemplate: {
      ContainerSpec: {
        Image: `registry.example/team/app${at}:1.1`,
        Args: ["serve"],
        Env: ["A=one", "B=three"],
        Labels: { "com.docker.stack.namespace": "bench", tier: "front" },
        Mounts: [{ Type: "volume", Source: "bench_store", Target: "/store", ReadOnly: true }],
      },
      Networks: [{ Target: "n", Aliases: [`s${at}`] }],
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: "vip" },
  },
  Endpoint: {
    Ports: [{ Protocol: "tcp", PublishedPort: 8_000 + at, TargetPort: 80, PublishMode: "ingress" }],
  },
  ServiceStatus: { RunningTasks: 1, DesiredTasks: 1, CompletedTasks: 0 },
});

const parts = { list, quiet, log, compare, memory, start };
for (const [name, measure] of Object.entries(parts)) {
  if (Deno.args.length > 0 && !Deno.args.includes(name)) continue;
  try {
    await measure();
  } catch (error) {
    if (!(error instanceof NoEngine)) throw error;
    console.log(`absent: ${name}, ${error.message}`);
  }
}

/** A manager with so many services: `running` of them have a task that runs, the others one that no node takes. */
async function managerOf(
  stack: AsyncDisposableStack,
  running: number,
  waiting: number,
): Promise<TestEngine> {
  const { nodes: [manager] } = stack.use(await startSwarm(1));
  for (let number = 0; number < running + waiting; number += 1) {
    const { status, body } = await manager!.ask("POST /services/create", {
      Name: `bench_s${number}`,
      Labels: { "com.docker.stack.namespace": "bench", "com.docker.stack.image": SWARM_IMAGE },
      TaskTemplate: {
        ContainerSpec: { Image: SWARM_IMAGE, Args: ["idle"], Env: ["A=1", "B=2", "TOKEN=something"] },
        Placement: number < running ? {} : { Constraints: ["node.labels.disk==nowhere"] },
      },
      Mode: { Replicated: { Replicas: 1 } },
    });
    if (status !== 201) throw new Error(`no service: ${status} ${body}`);
  }
  await eventually("all tasks run or wait", async () => {
    const { json } = await manager!.ask("GET /services?status=true");
    const runs = json.reduce(
      (sum: number, one: { ServiceStatus: { RunningTasks: number } }) => sum + one.ServiceStatus.RunningTasks,
      0,
    );
    return runs === running;
  }, { timeoutMs: 300_000, everyMs: 500 });
  return manager!;
}

async function listedBy(port: number, key: string, count: number): Promise<void> {
  await eventually("all are listed", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/services`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return (await answer.json()).total === count;
  });
}

/** A list of services with their tasks takes two answers of a manager. */
async function list(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const manager = await managerOf(stack, LISTED, 0);
  const { server, key } = await startBerth(stack, `node1=unix://${manager.socket}`);
  stack.use(server);
  await listedBy(server.port, key, LISTED);
  const direct = onSocket(manager.socket);
  const pid = await engineProcess(manager);
  const berth = onPort(server.port, { authorization: `Bearer ${key}` });
  /** The CPU time of a server for one answer: rates go with what else the machine does. */
  const cost = async (server: number, target: Target, path: string, seconds: number) => {
    const [before, began] = [await cpuSecondsOf(server), performance.now()];
    const rate = await exchangesPerSecond(target, path, seconds);
    return (await cpuSecondsOf(server) - before) / (rate * (performance.now() - began) / 1_000);
  };
  await rounds("swarm-list", [
    {
      name: "a manager's /services and /tasks",
      run: async () =>
        1 / (await cost(pid, direct, "/v1.41/services?status=true", SECONDS) +
          await cost(pid, direct, "/v1.41/tasks", SECONDS)),
    },
    { name: "berth", run: async () => 1 / await cost(server.pid, berth, "/api/services", SECONDS) },
  ], {
    unit: "lists a second of CPU",
    better: "more",
    about: `a list of ${LISTED} services with their tasks, 8 connections; the aim is 50`,
  });
}

/** A manager's own time, with and without a berth that nobody looks at. */
async function quiet(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const manager = await managerOf(stack, LISTED, WATCHED - LISTED);
  const pid = await engineProcess(manager);
  const { server, key } = await startBerth(stack, `node1=unix://${manager.socket}`);
  stack.use(server);
  await listedBy(server.port, key, WATCHED);
  await pause(QUIET_MS); // nobody looks any more
  const share = async () => {
    const before = await cpuSecondsOf(pid);
    await pause(QUIET_MS);
    return (await cpuSecondsOf(pid) - before) / (QUIET_MS / 1_000) * 100;
  };
  await rounds("swarm-quiet", [
    {
      name: "berth held still",
      async run() {
        Deno.kill(server.pid, "SIGSTOP");
        const spent = await share();
        Deno.kill(server.pid, "SIGCONT");
        return spent;
      },
    },
    { name: "berth, nobody looking", run: share },
  ], {
    unit: "% of a core",
    warmUps: 1,
    about: `a manager's CPU with ${WATCHED} services, half of their tasks waiting; the aim is 1 more`,
  });
}

/** The log of a service with a task on each of three nodes. */
async function log(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const swarm = stack.use(await startSwarm(3));
  const [manager] = swarm.nodes;
  const words = "GET /api/items 200 12ms user=alice trace=0123456789abcdef";
  const script =
    `awk 'BEGIN { for (i = 1; i <= ${LINES_A_NODE}; i++) print "request " i " ${words}" }'; exec idle`;
  const create = ["service", "create", "--detach", "--no-resolve-image", "--name", "many"];
  await manager!.cli(...create, "--mode", "global", SWARM_IMAGE, "sh", "-c", script);
  const containers = await Promise.all(
    swarm.nodes.map((node) =>
      eventually("its log is written", async () => {
        const id =
          (await node.cli("ps", "-q", "--no-trunc", "--filter", "label=com.docker.swarm.service.name=many"))
            .trim();
        if (id === "") return null;
        return (await node.cli("logs", "--tail", "1", id)).includes(`request ${LINES_A_NODE} `) ? id : null;
      }, { timeoutMs: 300_000, everyMs: 500 })
    ),
  );
  const engines = Object.entries(swarm.engines).map(([name, { socket }]) => `${name}=unix://${socket}`);
  const { server, key } = await startBerth(stack, engines.join());
  stack.use(server);
  await listedBy(server.port, key, 1);
  const lines = 3 * LINES_A_NODE;
  const pids = [server.pid, ...await Promise.all(swarm.nodes.map(engineProcess))];
  const spent = async () => (await Promise.all(pids.map(cpuSecondsOf))).reduce((sum, one) => sum + one, 0);
  const walls = new Map<string, number[]>();
  const reading = (name: string, ...each: readonly (readonly string[])[]): Competitor => ({
    name,
    async run() {
      const [before, began] = [await spent(), performance.now()];
      await Promise.all(each.map(curl));
      walls.set(name, [...walls.get(name) ?? [], performance.now() - began]);
      return lines / 1_000 / (await spent() - before);
    },
  });
  const plain = (query: string) =>
    swarm.nodes.map((
      { socket },
      at,
    ) => [
      "--unix-socket",
      socket,
      `http://e/v1.41/containers/${containers[at]}/logs?stdout=1&stderr=1${query}`,
    ]);
  const ofService = "http://e/v1.41/services/many/logs?stdout=1&stderr=1&timestamps=1&details=1";
  const own = (query: string) => [
    "-H",
    `authorization: Bearer ${key}`,
    `http://127.0.0.1:${server.port}/api/services/many/logs?${query}`,
  ];
  const competitors: Competitor[] = [
    reading("three plain logs at once", ...plain("")),
    reading("the same with times", ...plain("&timestamps=1")),
    reading("a manager's log with details", ["--unix-socket", manager!.socket, ofService]),
    reading("berth, text", own("")),
    reading("berth, NDJSON", own("format=ndjson")),
  ];
  await rounds("swarm-log", competitors, {
    unit: "thousand lines a second of CPU",
    better: "more",
    about:
      `${
        lines / 1_000
      },000 lines of a service on three nodes of this machine, read by curl; the CPU of engines and ` +
      "berth together; the aims are 0.8, and twice the manager's",
  });
  for (const [name, all] of walls) {
    console.log(`  ${name}: ${Math.round(lines / median(all))} thousand lines/s`);
  }
}

/** Reads an answer to its end. */
async function curl(args: readonly string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command("curl", {
    args: ["-sS", "--fail", "-o", "/dev/null", ...args],
    signal: AbortSignal.timeout(300_000),
  }).output();
  if (code !== 0) throw new Error(`curl ended with ${code}: ${new TextDecoder().decode(stderr)}`);
}

async function compare(): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "berth-bench-" });
  await Deno.writeTextFile(`${root}/compose.yaml`, FILE);
  const model = await new WorkspaceReader(root).read();
  await Deno.remove(root, { recursive: true });
  const jobs = mainGroups(model).flatMap((group) =>
    group.units.flatMap((unit, at) => {
      const row = serviceRow(definitionOf(at), "c");
      if (unit.service === null || row === null) return [];
      const service = { ...row.shown, tasks: [], staleSince: null };
      const known = { service, definition: serviceDefinition(row.spec, () => "bench_default") };
      return [{ of: { model, group, unit, service: unit.service }, known }];
    })
  );
  if (jobs.length !== COMPARED) throw new Error(`${jobs.length} services instead of ${COMPARED}`);
  await rounds("swarm-compare", [{
    name: "all differences",
    run() {
      const before = cpuUsage();
      const found = jobs.reduce((sum, { of, known }) => sum + serviceDifferences(of, known).length, 0);
      if (found < 5 * COMPARED) throw new Error(`${found} differences alone`);
      const { user, system } = cpuUsage(before);
      return (user + system) / 1_000;
    },
  }], {
    unit: "ms of CPU",
    rounds: 9,
    about: `${COMPARED} services beside their files, nothing remembered; the aim is 200`,
  });
}

/** So many services with so many tasks, on a manager that is in this process. */
function scripted(services: number, tasks: number): ScriptedSwarm {
  const one = (at: number): ScriptedSwarm["services"][number] => ({
    stack: `stack${at % 50}`,
    unit: `s${at}x`, // ids of the script are filled up with zeros
    image: `registry.example/team/app${at}:1.2@sha256:${"5b0d".repeat(16)}`,
    replicas: tasks,
    container: {
      Args: ["serve", "--port", "8080"],
      Env: Array.from({ length: 8 }, (_, env) => `SETTING_${env}=value-${env}-of-${at}`),
      Labels: { tier: "front", team: "web" },
      Mounts: [{ Type: "volume", Source: "store", Target: "/store" }],
    },
    slots: Array.from({ length: tasks }, () => [{ node: "node1" }]),
  });
  return { nodes: [{ name: "node1" }], services: Array.from({ length: services }, (_, at) => one(at)) };
}

async function memory(): Promise<void> {
  const held = async (services: number, tasks: number) => {
    await using stack = new AsyncDisposableStack();
    const manager = stack.use(new ScriptedManager(scripted(services, tasks)));
    const { server, key } = await startBerth(stack, `m=unix://${manager.socket}`, undefined, FOR_HELD_BYTES);
    stack.use(server);
    await listedBy(server.port, key, services);
    await pause(5_000);
    return await heldBytes(server.pid);
  };
  const each: Record<"service" | "task", number[]> = { service: [], task: [] };
  for (let turn = 0; turn < 3; turn += 1) {
    const few = await held(100, 1);
    each.service.push((await held(1_100, 1) - few) / 1_000 / 1e3);
    each.task.push((await held(100, 21) - few) / 2_000 / 1e3);
  }
  await rounds("swarm-memory", [
    { name: "a service with one task", run: () => median(each.service) },
    { name: "a further task", run: () => median(each.task) },
  ], {
    unit: "kB",
    exact: true,
    about:
      "resident memory once garbage is collected, with 1,000 more services or 2,000 more tasks listed; the aims are " +
      "18 and 2",
  });
}

/** Beside a copy of berth that does not name the plugin. */
async function start(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const competitors: Competitor[] = [];
  for (const [name, isWithout] of [["without the plugin", true], ["no swarm", false]] as const) {
    const run = await startCost(
      stack,
      (text) => isWithout ? text.replace(/^import \{ swarm \}.*\n/m, "").replace(" swarm,", "") : text,
    );
    competitors.push(typeof run === "string" ? { name, absent: run } : { name, run });
  }
  await rounds("swarm-start", competitors, {
    unit: "ms of CPU",
    rounds: 25,
    warmUps: 3,
    about: "from the start of the process to the first answer of a route, without engines; the aim is 1.02",
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
