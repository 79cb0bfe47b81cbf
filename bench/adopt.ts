/** Adopting: a draft of many containers, a list beside many claims, and a difference settled in the file. */
import { cpuUsage } from "node:process";
import type { Claim } from "../core/claims.ts";
import { Engine } from "../engines/calls/engine.ts";
import { Inspections } from "../plugins/containers/containers/inspected.ts";
import { FIXTURE, startEngine, type TestEngine } from "../tests/support/engine.ts";
import { ENTRY } from "../tests/access/audit_entry.ts";
import { serveEngines, type TestService } from "../tests/support/service.ts";
import { rounds } from "./rounds.ts";

/** The most that one draft takes. */
const CONTAINERS = 500;
/** The most that a berth keeps. */
const CLAIMS = 10_000;
/** The containers that are inspected at a time, as a draft does. */
const AT_ONCE = 8;
const LISTS = 20;
const SERVICES = 60;

await using engine = await startEngine("docker");
const ids: string[] = [];
if (isWanted("draft") || isWanted("list")) {
  for (let n = 0; n < CONTAINERS; n++) ids.push(await make(n));
}

if (isWanted("draft")) {
  await using berth = await served();
  const containers = ids.map((id) => ({ backend: "docker", id }));
  await rounds("adopt-draft", [
    { name: `${CONTAINERS} containers inspected, ${AT_ONCE} at a time`, run: inspected },
    {
      name: `a draft of them`,
      run: async () => void await asked(berth, "POST /api/workspaces/home/adoptions/draft", { containers }),
    },
  ], {
    about: "a draft where half of the containers are in projects of ten, and the others alone",
    warmUps: 1,
  });
}

if (isWanted("list")) {
  await using plain = await served();
  await using claimed = await served();
  await claim(claimed);
  const list = (berth: TestService) => async () => {
    for (let n = 0; n < LISTS; n++) await asked(berth, `GET /api/containers?limit=${CONTAINERS}`);
  };
  await rounds("adopt-list", [
    { name: "without claims", run: cpuOf(list(plain)) },
    { name: `with ${CLAIMS.toLocaleString("en")} claims`, run: cpuOf(list(claimed)) },
  ], {
    unit: "ms of CPU",
    about: `${LISTS} lists of ${CONTAINERS} containers, with their caller in the same process`,
    rounds: 9,
    warmUps: 2,
  });
}

if (isWanted("settle")) {
  await using berth = await served();
  const name = await declare(berth);
  const text = await Deno.readTextFile(`${berth.folder}/workspaces/home/bench/compose.yaml`);
  await rounds("adopt-settle", [
    {
      name: "validate of an unsaved text",
      run: cpuOf(async () =>
        void await asked(berth, "POST /api/workspaces/home/artifacts/validate", {
          files: { "bench/compose.yaml": `${text}# ${crypto.randomUUID()}\n` },
        })
      ),
    },
    {
      name: "a preview of settling one difference",
      run: cpuOf(async () =>
        void await asked(berth, "POST /api/workspaces/home/artifacts/units/bench.s0/settle?preview=true", {
          container: name,
          fields: ["restart"],
        })
      ),
    },
  ], {
    unit: "ms of CPU",
    about: `settling beside a check, in a project of ${SERVICES} services`,
    rounds: 9,
    warmUps: 2,
  });
}

/** Time on a processor says the same on a busy machine. */
function cpuOf(work: () => Promise<void>): () => Promise<number> {
  return async () => {
    const before = cpuUsage();
    await work();
    const { user, system } = cpuUsage(before);
    return (user + system) / 1_000;
  };
}

/** `adopt:list` measures that part alone. */
function isWanted(part: string): boolean {
  return Deno.args.length === 0 || Deno.args.includes(part);
}

