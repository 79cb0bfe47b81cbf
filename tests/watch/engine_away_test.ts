/** Promise: when an engine is lost, it has the incident, and its units have none. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { manyProjects, PER_PROJECT } from "../support/many_projects.ts";

const PROJECTS = 167;

Deno.test(`${PROJECTS * PER_PROJECT} units that lose their engine are one incident and one message`, async () => {
  const taken: { readonly total: number; readonly lines: readonly string[] }[] = [];
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    taken.push((await request.json()).data);
    return new Response(null, { status: 204 });
  });
  await using stack = new AsyncDisposableStack();
  const notices = { tickMs: 50, foldMs: 0 };
  const { berth, engine, ask } = await manyProjects(stack, PROJECTS, {
    watchTimes: { beginMs: 0, tickMs: 100, wellMs: 1_000, notices },
  });
  await (await ask(1)).text();
  await eventually("berth watches", () => berth.berth.store.incidents.wasWatched());
  const address = `http://127.0.0.1:${receiver.addr.port}/`;
  const made = await berth.call("POST /api/notices", { name: "ops", kind: "webhook", address, afterS: 0 });
  assert.equal(made.status, 201, made.text);
  await eventually("berth has said what it watches", () => taken.length === 1);
  engine.world.override = () => new Response(null, { status: 503 });
  engine.hangUp();
  const isOpen = async () => (await berth.call("GET /api/incidents?state=open&kind=engine")).body.items;
  await eventually("the engine has an incident", async () => (await isOpen()).length === 1);
  await eventually("it is told", () => taken.length === 2);
  delete engine.world.override;
  await eventually("it is well again", async () => (await isOpen()).length === 0);
  await eventually("the end is told", () => taken.length === 3);
  const told = taken.slice(1).flatMap(({ total, lines }) => [total, lines[0]!.split(" ")[1]]);
  assert.deepEqual(told, [1, "one:", 1, "one:"], JSON.stringify(taken.slice(1)));
});
