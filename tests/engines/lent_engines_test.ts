/** Engines that one plugin lends to another: a second plugin for engines is a folder and a line in the list. */
import assert from "node:assert/strict";
import { PLUGINS } from "../../plugins/plugins.ts";
import { plugin } from "../../plugins/plugin.ts";
import { breaches } from "../house/imports.ts";
import { FIXTURE } from "../support/engine.ts";
import { ProgramCopy } from "../support/program_copy.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, startService, TestCaller } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { rollCall } from "./roll_call/plugin.ts";

/** Its file as it stands in its folder among the plugins. */
async function rollCallAmongPlugins(): Promise<string> {
  const text = await Deno.readTextFile(new URL("./roll_call/plugin.ts", import.meta.url));
  return text.replaceAll('"../../../plugins/', '"../').replaceAll('"../../../', '"../../');
}

/** The list of plugins with one more; its order is the order of starting. */
function listWith(list: string): string {
  return list.replace(
    "import type { Plugin }",
    'import { rollCall } from "./roll_call/plugin.ts";\nimport type { Plugin }',
  )
    .replace("[containerRuntime, ", "[containerRuntime, rollCall, ");
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a second plugin reads, changes and follows an engine whose connection another one keeps", async (engine) => {
    const id = (await engine.cli("create", "--name", "present", "--network", "none", FIXTURE, "idle")).trim();
    const away = { socket: `${engine.socket}.nowhere` };
    await using berth = await serveEngines({ [kind]: engine }, { install: [rollCall, ...PLUGINS] });

    const { status, body } = await berth.call(`POST /api/roll-call/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.items.length, 1);
    const [{ host, events, ...rest }] = body.items;
    assert.deepEqual(rest, { engine: kind, state: "up", container: "present" });
    assert.match(host, /./);
    assert.ok(events >= 1, "the stream told of the volume");
    assert.match(await engine.cli("volume", "ls", "-q"), /roll-call/);

    await using without = await serveEngines({ [kind]: away }, { install: [rollCall, ...PLUGINS] });
    const refused = await without.call(`POST /api/roll-call/${id}`);
    assert.deepEqual([refused.status, refused.body.code], [503, "runtime_unavailable"]);
    await engine.cli("rm", "present");
  });

  test("a second plugin for engines is added to the program by one folder and its name in the list", async (engine) => {
    await using program = await ProgramCopy.make();
    const plugins = `${program.folder}/plugins`;
    await Deno.mkdir(`${plugins}/roll_call`);
    await Deno.writeTextFile(`${plugins}/roll_call/plugin.ts`, await rollCallAmongPlugins());
    await Deno.writeTextFile(
      `${plugins}/plugins.ts`,
      listWith(await Deno.readTextFile(`${plugins}/plugins.ts`)),
    );
    await using berth = await program.serve(engine.setting);
    const admin = new TestCaller(berth.url, await berth.setUp());

    const { body } = await eventually("the engine is up", async () => {
      const answer = await admin.call("POST /api/roll-call/nobody");
      return answer.status === 200 && answer.body.items[0]?.state === "up" ? answer : null;
    });
    assert.deepEqual(body.items.map((one: { engine: string }) => one.engine), [kind]);
    const { body: api } = await admin.call("GET /api/openapi.json");
    assert.equal(api.paths["/api/roll-call/{container}"].post["x-permission"], "roll:call");
    const { body: system } = await admin.call("GET /api/system/plugins");
    const own = system.items.find(({ name }: { name: string }) => name === "roll-call");
    assert.deepEqual([own.state, own.routes], ["running", ["POST /api/roll-call/{container}"]]);
  });
}

Deno.test("a folder of its own gives a second plugin for engines all that the table of imports allows", async () => {
  assert.deepEqual(breaches("plugins/roll_call/plugin.ts", await rollCallAmongPlugins()), []);
});

Deno.test("a plugin that does not say that it works with engines is lent none", async () => {
  let lend: (() => unknown) | null = null;
  const silent = plugin({
    name: "silent",
    summary: "Says nothing",
    version: "1.0.0",
    start: ({ engines }) => {
      lend = engines;
      return Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() });
    },
  });
  await using _berth = await startService({ install: [silent], unclaimed: {} });

  assert.throws(() => lend!(), /declares uses: \["engines"\]/);
});
