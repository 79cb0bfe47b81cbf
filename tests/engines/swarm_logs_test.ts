/** Logs of services on three real nodes, whose leader is restarted; each container numbers its lines, and counts them. */
import assert from "node:assert/strict";
import { NoEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { startSwarm, SWARM_IMAGE, type TestSwarm } from "../support/swarm.ts";

const swarm = await startSwarm().catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: logs of services, because ${error.message}`);
  return null;
});

Deno.test({
  name: "Logs of a service lose and repeat nothing over three nodes, but for gaps that are told",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    const counts = await Deno.makeTempDir();
    // Behind the containers, which write to it until their engines end
    await using _folder = { [Symbol.asyncDispose]: () => Deno.remove(counts, { recursive: true }) };
    await using own = swarm!;
    // Once a line was taken from it, the container says so itself, by its id
    const counting =
      'i=0; while :; do i=$((i+1)); echo "line $i"; echo $i >>/out/$HOSTNAME; sleep 0.05; done';
    const create = ["service", "create", "--detach", "--no-resolve-image", "--name", "shop_count"];
    await own.nodes[0]!.cli(
      ...create,
      ...["--label", "com.docker.stack.namespace=shop", "--mode", "global", "--restart-delay", "0s"],
      ...["--mount", `type=bind,source=${counts},target=/out`],
      ...[SWARM_IMAGE, "sh", "-c", counting],
    );
    // Its log keeps less than it writes while its engine is away
    const rotating = "i=0; while :; do i=$((i+1)); echo line $i; echo $i >>/out/$HOSTNAME; sleep 0.01; done";
    await own.nodes[0]!.cli(
      ...["service", "create", "--detach", "--no-resolve-image", "--name", "shop_rotates"],
      ...["--constraint", "node.hostname==node1", "--restart-delay", "0s"],
      ...["--log-driver", "json-file", "--log-opt", "max-size=16k", "--log-opt", "max-file=1"],
      ...["--mount", `type=bind,source=${counts},target=/out`, SWARM_IMAGE, "sh", "-c", rotating],
    );
    await using whole = await serveEngines(own.engines);
    await using part = await serveEngines({ node1: own.nodes[0]! });
    for (const berth of [whole, part]) {
      await eventually(
        "three tasks run",
        async () => (await berth.call("GET /api/services/shop_count")).body.running === 3,
      );
    }
    await context.step("one log is that of docker logs", () => past(own, whole, part));
    await context.step("a scope holds a log by its stack", () => scoped(whole));
    await context.step("routes of containers take a task's name", () => named(whole, part));
    await context.step(
      "lines that read like an engine's error are lines",
      () => likeErrors(own, whole, part),
    );
    await context.step("a cursor resumes all tasks", () => resumed(whole, part));
    await using two = await serveEngines({ node1: own.nodes[0]!, node2: own.nodes[1]! });
    await using other = await serveEngines({ node2: own.nodes[1]! });
    await context.step("the leader's engine restarts", () => restarted(own, counts, { whole, two, other }));
  },
});

interface Told {
  readonly task?: string;
  readonly taskId?: string;
  readonly node?: string;
  readonly via?: string;
  readonly line?: string;
  readonly gap?: { readonly after: string };
  readonly cursor?: string;
}

/** Looking through all that came at each piece would take a busy machine longer than it takes to write more. */
const LOOK_MS = 200;
const LATE_MS = 180_000;
/** Lines that a log of 16 kB has, with the time and the name of the stream of each; the pipe of the container holds more. */
const MOST_KEPT = 400;

/** Reads records until `isEnough`, and leaves. */
async function follow(
  berth: TestCaller,
  query: string,
  isEnough: (all: readonly Told[]) => boolean,
  service = "shop_count",
): Promise<Told[]> {
  const leaving = new AbortController();
  const late = setTimeout(() => leaving.abort(new Error(`${service}: nothing that is enough came`)), LATE_MS);
  const answer = await berth.fetch(
    `GET /api/services/${service}/logs?format=ndjson&follow&${query}`,
    undefined,
    {
      signal: leaving.signal,
    },
  );
  assert.equal(answer.status, 200);
  const all: Told[] = [];
  let rest = "";
  let lookedAt = 0;
  try {
    for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) if (line !== "") all.push(JSON.parse(line));
      if (all.at(-1)?.cursor === undefined || performance.now() - lookedAt < LOOK_MS) continue;
      if (isEnough(all)) break;
      lookedAt = performance.now();
    }
  } finally {
    clearTimeout(late);
    leaving.abort();
  }
  return all;
}

const numberIn = (line: string): number => Number(/^line (\d+)$/.exec(line)?.[1]);
const lines = (all: readonly Told[]) => all.filter(({ line }) => line !== undefined);

/** Of each task the numbers are in a row, but where a gap was told in between. Returns how many gaps there were. */
function mustBeWhole(all: readonly Told[], begins: ReadonlyMap<string, number> = new Map()): number {
  const last = new Map(begins);
  const gaps = new Set<string>();
  let count = 0;
  for (const { taskId = "", line, gap, node } of all) {
    if (gap !== undefined) {
      assert.match(node ?? "", /^node\d$/, "a gap names its node");
      gaps.add(taskId);
      count += 1;
    }
    if (line === undefined) continue;
    const number = numberIn(line);
    const before = last.get(taskId);
    if (before !== undefined && !gaps.delete(taskId)) {
      assert.equal(number, before + 1, `of task ${taskId} on ${node}`);
    }
    if (before !== undefined) assert.ok(number > before, "nothing is told twice");
    last.set(taskId, number);
  }
  return count;
}

async function past({ nodes }: TestSwarm, ...berths: TestService[]): Promise<void> {
  for (const [index, berth] of berths.entries()) {
    const { text } = await berth.call("GET /api/services/shop_count/logs?format=ndjson");
    const all = text.trim().split("\n").map((one) => JSON.parse(one) as Told);
    mustBeWhole(all);
    const { body } = await berth.call("GET /api/services/shop_count");
    for (const { id, container, node } of body.tasks) {
      const told = lines(all).filter(({ taskId }) => taskId === id);
      const engine = nodes[Number(node.name.slice(4)) - 1]!;
      const theirs = (await engine.cli("logs", container.id)).split("\n");
      assert.ok(told.length > 10);
      assert.deepEqual(told.map(({ line }) => line), theirs.slice(0, told.length), node.name);
      assert.equal(told[0]!.via, index === 0 || node.name === "node1" ? "node" : "manager");
    }
    const { text: tail } = await berth.call("GET /api/services/shop_count/logs?tail=2");
    assert.equal(tail.trim().split("\n").length, 6);
    assert.match(tail, /^shop_count\.\w+@node\d \| line \d+$/m);
  }
}

async function scoped(berth: TestService): Promise<void> {
  const key = async (on: string) => {
    const grants = [{ role: "viewer", on: [on] }];
    const made = await berth.call("POST /api/settings/api-keys", { name: on, grants });
    return berth.as(made.body.key);
  };
  const [{ id }] = (await berth.call("GET /api/services/shop_count")).body.tasks;
  for (const on of ["project:blog", "engine:node1"]) {
    const stranger = await key(on);
    assert.equal((await stranger.call("GET /api/services/shop_count/logs")).status, 404, on);
    assert.equal((await stranger.call(`GET /api/tasks/${id}/logs`)).status, 404, on);
  }
  const shop = await key("project:shop");
  assert.match((await shop.call(`GET /api/tasks/${id}/logs?tail=1`)).text, /line \d+/);
  const blind = await berth.key(["containers:read", "artifacts:read", "workspaces:read"]);
  assert.equal((await blind.call("GET /api/services/shop_count/logs")).status, 403);
  const rows = async (caller: TestCaller) => {
    const { body } = await caller.call("GET /api/projects");
    return body.items.filter((one: { id: string }) => one.id.startsWith("shop@swarm:")).length;
  };
  assert.deepEqual([await rows(berth), await rows(blind)], [1, 0], "a stack needs services:read");
}

async function named(whole: TestService, part: TestService): Promise<void> {
  const { body: { tasks } } = await part.call("GET /api/services/shop_count");
  for (const { name, id, node, container } of tasks) {
    for (const asked of [name, id]) {
      const found = await whole.call(`GET /api/containers/${asked}`);
      assert.equal(found.body.id, container.id, found.text);
      const there = await part.call(`GET /api/containers/${asked}`);
      if (node.name === "node1") assert.equal(there.status, 200);
      else {
        assert.deepEqual([there.status, there.body.code], [409, "node_not_connected"], there.text);
        assert.match(
          there.body.title,
          new RegExp(`runs on ${node.name}: add its engine, .*${node.name}=ssh://`),
        );
      }
    }
  }
}

