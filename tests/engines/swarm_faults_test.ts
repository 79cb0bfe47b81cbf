/** A real swarm that loses nodes, links and its quorum, and one of which berth knows a worker alone. For the proof: minutes. */
import assert from "node:assert/strict";
import { NoEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { ServiceLogReader } from "../support/service_log_reader.ts";
import { startSwarm, SWARM_IMAGE, type TestSwarm } from "../support/swarm.ts";
import { within } from "../support/within.ts";
import { workspace } from "../streams/live_scene.ts";

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
  const before = (await tasksOf(berth))
    .filter(({ node, desired, state }) => node?.name === "node3" && desired && state === "running").length;
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

const stateOf = async (berth: TestService): Promise<string> =>
  (await berth.call("GET /api/clusters")).body.items[0].state;

/** Kills the leader: what is shown says within seconds how old it is, and another manager is asked. */
async function otherLeader({ nodes }: TestSwarm, berth: TestService): Promise<void> {
  await nodes[0]!.kill();
  const killed = performance.now();
  await within(6_000, "it says since when it is old, or has another leader", async () => {
    const { body } = await berth.call("GET /api/services/many");
    const { body: { items: [{ leader }] } } = await berth.call("GET /api/clusters");
    return body.staleSince !== null || leader !== null && leader !== "node1";
  });
  await eventually("another manager leads, and answers", async () => {
    const { body: { items: [{ state, leader }] } } = await berth.call("GET /api/clusters");
    return state === "up" && ["node2", "node3"].includes(leader);
  });
  const { body } = await berth.call("GET /api/services/many");
  assert.equal(body.staleSince, null);
  console.log(`another leader after ${Math.round(performance.now() - killed)} ms`);
  await nodes[0]!.start();
  await eventually(
    "all managers are back",
    async () => (await berth.call("GET /api/clusters")).body.items[0].reachable === 3,
  );
}

/** Kills all managers but one: rows stay, marked, nothing is sent, and afterwards everything is as the swarm says. */
async function noQuorum({ nodes }: TestSwarm, berth: TestService): Promise<void> {
  const state = () => stateOf(berth);
  const versions = async (): Promise<string> => {
    const { json } = await nodes[1]!.ask("GET /services");
    return JSON.stringify(
      json.map((one: { ID: string; Version: { Index: number } }) => [one.ID, one.Version.Index]),
    );
  };
  const before = await versions();
  await nodes[0]!.kill();
  await within(25_000, "it has no quorum", async () => await state() === "noQuorum");
  const { body } = await berth.call("GET /api/services/many");
  assert.equal(body.tasks.length > 0, true, "rows stay");
  assert.ok(Date.parse(body.staleSince) > Date.now() - 60_000, body.staleSince);
  const acts = [
    "services/many/scale",
    "services/many/restart",
    "services/many/rollback",
    "nodes/node2/drain",
  ];
  for (const act of acts) {
    const { status, body } = await berth.call(
      `POST /api/${act}`,
      act.endsWith("scale") ? { replicas: 1 } : undefined,
    );
    assert.deepEqual([status, body.code], [503, "cluster_without_quorum"], act);
  }
  assert.equal((await berth.call("DELETE /api/services/many")).status, 503);
  await nodes[0]!.start();
  await nodes[2]!.start();
  await eventually("it is up again", async () => await state() === "up");
  assert.equal(await versions(), before, "nothing of what was refused was sent");
  const listed = async () =>
    (await nodes[1]!.cli("service", "ls", "--format", "{{.Name}} {{.Replicas}}")).trim();
  await eventually("its numbers are those of docker service ls", async () => {
    const { body: { items } } = await berth.call("GET /api/services");
    const own = items.map((one: { name: string; running: number; desired: number }) =>
      `${one.name} ${one.running}/${one.desired}`
    );
    return own.sort().join("\n") === (await listed()).split("\n").sort().join("\n");
  });
  await eventually("its tasks are those of the swarm", async () => {
    const theirs = (await nodes[0]!.ask("GET /tasks")).json;
    const [own, other] = [await tasksOf(berth), theirs];
    return JSON.stringify(own.map((one) => (one as unknown as { id: string }).id).sort()) ===
      JSON.stringify(other.map(({ ID }: { ID: string }) => ID).sort());
  });
}

/**
 * Cuts the link of a node for longer than its managers wait for it: its tasks run on beside those that replace them, and
 * their logs come back without loss or repeats.
 */
async function cutLink(own: TestSwarm, berth: TestService): Promise<void> {
  const counts = await Deno.makeTempDir();
  const counting = 'i=0; while :; do i=$((i+1)); echo "line $i"; echo $i >>/out/$HOSTNAME; sleep 0.1; done';
  await own.nodes[0]!.cli(
    ...["service", "create", "--detach", "--no-resolve-image", "--name", "told", "--replicas", "3"],
    ...["--restart-delay", "0s", "--mount", `type=bind,source=${counts},target=/out`],
    ...[SWARM_IMAGE, "sh", "-c", counting],
  );
  const told = async () => (await berth.call("GET /api/services/told")).body;
  await eventually("it runs", async () => (await told()).running === 3);
  await using part = await serveEngines({ node1: own.nodes[0]!, node2: own.nodes[1]! });
  await eventually("both list it", async () => (await part.call("GET /api/services/told")).status === 200);
  const leaving = new AbortController();
  const logs = [berth, part].map((one) => new ServiceLogReader(one, "told", leaving.signal));
  const before = (await told()).tasks as readonly Placed[];
  const cut = before.filter(({ node }) => node.name === "node3").map(({ id }) => id);
  await eventually("all are followed", () => logs.every((log) => log.tasks.size === 3));

  await own.link(3, "down");
  await eventually("its tasks are lost, and three run beside them", async () => {
    const { tasks, running } = await told();
    const lost = (tasks as readonly Placed[]).filter(({ id, state }) =>
      cut.includes(id) && state === "lost"
    ).length;
    return lost === cut.length && running >= 3;
  });
  await new Promise((done) => setTimeout(done, 8_000)); // both copies write
  await own.link(3, "up");
  await eventually(
    "its old tasks have ended",
    async () =>
      ((await told()).tasks as readonly Placed[]).every(({ id, state }) =>
        !cut.includes(id) || state !== "lost"
      ),
  );
  const counted = async (id: string): Promise<number> =>
    Number((await Deno.readTextFile(`${counts}/${id.slice(0, 12)}`)).trim().split("\n").at(-1));
  const tasks = (await told()).tasks as readonly Placed[];
  for (const [index, log] of logs.entries()) {
    for (const { id, container, desired } of tasks) {
      const written = await counted(container.id);
      await eventually(
        `log ${index} has all of task ${id} or a gap`,
        () => log.last(id) >= written || log.gaps.has(id),
      );
      if (desired) assert.equal(log.gaps.has(id), false, "a task that lives lacks nothing");
    }
    assert.deepEqual(log.faults, [], "nothing is told twice, and nothing lost without a word");
  }
  leaving.abort();
  await Promise.all(logs.map(({ ended }) => ended));
  await own.nodes[0]!.cli("service", "rm", "told");
  await eventually(
    "its containers are gone, and write no more",
    () => Deno.remove(counts, { recursive: true }).then(() => true),
  );
}

interface Placed {
  readonly id: string;
  readonly state: string;
  readonly desired: boolean;
  readonly node: { readonly name: string };
  readonly container: { readonly id: string };
}

/** A worker knows no services: its managers are named, and what is declared is unknown and not absent. */
async function workerAlone({ nodes, engines }: TestSwarm): Promise<void> {
  const stack = ["--name", "lone_web", "--label", "com.docker.stack.namespace=lone", SWARM_IMAGE, "idle"];
  await nodes[0]!.cli(
    "service",
    "create",
    "--detach",
    "--no-resolve-image",
    "--mode",
    "global",
    "--container-label",
    "com.docker.stack.namespace=lone",
    ...stack,
  );
  await nodes[0]!.cli("node", "demote", "node3");
  await using berth = await serveEngines({ node3: engines["node3"]! });
  const text = `services:\n  web:\n    image: ${SWARM_IMAGE}\n    command: [idle]\n`;
  const { id } = await workspace(berth, "lone", text);
  await eventually("its unit is unknown", async () => {
    const { body: { live } } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`);
    return live.state === "unknown" && live.verdict === "unknown";
  });
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

    await context.step("another manager leads", () => otherLeader(own, berth));
    await context.step("tasks of a node that is down are lost", () => lost(own, berth));
    await context.step("without quorum rows stay, and say since when", () => noQuorum(own, berth));
    await context.step("a link that is cut", () => cutLink(own, berth));
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
