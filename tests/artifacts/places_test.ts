/** `GET /api/places`: the folders that labels of running containers name, for callers who may see those containers. */
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

Deno.test("Places are the folders of running projects that the caller sees, and need workspaces:write", async () => {
  await using stack = new AsyncDisposableStack();
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const root = `${home}/workspaces`;
  for (const name of ["shop", "blog", "known"]) await Deno.mkdir(`${root}/apps/${name}`, { recursive: true });
  await Deno.mkdir(`${root}/known`);
  const containers = new Map([
    running(1, "shop", `${root}/apps/shop`),
    running(2, "blog", `${root}/apps/blog`),
    running(3, "known", `${root}/known`),
    running(4, "far", "/mnt/tank/far"),
  ]);
  const engine = stack.use(new ScriptedWorld({ containers }));
  const berth = stack.use(await serveEngines({ one: engine }, { folder: home, keepsCaller: true }));
  assert.equal((await berth.call("POST /api/workspaces", { path: `${root}/known` })).status, 201);
  const of = async (caller: TestCaller) => (await caller.call("GET /api/places")).body;

  const all = await of(berth);
  assert.deepEqual(all.containers, 4);
  const used = all.places.filter(({ total }: { total: number }) => total > 0); // this machine may have usual ones
  assert.deepEqual(used, [
    { path: `${root}/apps`, projects: ["blog", "shop"], total: 2, allowed: true, setting: null },
    {
      path: "/mnt/tank/far",
      projects: ["far"],
      total: 1,
      allowed: false,
      setting: `BERTH_ROOTS=${all.roots.join(":")}:/mnt/tank/far`,
    },
  ]);
  const grants = [
    { permissions: ["workspaces:write"] },
    { permissions: ["containers:read"], on: ["project:shop"] },
  ];
  const { body } = await berth.call("POST /api/settings/api-keys", { name: "part", grants });
  const part = await of(berth.as(body.key));
  const seen = part.places.filter(({ total }: { total: number }) => total > 0);
  assert.deepEqual(seen.map(({ path }: { path: string }) => path), [`${root}/apps/shop`]);
  assert.doesNotMatch(JSON.stringify(part), /blog|far|tank/);
  const blind = await of(await berth.key(["workspaces:write"]));
  assert.equal(blind.containers, 0);
  assert.ok(blind.places.every(({ total }: { total: number }) => total === 0));
  assert.equal((await (await berth.key("viewer")).call("GET /api/places")).status, 403);
});
