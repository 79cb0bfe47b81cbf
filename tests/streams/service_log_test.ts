/** Logs of services over planted memory: what the swarms and their managers say may be anything. */
import assert from "node:assert/strict";
import type { KnownService } from "../../core/running_services.ts";
import { readCursor } from "../../plugins/containers/logs/of_services/cursors.ts";
import { tasksOf } from "../../plugins/containers/logs/of_services/service_tasks.ts";
import { findTask } from "../../plugins/containers/logs/of_services/task_logs.ts";
import { Reach } from "../../core/access.ts";
import { reachOn, ServiceLogWorld, serviceOf, type Told } from "./service_log_world.ts";

const linesOf = (all: readonly Told[]) => all.flatMap(({ line }) => line ?? []);

Deno.test("serviceLog reads no task of another swarm's service that has the same id", async () => {
  await using world = new ServiceLogWorld();
  const victim = serviceOf([world.task("secret")], { engines: ["node"] });
  const evil = serviceOf([], { cluster: "two", engines: ["evil"] });
  world.services = [victim, evil];

  const told = await world.read({ reach: reachOn("engine:evil"), service: evil });

  assert.deepEqual(told, []);
  assert.deepEqual(world.calls, [], "nothing is asked of the engine");
  assert.deepEqual(linesOf(await world.read({ reach: reachOn("engine:node"), service: victim })), [
    "of secret",
  ]);
});

Deno.test("findTask calls a name ambiguous that tasks of two swarms have, also below one id of a service", async () => {
  await using world = new ServiceLogWorld();
  world.services = [
    serviceOf([world.task("a", { name: "web.1" })]),
    serviceOf([world.task("b", { name: "web.1" })], { cluster: "two" }),
  ];

  assert.throws(() => findTask(world.engines, Reach.EVERYWHERE, "web.1", "read"), { code: "ambiguous_id" });
  assert.equal(findTask(world.engines, Reach.EVERYWHERE, "b", "read").known.service.cluster, "two");
});

Deno.test("serviceLog stops to read a service that has left the caller's scope", async () => {
  await using world = new ServiceLogWorld();
  const tasks = [world.task("a")];
  const shop = serviceOf(tasks, { stack: "shop", engines: ["node", "other"] });
  world.services = [shop];
  let isMoved = false;
  const isEnough = (all: readonly Told[]) => {
    if (isMoved || linesOf(all).length === 0) return false;
    isMoved = true;
    // Its stack is another one from now on, and a task joins it
    const moved = serviceOf([...tasks, world.task("b")], { stack: "blog", engines: ["node", "other"] });
    world.services = [moved];
    setTimeout(async () => {
      await world.say("a", "of a, which has left");
      world.services = [serviceOf([world.task("c")], { stack: "shop", engines: ["node", "other"] })];
    }, 800);
    return false;
  };

  const told = await world.read({
    reach: reachOn("project:shop"),
    service: shop,
    follow: true,
    isEnough: (all) => isEnough(all) || linesOf(all).includes("of c"),
  });

  assert.deepEqual(linesOf(told), ["of a", "of c"], "nothing of b, which it never held");
});

Deno.test("serviceLog reads no container that its engine shows as none of the task", async () => {
  await using world = new ServiceLogWorld();
  const claimed = world.task("claimed");
  world.containers.set("cclaimed", { task: "", lines: ["of a database"] });
  const service = serviceOf([claimed, world.task("own")]);
  world.services = [service];

  const told = await world.read({ service });

  assert.deepEqual(linesOf(told), ["of own"]);
  assert.ok(!world.calls.some((call) => call.includes("cclaimed/logs")));
});

const idsOf = (count: number) => Array.from({ length: count }, (_, number) => `t${number}`);

Deno.test("serviceLog reads all of more tasks than it reads at once", async () => {
  await using world = new ServiceLogWorld();
  const service = serviceOf(idsOf(260).map((id) => world.task(id)));
  world.services = [service];

  const told = await world.read({ service });

  assert.deepEqual(linesOf(told).sort(), idsOf(260).map((id) => `of ${id}`).sort());
  assert.ok(told.every(({ waits }) => waits === undefined));
});

Deno.test("serviceLog tells of followed tasks that have no room, and reads them when others end", async () => {
  await using world = new ServiceLogWorld();
  const tasks = idsOf(260).map((id) => world.task(id));
  world.services = [serviceOf(tasks)];
  let isEnding = false;
  const isEnough = (all: readonly Told[]) => {
    const lines = linesOf(all).length;
    if (lines === 256 && !isEnding) {
      isEnding = true;
      world.services = [serviceOf(tasks.map((one, at) => at < 10 ? { ...one, state: "completed" } : one))];
    }
    return lines >= 260;
  };

  const told = await world.read({ service: serviceOf(tasks), follow: true, isEnough });

  const waiting = told.filter(({ waits }) => waits !== undefined);
  assert.deepEqual(
    waiting.map(({ taskId }) => taskId),
    ["t256", "t257", "t258", "t259"],
    "each is told once",
  );
  assert.ok(waiting.every(({ waits }) => waits?.reason === "too_many_streams"));
  assert.deepEqual(linesOf(told).sort(), idsOf(260).map((id) => `of ${id}`).sort());
});

