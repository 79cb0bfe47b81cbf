/** Cursors of services' logs: a caller who is cut off goes on behind the lines that it has. */
import assert from "node:assert/strict";
import { readCursor } from "../../plugins/containers/logs/of_services/cursors.ts";
import { logTime } from "../support/scripted_engine.ts";
import { ServiceLogWorld, serviceOf, type Told } from "./service_log_world.ts";

Deno.test("serviceLog tells no cursor without a task whose last lines still wait", async () => {
  await using world = new ServiceLogWorld();
  const long = "x".repeat(2_000);
  const lines = Array.from({ length: 100 }, (_, at) => `${at} ${long}`);
  const service = serviceOf([world.task("early", {}, lines), world.task("late")]);
  world.containers.set("clate", { task: "late", lines, from: 1e9 });
  world.services = [service];

  const told = await world.read({ service, tail: 200 });

  const cursors = told.flatMap(({ cursor }) =>
    cursor === undefined ? [] : [[...readCursor(cursor).keys()].sort()]
  );
  assert.equal(told.filter(({ line }) => line !== undefined).length, 2 * lines.length);
  assert.ok(cursors.length > 1, "pieces behind the first of the late one have one");
  assert.deepEqual(
    cursors.filter((tasks) => tasks.length < 2),
    [],
    "behind it, all lines of the late one come",
  );
});

const linesOf = (all: readonly Told[]) => all.flatMap(({ line }) => line ?? []);
const cursorsOf = (all: readonly Told[]) => all.flatMap(({ cursor }) => cursor === undefined ? [] : [cursor]);

Deno.test("serviceLog resumes with the last lines of a task that was replaced, and then leaves it out of its cursors", async () => {
  await using world = new ServiceLogWorld();
  const crashed = world.task("a", { desired: false, state: "failed" }, ["told", "panic", "exits"]);
  const older = world.task("older", { desired: false, state: "failed" });
  const service = serviceOf([crashed, older, world.task("b")]);
  world.services = [service];
  let isSaid = false;
  const isEnough = (all: readonly Told[]) => {
    if (!isSaid && linesOf(all).length >= 3) {
      isSaid = true;
      setTimeout(() => world.say("b", "goes on"), 800); // by then the end of the other was seen
    }
    return linesOf(all).includes("goes on") && all.at(-1)?.cursor !== undefined;
  };

  const told = await world.read({
    service,
    follow: true,
    cursors: new Map([["a", `o${logTime(0)}`]]),
    isEnough,
  });

  assert.deepEqual(linesOf(told).sort(), ["exits", "goes on", "of b", "panic"]);
  assert.deepEqual([...readCursor(cursorsOf(told).at(-1)!).keys()], ["b"]);
  assert.equal(world.calls.filter((call) => call.includes("/ca/json")).length, 1, "it is read once");
});

Deno.test("serviceLog reads a task that was replaced before memory saw it run", async () => {
  await using world = new ServiceLogWorld();
  const [old, stays] = [world.task("old", { desired: false, state: "failed" }), world.task("stays")];
  const service = serviceOf([old, stays]);
  world.services = [service];
  const short = world.task("short", { desired: false, state: "failed" }, ["starts", "panic"]);
  setTimeout(() => world.services = [serviceOf([old, stays, short])], 600);

  const told = await world.read({ service, follow: true, isEnough: (all) => linesOf(all).length >= 3 });

  assert.deepEqual(linesOf(told), ["of stays", "starts", "panic"]);
});

Deno.test("serviceLog takes a cursor back once its tasks are too many for one", async () => {
  await using world = new ServiceLogWorld();
  const many = Array.from({ length: 140 }, (_, at) => world.task(`t${at}${"x".repeat(24)}`));
  const service = serviceOf([world.task("a")]);
  world.services = [service];
  setTimeout(() => world.services = [serviceOf([...service.service.tasks, ...many])], 600);
  let text = "";
  const isEnough = () => text.split("of t").length > many.length;

  await world.read({ service, follow: true, format: "sse", heard: (more) => text += more, isEnough });

  const cursors = [...text.matchAll(/^id: (.*)\ndata: (.*)$/gm)].map((
    [, id, data],
  ) => [id, JSON.parse(data!).cursor]);
  assert.ok(cursors[0]?.[0]?.startsWith("a."));
  assert.deepEqual(cursors.at(-1), ["", ""]);
  assert.equal(cursors.filter(([id]) => id === "").length, 1, "it is told once");
  assert.deepEqual([...readCursor("")], []);
});
