/** Every container is compared, and again only when something that it is compared with has changed. */
import assert from "node:assert/strict";
import { inputsOf } from "../../projects/drift/remembered.ts";
import { eventually } from "../support/eventually.ts";
import { inspected, scriptedId, ScriptedWorld, type World } from "../support/scripted_world.ts";
import { serveEngines } from "../support/service.ts";

const UNITS = 200;
const inspectPath = /^GET \/containers\/([0-9a-f]{64})\/json$/;

/** One project of many services; every container has a limit of memory that no file asks for. */
function running(folder: string, index: number, memory = 64 << 20): Record<string, unknown> {
  const id = scriptedId(index + 1);
  const labels = {
    "com.docker.compose.project": "many",
    "com.docker.compose.service": `s${index}`,
    "com.docker.compose.project.config_files": `${folder}/compose.yaml`,
    "com.docker.compose.project.working_dir": folder,
  };
  const plain = inspected(id, `many-s${index}-1`);
  return {
    ...plain,
    Config: { ...plain["Config"] as Record<string, unknown>, Labels: labels },
    HostConfig: { Memory: memory },
  };
}

const compose = (units: number, image = "scripted") =>
  `name: many\nservices:\n${
    Array.from({ length: units }, (_, index) => `  s${index}: { image: ${image} }\n`).join("")
  }`;

