/** Engines that one plugin lends to another: a second plugin for engines is a folder and a line in the list. */
import assert from "node:assert/strict";
import { PLUGINS } from "../../plugins/plugins.ts";
import { plugin } from "../../plugins/plugin.ts";
import { FIXTURE } from "../support/engine.ts";
import { serveEngines, startService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { rollCall } from "./roll_call/plugin.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await sharedEngine(kind);

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
}

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
