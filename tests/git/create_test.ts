/** A workspace that is made from a repository in one call. */
import assert from "node:assert/strict";
import { GitServer, hasGit } from "../support/git_server.ts";
import { startService } from "../support/service.ts";
import { web } from "./source_scene.ts";

const ignore = !hasGit();
if (ignore) console.warn("SKIPPED: tests of workspaces from a repository, because git is not installed");
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });

test("POST /api/workspaces with a source makes the folder, and tells what its first commit would add", async () => {
  await using server = await GitServer.start();
  const repository = await server.repository("home");
  await repository.push({ "blog/compose.yaml": web("nginx:1") });
  await using berth = await startService();
  const path = `${berth.folder}/workspaces/made`;
  await Deno.chmod(`${berth.folder}/workspaces`, 0o750);

  const made = await berth.call("POST /api/workspaces", {
    path,
    source: { url: repository.url, branch: "main" },
  });

  assert.equal(made.status, 201, made.text);
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o750, "as the folder above it");
  assert.deepEqual(Array.from(Deno.readDirSync(path)), []);
  const { body } = await berth.call(`GET /api/workspaces/${made.body.id}/source`);
  assert.deepEqual(body.pending.groups.map(({ name }: { name: string }) => name), ["blog"]);
  const { body: log } = await berth.call("GET /api/system/audit?limit=10");
  const told = log.items.filter(({ result }: { result: string }) => result === "done")
    .map(({ action, target }: { action: string; target: string }) => `${action} ${target}`);
  assert.ok(told.includes(`POST /api/workspaces /api/workspaces/${made.body.id}/source`), told.join("\n"));
});

test("a workspace whose source is refused leaves no folder and no workspace, and one that was there stays", async () => {
  await using berth = await startService();
  const roots = `${berth.folder}/workspaces`;
  await Deno.mkdir(`${roots}/there/.git`, { recursive: true });
  const wanted = (path: string, url: string) =>
    berth.call("POST /api/workspaces", { path, source: { url, branch: "main" } });

  const badUrl = await wanted(`${roots}/new`, "file:///etc");
  const isGit = await wanted(`${roots}/there`, "https://git.example/a.git");
  const outside = await wanted("/etc/new", "https://git.example/a.git");
  const parentless = await wanted(`${roots}/a/b/c`, "https://git.example/a.git");

  assert.deepEqual([badUrl.status, badUrl.body.code], [422, "source_refused"]);
  assert.deepEqual([isGit.status, isGit.body.code], [422, "source_refused"]);
  assert.deepEqual([outside.status, outside.body.code], [403, "path_refused"]);
  assert.deepEqual([parentless.status, parentless.body.code], [422, "path_unreadable"]);
  assert.deepEqual([...Deno.readDirSync(roots)].map(({ name }) => name), ["there"]);
  assert.equal((await berth.call("GET /api/workspaces")).body.total, 0);
});

test("a workspace that is unregistered, or whose source is refused, leaves no copy of a repository", async () => {
  await using server = await GitServer.start();
  const repository = await server.repository("home");
  await repository.push({ "blog/compose.yaml": web("nginx:1") });
  await using berth = await startService();
  const path = `${berth.folder}/workspaces/made`;
  const copies = () => [...Deno.readDirSync(`${berth.folder}/data/git`)].map(({ name }) => name);
  const source = { url: repository.url, branch: "main" };
  const { body: { id } } = await berth.call("POST /api/workspaces", { path, source });
  assert.deepEqual(copies(), [`${id}.git`]);

  assert.equal((await berth.call(`DELETE /api/workspaces/${id}`)).status, 204);

  assert.deepEqual(copies(), []);
  assert.deepEqual(Array.from(Deno.readDirSync(path)), [], "the folder stays");
  const nobody = { url: "ssh://git@127.0.0.1:1/home.git", branch: "main" };
  const refused = await berth.call("POST /api/workspaces", { path, source: nobody });
  assert.deepEqual([refused.status, refused.body.code], [422, "source_refused"]);
  assert.deepEqual(copies(), []);
});

test("a caller without workspaces:manage makes no workspace from a repository, and no folder", async () => {
  await using berth = await startService();
  const path = `${berth.folder}/workspaces/new`;
  const key = await berth.key(["workspaces:write"]);

  const refused = await key.call("POST /api/workspaces", {
    path,
    source: { url: "https://git.example/a.git", branch: "main" },
  });

  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  await assert.rejects(Deno.stat(path));
});