async function manyUnits(stack: AsyncDisposableStack, units: number) {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const folder = `${home}/workspaces/many`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/compose.yaml`, compose(units));
  const all = Array.from(
    { length: units },
    (_, index) => [scriptedId(index + 1), running(folder, index)] as const,
  );
  const world: World = { containers: new Map(all) };
  const engine = stack.use(new ScriptedWorld(world));
  const asked: string[] = [];
  const berth = stack.use(
    await serveEngines({ one: engine }, {
      folder: home,
      mount: ({ plugins }) => {
        const runtime = plugins.runtime!; // it has an engine
        const inspect = runtime.inspect.bind(runtime);
        runtime.inspect = (id, ...where) => {
          asked.push(id);
          return inspect(id, ...where);
        };
        return [];
      },
    }),
  );
  const made = await berth.call("POST /api/workspaces", { path: folder });
  assert.equal(made.status, 201, made.text);
  const tell = (Action: string, index: number) =>
    engine.tell({
      Type: "container",
      Action,
      Actor: { ID: scriptedId(index + 1), Attributes: { name: `many-s${index}-1` } },
      timeNano: Date.now() * 1e6,
    });
  const overview = async (limit = units) => (await berth.call(`GET /api/overview?limit=${limit}`)).body;
  const unit = (name: string) =>
    berth.call(`GET /api/workspaces/${made.body.id}/artifacts/units/many.${name}`);
  const plan = () => berth.call("POST /api/projects/many@many/plan", {});
  return { engine, world, folder, tell, overview, asked, unit, plan };
}

/** The ids that the engine was asked to inspect since a place in its calls. */
const inspectedSince = ({ calls }: ScriptedWorld, at: number) =>
  calls.slice(at).flatMap((call) => inspectPath.exec(call)?.[1] ?? []);

// deno-lint-ignore no-explicit-any -- a test looks into what was answered
type Unit = any;

Deno.test("All of 200 differing units differ, and one change among them asks the engine for one container", async () => {
  await using stack = new AsyncDisposableStack();
  const { engine, world, folder, tell, overview } = await manyUnits(stack, UNITS);
  const first = await eventually("all are compared", async () => {
    const now = await overview();
    return now.counts.differs > 0 ? now : null;
  });
  assert.deepEqual([first.counts.differs, first.counts.asWritten], [UNITS, 0]);

  let at = engine.calls.length;
  world.containers!.set(scriptedId(8), running(folder, 7, 32 << 20));
  tell("update", 7);
  await eventually("the new limit is shown", async () => {
    const unit = (await overview()).units.find(({ name }: Unit) => name === "many.s7");
    return unit.drift.some(({ actual }: Unit) => /33554432|32/.test(actual));
  });
  assert.deepEqual(new Set(inspectedSince(engine, at)), new Set([scriptedId(8)]));

  at = engine.calls.length;
  const text = compose(UNITS).replace("s9: { image: scripted }", "s9: { image: other }");
  await Deno.writeTextFile(`${folder}/compose.yaml`, text);
  await eventually("the new image is shown", async () => {
    const unit = (await overview()).units.find(({ name }: Unit) => name === "many.s9");
    return unit.drift.some(({ field }: Unit) => field === "image");
  });
  assert.deepEqual(inspectedSince(engine, at).filter((id) => id !== scriptedId(8)), []);
});

Deno.test("One change among 200 units costs drift two calls at most, although the mirror checks its event three times", async () => {
  await using stack = new AsyncDisposableStack();
  const { engine, world, folder, tell, overview, asked, unit } = await manyUnits(stack, UNITS);
  await eventually("all are compared", async () => (await overview()).counts.differs === UNITS);
  assert.equal(new Set(asked).size, UNITS, "drift asks for each of them");

  asked.length = 0;
  const at = engine.calls.length;
  const told = performance.now();
  world.containers!.set(scriptedId(8), running(folder, 7, 32 << 20));
  tell("update", 7);
  // Whenever the mirror has read the container, drift looks: once for the event, and 50, 250 and 1,000 ms later.
  await eventually("the mirror has checked for the third time", async () => {
    assert.equal((await unit("s7")).status, 200);
    return performance.now() - told > 1_000 && inspectedSince(engine, at).length >= 4 + asked.length;
  });
  await overview();
  assert.ok(asked.length >= 1 && asked.length <= 2, `${asked.length} calls`);
  assert.deepEqual(
    new Set(inspectedSince(engine, at)),
    new Set([scriptedId(8)]),
    "and nobody asks for others",
  );
});

Deno.test("A unit whose container cannot be inspected is unknown with the reason, and one that is gone is not started", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, overview } = await manyUnits(stack, 3);
  const failing = new Map(
    [1, 2].map((one) => [`/containers/${scriptedId(one)}/json`, one === 1 ? 500 : 404]),
  );
  world.override = (_request, asked) => {
    const status = failing.get(asked);
    return status === undefined ? undefined : Response.json({ message: "not today" }, { status });
  };
  let limit = 100;
  // An answer is kept for a while: another question is answered anew.
  const verdicts = async () =>
    Object.fromEntries(
      (await overview(limit++)).units.map(({ name, verdict }: Unit) => [name, verdict]),
    );
  assert.deepEqual(await verdicts(), {
    "many.s0": "unknown",
    "many.s1": "notStarted",
    "many.s2": "differs",
  });
  const { units } = await overview();
  assert.match(
    units.find(({ name }: Unit) => name === "many.s0").notCompared,
    /inspect container .*not today/,
  );
  assert.deepEqual(units.flatMap(({ notCompared }: Unit) => notCompared ?? []).length, 1);

  // Nothing of the engine tells that a container which was not found once is there after all.
  failing.delete(`/containers/${scriptedId(1)}/json`);
  assert.deepEqual((await verdicts())["many.s1"], "notStarted");
  failing.clear();
  assert.deepEqual(await verdicts(), { "many.s0": "differs", "many.s1": "differs", "many.s2": "differs" });
});

Deno.test("Differences are not remembered from an engine that is here for one that is not", () => {
  const of = { group: null, model: { root: "/srv", settings: { paths: {} } } } as unknown as Parameters<
    typeof inputsOf
  >[0];
  const from = (isHere: boolean) =>
    inputsOf(of, {
      engine: { kind: "docker", isHere, neighbour: () => undefined, imageNow: () => undefined },
      disk: { digest: null, contents: new Map() },
    });
  assert.deepEqual(from(true), from(true));
  assert.notDeepEqual(from(true), from(false));
});

Deno.test("A limit that the kernel of an engine cannot hold is a remark and a warning of plans, and no difference", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, folder, unit, plan } = await manyUnits(stack, 1);
  world.override = (_request, path) =>
    path.endsWith("/info")
      ? Response.json({ OomKillDisable: false, MemoryLimit: true, SwapLimit: true })
      : undefined;
  const text = compose(1).replace("image: scripted", "image: scripted, oom_kill_disable: true");
  await Deno.writeTextFile(`${folder}/compose.yaml`, text);

  const live = await eventually("it is compared", async () => {
    const { live } = (await unit("s0")).body;
    return live.remarks.length + live.drift.length > 1 ? live : null;
  });

  const fields = (found: Unit[]) => found.map(({ field }) => field);
  assert.deepEqual(fields(live.remarks), ["limits.oomKillDisabled"]);
  assert.ok(!fields(live.drift).includes("limits.oomKillDisabled"));
  const { warnings } = (await plan()).body;
  assert.deepEqual(warnings.map(({ code }: Unit) => code), ["project/limit-unheld"]);
});
