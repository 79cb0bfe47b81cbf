/** A real swarm with 5,000 tasks that no node takes, and services that change all the time. For the proof. */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { NoEngine, type TestEngine } from "../support/engine.ts";
import { engineProcess } from "../support/engine_process.ts";
import { eventually } from "../support/eventually.ts";
import { TestCaller } from "../support/service.ts";
import { startSwarm, SWARM_IMAGE } from "../support/swarm.ts";

const SERVICES = 50;
const TASKS_EACH = 100;
const FLAPPING = 100;
const CHANGES_PER_SECOND = 20;
const SECONDS = 20;
/** Promised of a list. */
const LIST_MS = 50;
/** Promised of reading, in shares of a core; a change costs a manager the more the more of it is read meanwhile. */
const SHARE = 0.05;
const MARGIN = 0.05;
const TICKS_PER_SECOND = 100;

const swarm = Deno.env.get("BERTH_TEST_SWARM") !== "all" ? null : await startSwarm(1).catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: a swarm of many tasks, because ${error.message}`);
  return null;
});

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const specOf = (name: string, replicas: number, turn = 0) => ({
  Name: name,
  Labels: { turn: String(turn) },
  TaskTemplate: {
    ContainerSpec: { Image: SWARM_IMAGE, Args: ["idle"] },
    Placement: { Constraints: ["node.labels.disk==nowhere"] },
  },
  Mode: { Replicated: { Replicas: replicas } },
});

async function create(manager: TestEngine, name: string, replicas: number): Promise<string> {
  const { status, body, json } = await manager.ask("POST /services/create", specOf(name, replicas));
  assert.equal(status, 201, body);
  return json.ID;
}

/** Changes the services one after the other for that long; returns the manager's share of a core. */
async function flap(manager: TestEngine, pid: number, ids: readonly string[]): Promise<number> {
  const [began, before] = [performance.now(), await cpuSeconds(pid)];
  for (let turn = 0; performance.now() - began < SECONDS * 1_000; turn += 1) {
    const id = ids[turn % ids.length]!;
    const { json } = await manager.ask(`GET /services/${id}`);
    const { status, body } = await manager.ask(
      `POST /services/${id}/update?version=${json.Version.Index}`,
      specOf(json.Spec.Name, 1, turn),
    );
    assert.equal(status, 200, body);
    const leftMs = began + (turn + 1) * 1_000 / CHANGES_PER_SECOND - performance.now();
    if (leftMs > 0) await new Promise((done) => setTimeout(done, leftMs));
  }
  return (await cpuSeconds(pid) - before) / ((performance.now() - began) / 1_000);
}

Deno.test({
  name:
    "5,000 waiting tasks and 100 services that change are listed from memory, and read for little of a core",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using own = swarm!;
    const [manager] = own.nodes as [TestEngine];
    const pid = await engineProcess(manager);
    for (let at = 0; at < SERVICES; at += 1) await create(manager, `many${at}`, TASKS_EACH);
    const ids: string[] = [];
    for (let at = 0; at < FLAPPING; at += 1) ids.push(await create(manager, `flap${at}`, 1));
    const total = SERVICES * TASKS_EACH + FLAPPING;
    await eventually(
      "the swarm has all tasks",
      async () => (await manager.ask("GET /tasks")).json.length === total,
    );
    await using berth = await startBerthProcess({ env: { BERTH_ENGINES: `node1=unix://${manager.socket}` } });
    const caller = new TestCaller(berth.url, await berth.setUp());
    const list = async () => (await caller.call("GET /api/services")).body.items;
    await eventually("berth lists all tasks", async () => {
      const items = await list();
      return items.reduce((sum: number, { tasks }: { tasks: unknown[] }) => sum + tasks.length, 0) === total;
    });
    const waiting = (await caller.call("GET /api/services?state=waiting")).body;
    assert.equal(waiting.total, SERVICES + FLAPPING);
    assert.match(waiting.items[0].tasks[0].reason, /no suitable node/);

    const times: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const began = performance.now();
      await (await caller.fetch("GET /api/services")).bytes();
      times.push(performance.now() - began);
    }
    const [best = Infinity] = times.toSorted((a, b) => a - b);
    assert.ok(best <= LIST_MS, `a list took ${best.toFixed(1)} ms at best`);

    await new Promise((done) => setTimeout(done, 16_000)); // nobody looks any more
    Deno.kill(berth.pid, "SIGSTOP");
    const alone = await flap(manager, pid, ids);
    Deno.kill(berth.pid, "SIGCONT");
    const before = await cpuSeconds(berth.pid);
    const watched = await flap(manager, pid, ids);
    const ofBerth = (await cpuSeconds(berth.pid) - before) / SECONDS;
    console.log(
      `list ${best.toFixed(1)} ms; a manager's share of a core ${alone.toFixed(3)} alone, ${
        watched.toFixed(3)
      } read ` +
        `by berth, which takes ${ofBerth.toFixed(3)}`,
    );
    assert.ok(watched - alone <= SHARE + MARGIN, `reading takes ${watched - alone} of a manager's core`);
    const last = (await manager.ask(`GET /services/${ids[0]}`)).json.Spec.Labels.turn;
    await eventually(
      "the last change is there",
      async () => (await caller.call("GET /api/services/flap0")).body.labels.turn === last,
    );
  },
});
