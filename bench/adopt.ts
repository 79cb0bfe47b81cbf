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
/** The most that one call saves. */
const PROJECTS = 100;
/** The unit of `/proc/<pid>/stat`. */
const TICK_MS = 10;
const LISTS = 100;
const SERVICES = 60;

await using engine = await startEngine("docker");
const enginePid = findEngine();
const ids: string[] = [];
if (["draft", "accept", "list"].some(isWanted)) {
  for (let n = 0; n < CONTAINERS; n++) ids.push(await make(n));
}

if (isWanted("draft")) {
  await using berth = await served();
  const containers = ids.map((id) => ({ backend: "docker", id }));
  await rounds("adopt-draft", [
    { name: `${CONTAINERS} containers inspected, ${AT_ONCE} at a time`, run: cpuOf(inspected, true) },
    {
      name: `a draft of them`,
      run: cpuOf(
        async () => void await asked(berth, "POST /api/workspaces/home/adoptions/draft", { containers }),
        true,
      ),
    },
  ], {
    unit: "ms of CPU",
    about:
      "a draft where half of the containers are in projects of ten, and the others alone; the engine's CPU counts, too",
    warmUps: 1,
  });
}

if (isWanted("accept")) {
  await using berth = await served();
  const single = ids.slice(-PROJECTS).map((id) => ({ backend: "docker", id }));
  const drafted = () => asked(berth, "POST /api/workspaces/home/adoptions/draft", { containers: single });
  await rounds("adopt-accept", [
    { name: `a draft of ${single.length} projects`, run: cpuOf(async () => void await drafted()) },
    {
      name: "saving them and adopting their containers",
      run: async () => {
        const draft = await drafted();
        const projects = draft.projects.map(({ name, backend, services }: Drafted) => ({
          name,
          folder: name,
          containers: services.map(({ id }) => ({ backend, id })),
        }));
        const route = `POST /api/adoptions/drafts/${draft.id}/accept`;
        const spent = await cpuOf(async () => void await asked(berth, route, { projects }))();
        for (const { id } of (await asked(berth, "GET /api/adoptions")).items) {
          await asked(berth, `DELETE /api/adoptions/${id}`);
        }
        for (const { folder } of projects) {
          await Deno.remove(`${berth.folder}/workspaces/home/${folder}`, { recursive: true });
        }
        return spent;
      },
    },
  ], { unit: "ms of CPU", about: "containers of docker run, each a project of its own", warmUps: 1 });
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
    about:
      `${LISTS} lists of ${CONTAINERS} containers, with their caller in the same process; claimed are those with labels ` +
      "of Compose, so that both answers say as much",
    rounds: 25,
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

interface Drafted {
  readonly name: string;
  readonly backend: string;
  readonly services: readonly { readonly id: string }[];
}

/** Time on a processor says the same on a busy machine. */
function cpuOf(work: () => Promise<void>, isEngineIn = false): () => Promise<number> {
  return async () => {
    const [before, engineBefore] = [cpuUsage(), isEngineIn ? await engineCpu() : 0];
    await work();
    const { user, system } = cpuUsage(before);
    return (user + system) / 1_000 + (isEngineIn ? await engineCpu() - engineBefore : 0);
  };
}

/** Returns the time that the engine has had on a processor, in ms. */
async function engineCpu(): Promise<number> {
  const { pid } = await enginePid;
  const [, fields = ""] = (await Deno.readTextFile(`/proc/${pid}/stat`)).split(") "); // after the program's name
  const [user = 0, system = 0] = fields.split(" ").slice(11).map(Number);
  return (user + system) * TICK_MS;
}

async function findEngine(): Promise<{ pid: string }> {
  for await (const { name: pid } of Deno.readDir("/proc")) {
    const words = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (/^[^\0]*dockerd\0/.test(words) && words.includes(engine.socket)) return { pid };
  }
  throw new Error("the engine's process is not to be found");
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

/** Claims each container that has labels of Compose, and others until it is full. */
async function claim(berth: TestService): Promise<void> {
  const claims = Array.from({ length: CLAIMS }, (_, n): Claim => ({
    id: crypto.randomUUID(),
    engine: "docker",
    container: n < CONTAINERS / 2 ? ids[n]! : `${n}`.padStart(64, "f"), // as many were made
    name: n < CONTAINERS / 2 ? `bench-${n}` : `other-${n}`,
    workspace: "home",
    group: "adopted",
    project: "adopted",
    service: `s${n}`,
    folder: `/lost/p${Math.floor(n / 10)}`,
    file: `/lost/p${Math.floor(n / 10)}/compose.yaml`,
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
