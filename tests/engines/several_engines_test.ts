/** Several engines at once: lists span them, and what is asked of one finds the one that has it. */

import assert from "node:assert/strict";
import { quiet } from "../support/quiet_engine.ts";
import { serveEngines } from "../support/service.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";

/** An engine with these volumes, which counts what it is asked to remove. */
function keeping(volumes: readonly string[]): ScriptedEngine {
  return new ScriptedEngine(async (call) => {
    const list = volumes.map((Name) => ({ Name, Driver: "local", Scope: "local" }));
    const one = list.find(({ Name }) => call.path === `/volumes/${Name}`);
    if (call.path === "/volumes") await call.json({ Volumes: list });
    else if (one !== undefined && call.method === "GET") await call.json(one);
    else if (one !== undefined) await call.write("HTTP/1.1 204 X\r\nConnection: close\r\n\r\n");
    else await quiet(call);
  });
}

Deno.test("lists span the engines that are up and name the one that is not (F33)", async () => {
  await using one = keeping(["a"]);
  await using two = keeping(["b"]);
  await using app = await serveEngines({ one, two, gone: { socket: "/nonexistent/socket" } });

  const { status, body } = await app.call("GET /api/volumes");

  assert.equal(status, 200);
  assert.deepEqual(
    body.items.map(({ name, backend }: Record<string, string>) => [name, backend]),
    [["a", "one"], ["b", "two"]],
  );
  assert.deepEqual(body.unavailable.map(({ backend }: { backend: string }) => backend), ["gone"]);
  const usage = await app.call("GET /api/system/disk-usage");
  assert.deepEqual(usage.body.unavailable.map(({ backend }: { backend: string }) => backend), ["gone"]);
});

Deno.test("a removal goes to the engine that has the object, and to none when several have it", async () => {
  await using one = keeping(["mine", "both"]);
  await using two = keeping(["yours", "both"]);
  await using app = await serveEngines({ one, two });
  const removals = () => [one, two].map(({ calls }) => calls.filter((call) => call.startsWith("DELETE")));

  const ambiguous = await app.call("DELETE /api/volumes/both");
  const unknown = await app.call("DELETE /api/volumes/nobodys");
  assert.deepEqual([ambiguous.status, ambiguous.body.code], [409, "ambiguous_id"]);
  assert.deepEqual([unknown.status, unknown.body.code], [404, "volume_not_found"]);
  assert.deepEqual(removals(), [[], []]);

  assert.equal((await app.call("DELETE /api/volumes/yours")).status, 204);
  assert.equal((await app.call("DELETE /api/volumes/both?backend=one")).status, 204);
  assert.deepEqual(removals(), [["DELETE /volumes/both"], ["DELETE /volumes/yours"]]);
});

Deno.test("changes on an engine that is away are refused as runtime_unavailable, with its name", async () => {
  await using app = await serveEngines({ gone: { socket: "/nonexistent/socket" } });
  const tries: [string, unknown?][] = [
    ["GET /api/volumes/x"],
    ["POST /api/volumes", { name: "x" }],
    ["DELETE /api/networks/x"],
    ["POST /api/images/pull", { reference: "x" }],
    ["POST /api/system/prune", { types: ["volumes"] }],
  ];
  for (const [route, body] of tries) {
    const refused = await app.call(route, body);
    assert.deepEqual([refused.status, refused.body.code], [503, "runtime_unavailable"], route);
    assert.match(refused.body.title, /"gone"/);
  }
  assert.deepEqual((await app.call("GET /api/volumes")).body.items, []);
});

Deno.test("without any engine lists are empty and changes are refused as no_engine", async () => {
  await using app = await serveEngines({});
  assert.deepEqual((await app.call("GET /api/images")).body, { items: [], total: 0, unavailable: [] });
  const refused = await app.call("POST /api/volumes", { name: "x" });
  assert.deepEqual([refused.status, refused.body.code], [503, "no_engine"]);
  assert.equal((await app.call("GET /api/system/disk-usage")).body.measuredAt, null);
});

Deno.test("without any engine callers with scopes are told what they would be told with one", async () => {
  await using app = await serveEngines({});
  const grants = [{ role: "operator", on: ["project:shop"] }];
  const made = await app.call("POST /api/settings/api-keys", { name: "operator of shop", grants });
  const scoped = app.as(made.body.key);
  const tries: readonly (readonly [route: string, code: string, body?: unknown])[] = [
    ["GET /api/containers/x", "container_not_found"],
    ["POST /api/containers/x/start", "container_not_found"],
    ["DELETE /api/containers/x", "forbidden"],
    ["GET /api/images/x", "image_not_found"],
    ["POST /api/images/pull", "forbidden", { reference: "x" }],
    ["GET /api/networks/x", "network_not_found"],
    ["POST /api/networks", "forbidden", { name: "x" }],
    ["POST /api/networks/x/connect", "network_not_found", { container: "x" }],
    ["DELETE /api/volumes/x", "volume_not_found"],
    ["POST /api/volumes", "forbidden", { name: "x" }],
  ];
  for (const [route, code, body] of tries) {
    const refused = await scoped.call(route, body);
    assert.deepEqual([refused.status, refused.body.code], [code === "forbidden" ? 403 : 404, code], route);
  }
});
