/** Recovery of a cut swap on SQLite: berth is killed with the old container stopped, and the service serves again. */
import { mortal } from "../tests/apply/apply_mortal.ts";
import { ApplyScene, project, service } from "../tests/apply/apply_scene.ts";
import { startEngine, type TestEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { serveEngines, TestCaller } from "../tests/support/service.ts";
import { rounds } from "./rounds.ts";

const NAME = "takeover";
const CONTAINER = `${NAME}-web-1`;
/** The bound that is promised, from the moment at which berth listens; here it is taken from its start on. */
const MOST_MS = 2_000;

const text = (colour: string) =>
  project(NAME, [service("web", `restart: unless-stopped\nenvironment: { C: ${colour} }`)]);

/** The scene with its service up, at a folder that outlives each berth. */
async function prepared(docker: TestEngine, folder: string): Promise<{ admin: string; path: string }> {
  await using berth = await serveEngines({ docker }, { folder });
  const scene = await ApplyScene.on(docker, berth, NAME, text("c0"));
  const { state, reason } = await scene.apply();
  if (state !== "done") throw new Error(`The service does not run: ${reason}`);
  return { admin: berth.admin!, path: scene.path };
}

/** Dies in an apply, right after it stopped the old container. */
async function cutSwap(docker: TestEngine, folder: string, admin: string): Promise<void> {
  const { child, url } = await mortal({ folder, admin }, docker, ["after", "stop"]);
  const caller = new TestCaller(url, admin);
  await eventually("it is ready", async () => (await caller.call("GET /api/health/ready")).status === 200);
  const { id } = (await caller.call("GET /api/workspaces")).body.items[0];
  const plan = await caller.call(`POST /api/workspaces/${id}/artifacts/groups/${NAME}/plan`, {});
  await caller.call(`POST /api/plans/${plan.body.id}/apply`, {}).catch(() => null); // it dies meanwhile
  await child.status;
  if (await serves(docker)) throw new Error("The service was not stopped");
}

async function serves(docker: TestEngine): Promise<boolean> {
  const { json } = await docker.ask(`GET /containers/${CONTAINER}/json`);
  return json?.State?.Running === true;
}

async function untilServing(docker: TestEngine, began: number): Promise<number> {
  await eventually("the service serves", () => serves(docker), { everyMs: 10 });
  return performance.now() - began;
}

async function measure(docker: TestEngine): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-takeover-" }));
  const { admin, path } = await prepared(docker, folder);
  let turn = 0;
  const recovery = async () => {
    await Deno.writeTextFile(`${path}/compose.yaml`, text(`c${++turn}`));
    await cutSwap(docker, folder, admin);
    const began = performance.now();
    const starting = serveEngines({ docker }, { folder, admin });
    const took = await untilServing(docker, began);
    await using berth = await starting;
    await eventually("the apply is over, or waits", async () => {
      const { items } = (await berth.call("GET /api/applies")).body;
      return items[0].state !== "running";
    });
    return took;
  };
  const byHand = async () => {
    await docker.cli("stop", CONTAINER);
    const began = performance.now();
    await docker.cli("start", CONTAINER);
    return await untilServing(docker, began);
  };
  const [own] = await rounds("takeover", [
    { name: "berth: start, and the old container serves", run: recovery },
    { name: "docker start of a stopped container", run: byHand },
  ], {
    against: "docker start of a stopped container",
    about: `a swap that was cut by a kill, on SQLite; at most ${MOST_MS} ms are promised`,
  });
  await Deno.remove(folder, { recursive: true });
  const most = Math.max(...own?.figures ?? []);
  console.log(`at most ${most.toFixed(0)} ms`);
  if (!(most <= MOST_MS)) throw new Error(`It took more than ${MOST_MS} ms`);
}

{
  await using docker = await startEngine("docker");
  await measure(docker);
}
