/** `berth status` beside a real engine: what Compose made and the engine's own command line say is what it prints. */
import assert from "node:assert/strict";
import { service } from "../apply/apply_scene.ts";
import { compose, composeMissing, save, workspace } from "../streams/live_scene.ts";
import { type Ended, runBerth } from "../support/berth_process.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const docker = await sharedEngine("docker");

const ENDS = `[sh, -c, "exit 3"]`;

const project = (lines = "", command = "[idle]") =>
  `version: "3.8"\nservices:\n${service("web", lines, command)}`;

const status = (berth: TestService, ...args: string[]): Promise<Ended> =>
  runBerth(["status", ...args], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });

/** The rows by project: verdict, running, engine, and reason. */
function rowsOf({ stdout }: Ended): Record<string, string[]> {
  const lines = stdout.trimEnd().split("\n").slice(1).map((line) => line.split(/ {2,}/));
  return Object.fromEntries(lines.map(([verdict, id, ...rest]) => [id, [verdict!, ...rest]]));
}

/** Registers a project, brings it up with Compose, and returns its id and folder. */
async function made(engine: TestEngine, berth: TestService, name: string, command = "[idle]") {
  const { id, path } = await workspace(berth, name, project("", command));
  assert.equal(await compose(engine, path, "up", "-d"), "");
  return { id: `${name}@${id}`, workspace: id, path };
}

/** Makes five projects: as written, edited since, ended with 3, paused, and never started. */
async function five(engine: TestEngine, berth: TestService): Promise<Record<string, string>> {
  const well = await made(engine, berth, "well");
  const edited = await made(engine, berth, "edited");
  await save(berth, edited.workspace, `${edited.path}/compose.yaml`, project("user: nobody"));
  const broken = await made(engine, berth, "broken", ENDS);
  const held = await made(engine, berth, "held");
  await engine.cli("pause", (await engine.cli("ps", "-q", "--filter", "name=held")).trim());
  const absent = await workspace(berth, "absent", project());
  return {
    well: well.id,
    edited: edited.id,
    broken: broken.id,
    held: held.id,
    absent: `absent@${absent.id}`,
  };
}

docker.test(
  "berth status tells what is as Compose made it from what was edited, ended, paused, or never started, and its exit code tells it to a script",
  async (engine) => {
    await using berth = await serveEngines({ docker: engine });
    const ids = await five(engine, berth);
    const expected: Record<string, [string, string, RegExp, number]> = {
      well: ["as written", "1/1", /^–$/, 0],
      edited: ["differs", "1/1", /^web: user is .*, declared is nobody/, 2],
      broken: ["broken", "0/1", /^web: failed, ended with 3/, 1],
      held: ["paused", "0/1", /^–$/, 2],
      absent: ["not started", "0/1", /^–$/, 2],
    };
    let all: Ended;
    await eventually("berth has seen all of it", async () => {
      all = await status(berth);
      return Object.keys(expected).every((name) => rowsOf(all)[ids[name]!]?.[0] === expected[name]![0]);
    });
    for (const [name, [verdict, running, reason, code]] of Object.entries(expected)) {
      const named = await status(berth, name);
      assert.deepEqual(rowsOf(named), { [ids[name]!]: rowsOf(all!)[ids[name]!] }, named.stderr);
      const [said, runs, , why] = rowsOf(named)[ids[name]!]!;
      assert.deepEqual([said, runs, named.code], [verdict, running, code], name);
      assert.match(why!, reason);
    }
    assert.equal(all!.code, 1);
    const mixed = await status(berth, "nothing", "well");
    assert.deepEqual([mixed.code, Object.keys(rowsOf(mixed))], [1, [ids["well"]]]);
    assert.match(mixed.stderr, /There is no project "nothing"/);
    await engine.cli("unpause", (await engine.cli("ps", "-q", "--filter", "name=held")).trim());
  },
  composeMissing,
);

docker.test(
  "berth status calls everything unknown while the engine is away, and says that it shows what was seen last",
  async (engine) => {
    await using berth = await serveEngines({ docker: engine });
    const calm = await made(engine, berth, "calm");
    const crashed = await made(engine, berth, "crashed", ENDS);
    await eventually("berth has seen both", async () => {
      const rows = rowsOf(await status(berth));
      return rows[calm.id]?.[0] === "as written" && rows[crashed.id]?.[0] === "broken";
    });
    await engine.pause();
    try {
      await eventually("the engine is away", async () => {
        const { engines } = (await berth.call("GET /api/projects?limit=0")).body;
        return engines[0].state !== "up";
      });
      for (const args of [["calm"], ["crashed"], []]) {
        const ended = await status(berth, ...args);
        assert.equal(ended.code, 4, ended.stdout);
        assert.match(ended.stderr, /the engine "docker" could not be asked: /);
        const own = Object.entries(rowsOf(ended)).filter(([id]) => id === calm.id || id === crashed.id);
        assert.equal(own.length, args.length || 2);
        for (const [, [verdict, , engine, reason]] of own) {
          assert.deepEqual([verdict, engine], ["unknown", "docker"]);
          assert.match(reason!, /Engine "docker" cannot be asked \(.+\): this was seen last/);
        }
      }
    } finally {
      await engine.resume();
    }
  },
  composeMissing,
);
