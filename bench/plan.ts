/** The time of comparing, of its hashes, and of a plan beside `docker compose up`, both with nothing to do. */
import { cpuUsage } from "node:process";
import { WorkspaceReader } from "../artifacts/reading/workspace_reader.ts";
import { mainGroups } from "../artifacts/graph/graph.ts";
import type { InspectedContainer } from "../core/runtime.ts";
import type { EngineView } from "../projects/fields/engine_view.ts";
import { differencesOf } from "../projects/fields/table.ts";
import { configHash } from "../projects/hash/labels.ts";
import { composeOfToday, composeToday } from "../tests/support/compose.ts";
import { FIXTURE, startEngine } from "../tests/support/engine.ts";
import { serveEngines } from "../tests/support/service.ts";
import { UNASKED } from "../tests/proof/unasked.ts";

const PROJECTS = 100;
const SERVICES = 10;
const ROUNDS = 15;

const service = (project: number, number: number) =>
  `  s${number}:
    image: registry.example/team/app${number}:1.2
    command: [serve, --port, "8080"]
    environment: { A: one, B: two, C: "${project}", LONG: some-longer-value-${number} }
    labels: { tier: front, team: web }
    ports: ["127.0.0.1:${8_000 + number}:80"]
    volumes: ["./data:/data", "store:/store:ro"]
    restart: unless-stopped
    mem_limit: 256m
    cpus: 0.5
    cap_drop: [ALL]
    healthcheck: { test: [CMD, "true"], interval: 30s }
${number > 0 ? `    depends_on: [s${number - 1}]\n` : ""}`;

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1]!;
const shown = (times: readonly number[]) =>
  `${median(times).toFixed(1)} ms (${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)})`;

/** Returns the CPU time of the work, whatever else the machine does meanwhile. */
function processorMs(work: () => void): number {
  const before = cpuUsage();
  work();
  const { user, system } = cpuUsage(before);
  return (user + system) / 1_000;
}

async function inMemory(): Promise<void> {
  const root = await Deno.makeTempDir();
  for (let project = 0; project < PROJECTS; project++) {
    await Deno.mkdir(`${root}/p${project}/data`, { recursive: true });
    const services = Array.from({ length: SERVICES }, (_, number) => service(project, number)).join("");
    await Deno.writeTextFile(
      `${root}/p${project}/compose.yaml`,
      `services:\n${services}volumes: { store: {} }\n`,
    );
  }
  const model = await new WorkspaceReader(root).read();
  const jobs = mainGroups(model).flatMap((group) =>
    group.units.flatMap((unit) =>
      unit.service === null ? [] : [{ model, group, unit, service: unit.service }]
    )
  );
  const container: InspectedContainer = {
    ...UNASKED,
    id: "c".repeat(64),
    name: "shop-web-1",
    image: "other:1",
    imageId: "sha256:0",
    state: "running",
    health: null,
    exitCode: null,
    restartCount: 0,
    reason: null,
    condition: "running",
    createdAt: "",
    startedAt: null,
    finishedAt: null,
    ending: { keepsRunning: false, oomKilled: false, byHand: false },
    stopped: null,
    healthOutput: null,
    compose: null,
    backend: "docker",
    imageDefaults: null,
    isSystem: false,
    inherited: [],
    askedMacAddress: null,
    undeclarable: [],
    pid: null,
  };
  const view: EngineView = {
    kind: "docker",
    mappedTo: (path) => path,
    realOf: (path) => path,
    sourceAt: () => undefined,
    neighbour: () => undefined,
    imageNow: () => undefined,
    digest: null,
    contents: new Map(),
  };
  const compared: number[] = [];
  const hashed: number[] = [];
  let differences = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const compare = processorMs(() => {
      differences = jobs.reduce((sum, of) => sum + differencesOf(of, container, view).length, 0);
    });
    const hash = processorMs(() => {
      for (const of of jobs) configHash(of, "b", () => undefined);
    });
    if (round === 0) {
      console.log(
        `the first time: compare ${compare.toFixed(1)} ms, hash ${hash.toFixed(1)} ms of processor`,
      );
      continue;
    }
    compared.push(compare);
    hashed.push(hash);
  }
  console.log(`compare ${jobs.length} services, ${differences} differences, processor: ${shown(compared)}`);
  console.log(`hash ${jobs.length} services, processor: ${shown(hashed)}`);
  await Deno.remove(root, { recursive: true });
}

async function besideCompose(): Promise<void> {
  if (composeOfToday.missing !== null) return console.log(`not beside Compose: ${composeOfToday.missing}`);
  await using engine = await startEngine("docker");
  await using berth = await serveEngines({ docker: engine });
  const path = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(path);
  const services = Array.from(
    { length: 20 },
    (_, number) =>
      `  s${number}: { image: "${FIXTURE}", command: [idle], environment: { N: "${number}" } }\n`,
  );
  await Deno.writeTextFile(`${path}/compose.yaml`, `name: shop\nservices:\n${services.join("")}`);
  const { body: { id } } = await berth.call("POST /api/workspaces", { path });
  const failure = await composeToday(engine.socket, path, "up", "-d");
  if (failure !== "") throw new Error(failure);
  const route = `POST /api/workspaces/${id}/artifacts/groups/shop/plan`;
  while ((await berth.call(route, {})).body.unchanged !== 20) {
    await new Promise((done) => setTimeout(done, 200));
  }
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const { body } = await berth.call(route, {});
    const between = performance.now();
    await composeToday(engine.socket, path, "up", "-d");
    theirs.push(performance.now() - between);
    ours.push(between - began);
    if (body.steps.length > 0) throw new Error("there was something to do");
  }
  console.log(`plan with nothing to do, 20 services: ${shown(ours)}`);
  console.log(
    `compose up with nothing to do: ${shown(theirs)}, ratio ${(median(ours) / median(theirs)).toFixed(2)}`,
  );
}

await inMemory();
await besideCompose();