/** A task may write whatever engines write when they fail, also what would be a frame of its own. */
async function likeErrors({ nodes }: TestSwarm, ...berths: TestService[]): Promise<void> {
  const said = [
    "Error grabbing logs: rpc error: code = Unknown desc = warning: incomplete log stream",
    '{"message":"rpc error: code = Unknown desc = The swarm does not have a leader"}',
    "\x03\x00\x00\x00\x00\x00\x00\x05error",
  ];
  const bytes = said.map((one) => `${one}\n`).join("").replaceAll("\x03", "\\003").replaceAll("\x00", "\\000")
    .replaceAll("\x05", "\\005").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  const create = ["service", "create", "--detach", "--no-resolve-image", "--name", "shop_errors"];
  const where = ["--constraint", "node.hostname==node3", "--label", "com.docker.stack.namespace=shop"];
  const script = `printf "${bytes}"; printf "${bytes}" >&2; exec idle`;
  await nodes[0]!.cli(...create, ...where, SWARM_IMAGE, "sh", "-c", script);
  for (const [index, berth] of berths.entries()) {
    const all = await eventually("its lines are told", async () => {
      const { status, text } = await berth.call("GET /api/services/shop_errors/logs?format=ndjson");
      const told = status === 200
        ? text.trim().split("\n").flatMap((one) => one === "" ? [] : JSON.parse(one))
        : [];
      return lines(told).length >= 6 ? told as (Told & { stream?: string })[] : null;
    });
    for (const stream of ["stdout", "stderr"]) {
      assert.deepEqual(lines(all.filter((one) => one.stream === stream)).map(({ line }) => line), said);
    }
    assert.equal(lines(all)[0]!.via, index === 0 ? "node" : "manager");
    assert.ok(all.every(({ gap, cursor, line }) => gap === undefined && (cursor ?? line) !== undefined));
  }
  await nodes[0]!.cli("service", "rm", "shop_errors");
}

