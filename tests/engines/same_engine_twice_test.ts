/** An engine that is configured twice is named, and shown once. The engine's own command says what runs. */
import assert from "node:assert/strict";
import { FIXTURE, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

/** Another address of the same socket. */
async function byLink({ socket }: TestEngine, folder: string): Promise<string> {
  const link = `${folder}/other.sock`;
  await Deno.symlink(socket, link);
  return link;
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await sharedEngine(kind);

  test("An engine with two addresses is named, and its containers are listed once", async (engine) => {
    const folder = await Deno.makeTempDir({ prefix: "berth-twice-" });
    const socket = await byLink(engine, folder);
    await engine.cli("run", "--detach", "--name", "once", FIXTURE, "idle");
    const again = { kind, socket, setting: `${kind}=unix://${socket}` };
    await using berth = await serveEngines({ first: engine, second: again });

    const [first, second] = await eventually("both have answered", async () => {
      const { body } = await berth.call("GET /api/system/backends");
      const states = body.items.map(({ state }: { state: string }) => state);
      return states.includes("away") ? null : body.items;
    });

    assert.deepEqual([first.name, first.state, second.name, second.state], [
      "first",
      "up",
      "second",
      "refused",
    ]);
    assert.match(second.reason, /it is the engine "first" by another address.*BERTH_ENGINES/);
    const { body } = await berth.call("GET /api/containers");
    assert.deepEqual(body.items.map(({ name, backend }: Record<string, string>) => [backend, name]), [[
      "first",
      "once",
    ]]);
    await engine.cli("rm", "--force", "once");
    await Deno.remove(folder, { recursive: true });
  });
}

const { test } = await sharedEngine("docker");

test("Two engines of one machine are two", async (engine) => {
  await using other = await startEngine("docker");
  await using berth = await serveEngines({ first: engine, second: other });
  await eventually("both are up", async () => {
    const { body } = await berth.call("GET /api/system/backends");
    return body.items.every(({ state }: { state: string }) => state === "up");
  });
});