/** Half of them are as Compose makes them, in projects of ten. */
async function make(n: number): Promise<string> {
  const project = `p${Math.floor(n / 10)}`;
  const labels = n < CONTAINERS / 2
    ? {
      "com.docker.compose.project": project,
      "com.docker.compose.service": `s${n}`,
      "com.docker.compose.project.config_files": `/lost/${project}/compose.yaml`,
    }
    : {};
  const { status, json, body } = await engine.ask(`POST /containers/create?name=bench-${n}`, {
    Image: FIXTURE,
    Cmd: ["idle", "--port", "80"],
    Env: ["MODE=dark", `DB_PASSWORD=secret-${n}`, "TZ=Europe/Berlin"],
    Labels: { ...labels, tier: "web" },
    HostConfig: {
      Memory: 64 << 20,
      RestartPolicy: { Name: "unless-stopped" },
      PortBindings: { "80/tcp": [{ HostPort: String(20_000 + n) }] },
      Binds: [`data-${n}:/data`],
    },
  });
  if (status !== 201) throw new Error(`no container: ${status} ${body}`);
  return json.Id;
}

async function served(): Promise<TestService> {
  const berth = await serveEngines({ docker: engine satisfies TestEngine });
  const path = `${berth.folder}/workspaces/home`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(`${path}/compose.yaml`, "name: declared\nservices:\n  web:\n    image: none\n");
  await asked(berth, "POST /api/workspaces", { path });
  await asked(berth, "PUT /api/workspaces/home", { editable: true });
  return berth;
}

async function asked(berth: TestService, route: string, body?: unknown) {
  const answer = await berth.call(route, body);
  if (answer.status >= 300) throw new Error(`${route}: ${answer.text.slice(0, 300)}`);
  return answer.body;
}

async function inspected(): Promise<void> {
  using calls = new Engine("docker", { kind: "unix", path: engine.socket });
  const inspections = new Inspections();
  let next = 0;
  const work = async () => {
    for (let at = next++; at < ids.length; at = next++) await inspections.read(calls, ids[at]!); // within the list
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Claims every container that is there, and others until it is full. */
async function claim(berth: TestService): Promise<void> {
  const claims = Array.from({ length: CLAIMS }, (_, n): Claim => ({
    id: crypto.randomUUID(),
    engine: "docker",
    container: ids[n] ?? `${n}`.padStart(64, "f"),
    name: n < CONTAINERS ? `bench-${n}` : `other-${n}`,
    workspace: "home",
    group: "adopted",
    project: "adopted",
    service: `s${n}`,
    folder: `${berth.folder}/workspaces/home/adopted`,
    file: `${berth.folder}/workspaces/home/adopted/compose.yaml`,
    by: { kind: "system", id: "bench", name: "bench" },
    at: Date.now(),
    goneAt: null,
  }));
  const { store, claims: known } = berth.berth;
  await store.claims.add(claims, CLAIMS, ENTRY);
  await known.reload();
}

/** Declares a container with another restart policy among services that do not run. Returns its name. */
async function declare(berth: TestService): Promise<string> {
  const path = `${berth.folder}/workspaces/home/bench`;
  await Deno.mkdir(path);
  const services = Array.from(
    { length: SERVICES },
    (_, n) =>
      `  s${n}:\n    image: ${FIXTURE}\n    command: [idle]\n    network_mode: bridge\n    ports: ["${
        30_000 + n
      }:80"]\n` +
      `    environment: { MODE: dark, N: "${n}" }\n    restart: always\n`,
  );
  await Deno.writeTextFile(`${path}/compose.yaml`, `name: bench\nservices:\n${services.join("")}`);
  const { status, body } = await engine.ask("POST /containers/create?name=bench-declared", {
    Image: FIXTURE,
    Cmd: ["idle"],
    Env: ["MODE=dark", "N=0"],
    Labels: {
      "com.docker.compose.project": "bench",
      "com.docker.compose.service": "s0",
      "com.docker.compose.project.config_files": `${path}/compose.yaml`,
      "com.docker.compose.container-number": "1",
    },
    HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "30000" }] } },
  });
  if (status !== 201) throw new Error(`no container: ${status} ${body}`);
  for (let attempt = 0; attempt < 600; attempt++) {
    const { live } = await berth.call("GET /api/workspaces/home/artifacts/units/bench.s0").then(({ body }) =>
      body
    );
    if (live?.drift?.some(({ field }: { field: string }) => field === "restart")) return "bench-declared";
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("berth never compared the declared container");
}
