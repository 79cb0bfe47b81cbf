/** A real swarm that loses nodes and its quorum, and one of which berth knows a worker alone. For the proof: two minutes. */
import assert from "node:assert/strict";
import { NoEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { startSwarm, SWARM_IMAGE, type TestSwarm } from "../support/swarm.ts";

const swarm = Deno.env.get("BERTH_TEST_SWARM") !== "all" ? null : await startSwarm().catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: faults of a swarm, because ${error.message}`);
  return null;
});

interface Task {
  readonly state: string;
  readonly desired: boolean;
  readonly node: { readonly name: string } | null;
}

const tasksOf = async (berth: TestService): Promise<Task[]> =>
  (await berth.call("GET /api/services/many")).body.tasks;

/** Kills the engine of a node: its tasks are lost, and others replace them. */
async function lost({ nodes }: TestSwarm, berth: TestService): Promise<void> {
  const before = (await tasksOf(berth)).filter(({ node }) => node?.name === "node3").length;
  assert.ok(before > 0);
  await nodes[2]!.kill();
  await eventually("its tasks are lost, and replaced elsewhere", async () => {
    const tasks = await tasksOf(berth);
    const lost = tasks.filter(({ state, node }) => state === "lost" && node?.name === "node3").length;
    const running = tasks.filter(({ state, desired, node }) =>
      state === "running" && desired && node?.name !== "node3"
    );
    return lost === before && running.length === 6;
  });
  const { body } = await berth.call("GET /api/clusters");
  assert.deepEqual([body.items[0].state, body.items[0].reachable, body.items[0].spare], ["up", 2, 0]);
}

/** Kills the leader too: without quorum rows stay, marked, and afterwards everything is as the swarm says. */
async function noQuorum({ nodes }: TestSwarm, berth: TestService): Promise<void> {
  const state = async () => (await berth.call("GET /api/clusters")).body.items[0].state;
  await nodes[0]!.kill();
  await eventually("it has no quorum", async () => await state() === "noQuorum");
  const { body } = await berth.call("GET /api/services/many");
  assert.equal(body.tasks.length > 0, true, "rows stay");
  assert.ok(Date.parse(body.staleSince) > Date.now() - 60_000, body.staleSince);
  await nodes[0]!.start();
  await nodes[2]!.start();
  await eventually("it is up again", async () => await state() === "up");
  await eventually("its tasks are those of the swarm", async () => {
    const theirs = (await nodes[0]!.ask("GET /tasks")).json;
    const [own, other] = [await tasksOf(berth), theirs];
    return JSON.stringify(own.map((one) => (one as unknown as { id: string }).id).sort()) ===
      JSON.stringify(other.map(({ ID }: { ID: string }) => ID).sort());
  });
}

/** A worker knows no services: its managers are named. */
async function workerAlone({ nodes, engines }: TestSwarm): Promise<void> {
  await nodes[0]!.cli("node", "demote", "node3");
  await using berth = await serveEngines({ node3: engines["node3"]! });
  const cluster = await eventually(
    "its place is known",
    async () => (await berth.call("GET /api/clusters")).body.items[0] ?? null,
  );
  assert.equal(cluster.state, "away");
  assert.match(cluster.reason, /knows a worker of it alone, "node3".*10\.88\.0\.1:2377/);
}

Deno.test({
  name: "A swarm that loses nodes and its quorum is shown as it is, and never as fine",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    await using own = swarm!;
    const many = ["--name", "many", "--replicas", "6", SWARM_IMAGE, "idle"];
    await own.nodes[0]!.cli("service", "create", "--detach", "--no-resolve-image", ...many);
    await using berth = await serveEngines(own.engines);
    await eventually(
      "six tasks run",
      async () => (await berth.call("GET /api/services/many")).body.running === 6,
    );

    await context.step("tasks of a node that is down are lost", () => lost(own, berth));
    await context.step("without quorum rows stay, and say since when", () => noQuorum(own, berth));
    await context.step("a worker alone names its managers", () => workerAlone(own));
  },
});

Deno.test("an engine without a swarm is asked nothing about one", async () => {
  await using engine = new ScriptedEngine(async (call) => {
    if (call.path.startsWith("/events")) return void await new Promise((done) => setTimeout(done, 4_000));
    await call.json(
      call.path.startsWith("/version") ? {} : call.path.startsWith("/volumes") ? { Volumes: [] } : [],
    );
  });
  await using berth = await serveEngines({ one: engine });
  for (const path of ["clusters", "services", "nodes", "stacks"]) {
    assert.deepEqual((await berth.call(`GET /api/${path}`)).body, { items: [], total: 0 });
  }
  await new Promise((done) => setTimeout(done, 2_500)); // two ticks
  const asked = engine.calls.filter((one) =>
    /\/(info|services|tasks|nodes|swarm|configs|secrets)\b/.test(one)
  );
  assert.deepEqual(asked, []);
});
