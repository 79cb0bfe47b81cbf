/** Promise: a folder that was away for a moment is not new, so that people are told of what broke meanwhile. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { manyProjects } from "../support/many_projects.ts";

Deno.test("a unit that breaks while its folder is missing is told, also if berth knew the folder only since", async () => {
  const lines: string[] = [];
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    lines.push(...(await request.json()).data.lines);
    return new Response(null, { status: 204 });
  });
  await using stack = new AsyncDisposableStack();
  const watchTimes = { beginMs: 0, tickMs: 50, wellMs: 100, notices: { tickMs: 20, foldMs: 0 } };
  const { berth, flip, workspace } = await manyProjects(stack, 1, { watchTimes });
  const { incidents } = berth.berth.store;
  const path = `${berth.folder}/workspaces/many`;
  const services = [0, 1, 2].map((at) =>
    `  s${at}: { image: scripted, mem_limit: 64m, network_mode: none }\n`
  ).join("");
  await Deno.writeTextFile(`${path}/p0000/compose.yaml`, `name: p0000\nservices:\n${services}`);
  await eventually("berth watches", () => incidents.wasWatched());
  // Registered again, it is new to a watch that has begun.
  assert.equal((await berth.call(`DELETE /api/workspaces/${workspace}`)).status, 204);
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  await eventually("all is as written", async () => {
    const { counts } = (await berth.call("GET /api/overview?limit=1")).body;
    return counts.asWritten === 3 && (await incidents.open()).length === 0;
  });
  const kindsNow = async () => (await incidents.open()).map(({ kind }) => kind);
  // An incident that comes and goes shows that looks have judged the folder.
  flip(1, true);
  await eventually("another unit is broken", async () => (await kindsNow()).includes("broken"));
  flip(1, false);
  await eventually("it is well again", async () => (await kindsNow()).length === 0);
  const address = `http://127.0.0.1:${receiver.addr.port}/`;
  const notice = { name: "ops", kind: "webhook", address, afterS: 0, tells: ["broken"] };
  assert.equal((await berth.call("POST /api/notices", notice)).status, 201);

  await Deno.rename(path, `${path}-away`);
  await eventually("the folder is missing", async () => (await kindsNow()).includes("workspace"));
  flip(0, true);
  await Deno.rename(`${path}-away`, path);
  await eventually("the unit is broken", async () => (await kindsNow()).includes("broken"));
  const [broken] = (await incidents.open()).filter(({ kind }) => kind === "broken");
  assert.equal(broken?.atFirst, false);
  await eventually("it is told", () => lines.some((line) => /s0: broken/.test(line)));
});
