/** The remedy for a project that only runs: registering its folder, where that is allowed. */
import assert from "node:assert/strict";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines, type TestCaller } from "../support/service.ts";

function running(id: number, project: string, folder: string): [string, unknown] {
  const plain = inspected(scriptedId(id), `${project}-web-1`);
  const labels = {
    "com.docker.compose.project": project,
    "com.docker.compose.service": "web",
    "com.docker.compose.project.working_dir": folder,
  };
  return [scriptedId(id), { ...plain, Config: { ...plain["Config"] as object, Labels: labels } }];
}

Deno.test("A project that only runs offers to register its folder where that lies in the allowed folders, and doing so mends it", async () => {
  await using stack = new AsyncDisposableStack();
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const shop = `${home}/workspaces/shop`;
  await Deno.mkdir(shop, { recursive: true });
  await Deno.writeTextFile(`${shop}/compose.yaml`, "services:\n  web: { image: web:1 }\n");
  await Deno.mkdir(`${home}/outside`);
  await Deno.symlink(`${home}/outside`, `${home}/workspaces/link`);
  const containers = new Map([
    running(1, "shop", shop),
    running(2, "far", "/mnt/tank/far"),
    running(3, "gone", `${home}/workspaces/gone`),
    running(4, "linked", `${home}/workspaces/link`),
  ]);
  const engine = stack.use(new ScriptedWorld({ containers }));
  const berth = stack.use(await serveEngines({ one: engine }, { folder: home, keepsCaller: true }));
  const detail = async (caller: TestCaller, name: string) =>
    (await caller.call(`GET /api/projects/${encodeURIComponent(`${name}@engine:one`)}`)).body.remedies;
  const plan = async (caller: TestCaller, name: string) =>
    (await caller.call(`POST /api/projects/${encodeURIComponent(`${name}@engine:one`)}/plan`, {})).body;

  const remedy = { kind: "register", path: shop };
  assert.deepEqual(await detail(berth, "shop"), [remedy]);
  const refused = await plan(berth, "shop");
  assert.deepEqual([refused.code, refused.remedies], ["artifact_not_found", [remedy]]);
  for (const name of ["far", "gone", "linked"]) {
    assert.deepEqual([name, await detail(berth, name)], [name, []]);
    assert.deepEqual([name, (await plan(berth, name)).remedies ?? []], [name, []]);
  }
  assert.deepEqual((await plan(berth, "none")).remedies ?? [], []);

  const viewer = await berth.key("viewer");
  assert.deepEqual(await detail(viewer, "shop"), [], "it may not register folders");
  const grants = [
    { permissions: ["projects:plan", "workspaces:write", "artifacts:read"] },
    { permissions: ["containers:read"], on: ["project:far"] },
  ];
  const { body } = await berth.call("POST /api/settings/api-keys", { name: "part", grants });
  const hidden = await plan(berth.as(body.key), "shop");
  assert.deepEqual([hidden.code, hidden.remedies ?? []], ["artifact_not_found", []]);

  const { path } = refused.remedies[0];
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  const declared = (await berth.call("GET /api/projects/shop")).body;
  assert.deepEqual([declared.id, declared.remedies], ["shop@shop", []]);
  assert.deepEqual(berth.bugs(), []);
});