async function resumed(...berths: TestService[]): Promise<void> {
  for (const berth of berths) {
    const isDone = (all: readonly Told[]) => lines(all).length > 60 && all.at(-1)?.cursor !== undefined;
    const first = await follow(berth, "tail=5", isDone);
    const at = first.at(-1)!.cursor!;
    const second = await follow(berth, `cursor=${at}`, isDone);
    const all = [...first, ...second];
    assert.equal(mustBeWhole(all), 0);
    assert.equal(new Set(lines(all).map(({ taskId }) => taskId)).size, 3);
  }
  const wrong = await berths[0]!.call("GET /api/services/shop_count/logs?cursor=nonsense");
  assert.deepEqual([wrong.status, wrong.body.code], [400, "invalid_request"]);
}

/**
 * The engine of the leader is killed and started: its task is replaced, another node leads, and tasks that were read from
 * it go on from another manager.
 */
async function restarted(
  { nodes }: TestSwarm,
  counts: string,
  berths: Readonly<Record<"whole" | "two" | "other", TestService>>,
): Promise<void> {
  const [leader, second] = nodes;
  const counted = async (container: string) =>
    Number((await Deno.readTextFile(`${counts}/${container.slice(0, 12)}`)).trim().split("\n").at(-1));
  /** Its container was killed at any moment, also between a line and its count. */
  const mustBeLast = async (
    number: number,
    { container }: { readonly container: { readonly id: string } },
  ) => {
    const count = await counted(container.id);
    assert.ok(number === count || number === count + 1, `told to line ${number} of ${count}`);
  };
  const tasksOf = async (service: string) =>
    (await berths.whole.call(`GET /api/services/${service}`)).body.tasks;
  const isOld = (one: { node: { name: string }; desired: boolean }) =>
    one.node.name === "node1" && one.desired;
  const tasks = await tasksOf("shop_count");
  const [old, rotating] = [tasks.find(isOld), (await tasksOf("shop_rotates")).find(isOld)];
  /** Lines of all nodes came once the leader was back, of its new task, and the last of its old one. */
  const numberAt = new Map([["node2", Infinity], ["node3", Infinity]]);
  let lastOfOld = Infinity;
  const isDone = (all: readonly Told[]) => {
    const last = lines(all).findLast(({ taskId }) => taskId === old.id)?.line;
    if (last === undefined || numberIn(last) < lastOfOld) return false;
    const late = lines(all).filter(({ line, node, taskId }) =>
      node === "node1" ? taskId !== old.id : numberIn(line!) > numberAt.get(node!)! + 20
    );
    return new Set(late.map(({ node }) => node)).size === 3 && all.at(-1)?.cursor !== undefined;
  };
  const isReplaced = (all: readonly Told[]) => lines(all).some(({ taskId }) => taskId !== rotating.id);
  const { whole, two, other } = berths;
  const reading = [whole, two, other].map((berth) => follow(berth, "tail=all", isDone));
  const readingRotated = [whole, other].map((berth) => follow(berth, "tail=all", isReplaced, "shop_rotates"));
  await new Promise((done) => setTimeout(done, 1_000)); // some lines before
  await leader!.kill();
  const written = await counted(rotating.container.id);
  await eventually("another node leads", async () => {
    const { status, json } = await second!.ask("GET /nodes");
    return status === 200 &&
      json.some((one: { ManagerStatus?: { Leader?: boolean } }, at: number) =>
        one.ManagerStatus?.Leader === true && json[at].Description.Hostname !== "node1"
      );
  });
  await eventually(
    "more is written than its log keeps",
    async () => await counted(rotating.container.id) > written + MOST_KEPT,
  );
  await leader!.start();
  await eventually("its task is replaced", async () => {
    const now = (await tasksOf("shop_count")).find(isOld);
    return now !== undefined && now.id !== old.id && now.state === "running";
  }, { timeoutMs: 120_000 });
  lastOfOld = await counted(old.container.id);
  for (const { node, container } of tasks) {
    if (node.name !== "node1") numberAt.set(node.name, await counted(container.id));
  }
  for (const all of await Promise.all(reading)) {
    assert.equal(mustBeWhole(all), 0, "every line is somewhere");
    const fresh = lines(all).find((one) => one.node === "node1" && one.taskId !== old.id);
    assert.equal(fresh!.line, "line 1", "a task that starts later is told from its beginning");
    const told = lines(all).filter(({ taskId }) => taskId === old.id).map(({ line }) => numberIn(line!));
    assert.deepEqual([told[0], told.at(-1)], [1, told.length]);
    await mustBeLast(told.length, old);
  }
  for (const all of await Promise.all(readingRotated)) {
    const ofOld = all.filter(({ taskId }) => taskId === rotating.id);
    assert.ok(mustBeWhole(ofOld) > 0, "what its engine has thrown away is a gap");
    const last = lines(ofOld).at(-1)?.line;
    await mustBeLast(numberIn(last!), rotating);
  }
}