Deno.test("serviceLog tells of a task whose engines are away, and reads it when one is back", async () => {
  await using world = new ServiceLogWorld();
  const service = serviceOf([world.task("a", {}, ["one", "two"])]);
  world.services = [service];
  world.link.state = "down";
  setTimeout(() => world.link.state = "up", 700);

  const told = await world.read({ service, follow: true, isEnough: (all) => linesOf(all).length >= 2 });

  const waits = {
    task: "web.a",
    taskId: "a",
    node: "node1",
    via: "node",
    waits: { reason: "runtime_unavailable" },
  };
  assert.deepEqual(told[0], waits);
  assert.deepEqual(told.filter((one) => one.waits !== undefined).length, 1, "it is told once");
  assert.deepEqual(linesOf(told), ["one", "two"]);
});

Deno.test("serviceLog says of what is not followed which task could not be read", async () => {
  await using world = new ServiceLogWorld();
  const service = serviceOf([world.task("a")]);
  world.services = [service];
  world.link.state = "down";

  const [told] = await world.read({ service });
  let text = "";
  await world.read({ service, format: "text", heard: (more) => text += more });

  assert.deepEqual([told?.task, told?.node, told?.waits], ["web.a", "node1", {
    reason: "runtime_unavailable",
  }]);
  assert.equal(text, "web.a@node1 | [cannot be read: runtime_unavailable]\n");
});

Deno.test("serviceLog as text that a stopping service cuts off is no complete body", async () => {
  await using world = new ServiceLogWorld();
  const service = serviceOf([world.task("a")]);
  world.services = [service];
  world.link.state = "down";

  const read = world.read({ service, follow: true, format: "text", isEnough: () => true });

  await assert.rejects(read, /broken off/);
});

Deno.test("serviceLog forgets tasks that are gone, so that a cursor of a service that crashes stays short", async () => {
  await using world = new ServiceLogWorld();
  const runs = 4;
  const stays = world.task("stays");
  const at = (run: number) => serviceOf([stays, world.task(`run${run}`)]);
  const service = at(0);
  world.services = [service];
  let run = 0;
  const isEnough = (all: readonly Told[]) => {
    if (linesOf(all).at(-1) === `of run${run}` && all.at(-1)?.cursor !== undefined) {
      if (run === runs) return true;
      run += 1;
      setTimeout(() => world.services = [at(run)], 300);
    }
    return false;
  };
  const gone = "o2026-01-01T00:00:00.000000000Z";
  const dead = new Map(Array.from({ length: 20 }, (_, number) => [`dead${number}`, gone]));

  const told = await world.read({ service, follow: true, isEnough, cursors: dead });

  const last = [...readCursor(told.findLast(({ cursor }) => cursor !== undefined)?.cursor ?? "").keys()];
  // The last but one may still be read to its end
  assert.deepEqual(last.filter((id) => id !== `run${runs - 1}`), ["stays", `run${runs}`]);
  assert.equal(linesOf(told).length, runs + 2, "nothing is told twice");
});

Deno.test("serviceLog that is followed up to a time ends soon after it", async () => {
  await using world = new ServiceLogWorld();
  const service = serviceOf([world.task("a")]);
  world.services = [service];
  const until = { seconds: Math.floor(Date.now() / 1000) + 1, nanos: 0 };
  const began = performance.now();

  const told = await world.read({ service, follow: true, until });

  assert.deepEqual(linesOf(told), ["of a"]);
  assert.ok(told.every((one) => !("end" in one)), "it ends by itself");
  assert.ok(performance.now() - began > 1_000, "what is written up to then is waited for");
});

Deno.test("tasksOf looks at the tasks of its own service alone, once for each state of memory", () => {
  let looks = 0;
  const counted = (id: string): KnownService => {
    const one = serviceOf([], { id });
    const { tasks } = one.service;
    Object.defineProperty(one.service, "tasks", { get: () => (looks += 1, tasks) });
    return one;
  };
  const items = Array.from({ length: 100 }, (_, number) => counted(`s${number}`));
  const memory = { revision: 1, items, clusters: [] };
  const look = tasksOf({
    engines: { services: () => memory },
    reach: reachOn("engine:node"),
    service: { cluster: "one", id: "s7" },
    isAll: true,
  });

  const { fateOf } = look();
  looks = 0;
  for (let number = 0; number < 256; number += 1) assert.equal(fateOf(`t${number}`), "ended");

  assert.equal(looks, 1);
});

Deno.test("serviceLog goes on with all tasks for a reader who is slow", async () => {
  await using world = new ServiceLogWorld();
  const line = "x".repeat(1_000);
  const long = Array.from({ length: 1_500 }, (_, at) => `${at} ${line}`);
  const service = serviceOf(idsOf(3).map((id) => world.task(id, {}, long)));
  world.services = [service];

  const told = await world.read({ service, isSlow: true });

  assert.equal(linesOf(told).length, 3 * long.length);
});
