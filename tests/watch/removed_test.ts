/** Promise: what is taken out of a file or out of berth ends its incident, and nobody is told that it were well again. */
import assert from "node:assert/strict";
import { compose, composeMissing, workspace } from "../streams/live_scene.ts";
import { runBerth } from "../support/berth_process.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const TIMES = { beginMs: 0, tickMs: 100, wellMs: 500, notices: { tickMs: 50, foldMs: 0 } };

const { test } = await lawEngine("docker");

test(
  "the incident of a unit that is taken out of its file, or goes with its workspace, ends as no longer declared",
  async (engine) => {
    const lines: string[] = [];
    let isWatched = false;
    await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      const { type, data } = await request.json();
      if (type === "watching") isWatched = true;
      else lines.push(data.title, ...data.lines);
      return new Response(null, { status: 204 });
    });
    await using berth = await serveEngines({ docker: engine }, { watchTimes: TIMES });
    await eventually("berth watches", () => berth.berth.store.incidents.wasWatched());
    const service = (name: string) =>
      `  ${name}: { image: "${FIXTURE}", command: [sh, -c, "until test -f /go; do sleep 0.1; done; exit 3"] }\n`;
    const text = (names: readonly string[]) => `services:\n${names.map(service).join("")}`;
    const { id, path } = await workspace(berth, "removed", text(["web", "db", "cache"]));
    const incidents = async (query: string) => (await berth.call(`GET /api/incidents?${query}`)).body.items;
    await eventually("none is started", async () => (await incidents("state=open")).length === 3);
    assert.equal(await compose(engine, path, "up", "-d"), "");
    await eventually("all run", async () => (await incidents("state=open")).length === 0);
    const idOf = async (name: string) =>
      (await engine.cli("ps", "-aq", "--filter", `label=com.docker.compose.service=${name}`)).trim();
    const address = `http://127.0.0.1:${receiver.addr.port}/`;
    const notice = { name: "ops", kind: "webhook", address, afterS: 0, tells: ["broken"] };
    assert.equal((await berth.call("POST /api/notices", notice)).status, 201);
    await eventually("the target is told first what berth watches", () => isWatched);
    for (const name of ["db", "cache"]) {
      await engine.cli("exec", await idOf(name), "touch", "/go").catch(() => {}); // it may end first
    }
    await eventually(
      "both are told",
      () => ["db", "cache"].every((name) => lines.join().includes(`removed.${name}: broken`)),
    );

    await engine.cli("rm", await idOf("db")); // else it has an incident of its own
    await Deno.writeTextFile(`${path}/compose.yaml`, text(["web", "cache"]));
    const ended = async (unit: string) =>
      (await incidents(`state=closed&unit=removed.${unit}`)).some(({ end }: { end: string }) =>
        end === "undeclared"
      );
    await eventually("it is closed as undeclared", () => ended("db"));
    await eventually(
      "its end is told",
      () => lines.some((line) => /^removed\.db: no longer declared, was (broken|not started) /.test(line)),
    );

    assert.equal((await berth.call(`DELETE /api/workspaces/${id}`)).status, 204);
    await eventually("the other one is closed as undeclared", () => ended("cache"));
    await eventually(
      "its end is told",
      () => lines.some((line) => line.startsWith("removed.cache: no longer declared, was broken ")),
    );
    // A message of several begins with how many are open and how many well again.
    const isWell = (line: string) => line.startsWith("removed.") && line.includes("well again");
    assert.ok(!lines.some(isWell), lines.join("\n"));
    const { stdout } = await runBerth(["incidents"], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
    assert.match(stdout, /Z, no longer declared +removed\.cache +broken/);
    await compose(engine, path, "down", "-t", "0");
  },
  composeMissing,
);
