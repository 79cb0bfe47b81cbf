/** Sources: what a push would change is told, and nothing of the folder is touched. */
import assert from "node:assert/strict";
import { hasGit } from "../support/git_server.ts";
import { SourceScene, web, withToken } from "./source_scene.ts";

const ignore = !hasGit();
if (ignore) console.warn("SKIPPED: tests of sources, because git is not installed");
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });

test("a workspace that follows a branch tells which groups its first commit would add, and writes nothing", async () => {
  await using scene = await SourceScene.with({
    "blog/compose.yaml": web("nginx:1"),
    "shop/compose.yaml": web("nginx:1"),
  });
  const source = await scene.follow();
  assert.equal(source.state, "behind");
  assert.equal(source.synced, null);
  assert.deepEqual(source.pending?.groups.map(({ name, change }) => [name, change]), [
    ["blog", "added"],
    ["shop", "added"],
  ]);
  assert.deepEqual(source.pending?.commits.map(({ subject, author }) => [subject, author]), [[
    "first",
    "Ada",
  ]]);
  assert.deepEqual(await scene.files(), {});
});

test("a push is told with the group that it changes, its file and its line, within a check", async () => {
  const files = { "blog/compose.yaml": web("nginx:1"), "shop/compose.yaml": web("nginx:1") };
  await using scene = await SourceScene.with(files, { here: files });
  await scene.follow();
  const head = await scene.repository.push({ "blog/compose.yaml": web("nginx:2") }, "newer nginx");
  const source = await scene.check();
  assert.equal(source.head, head);
  const [blog, ...others] = source.pending!.groups;
  assert.deepEqual(others, []);
  assert.deepEqual(blog, {
    name: "blog",
    project: "blog",
    change: "changed",
    files: ["blog/compose.yaml"],
    file: "blog/compose.yaml",
    line: 3,
  });
  assert.deepEqual(source.pending!.conflicts.map(({ path }) => path), ["blog/compose.yaml"]);
  assert.deepEqual(await scene.files(), files);
});

test("an env file, a secret, a mounted file and a new file of a mounted folder each change their group alone", async () => {
  const other = { "other/compose.yaml": web("nginx:1") };
  const own = web(
    "nginx:${TAG}",
    "    env_file: web.env\n    secrets: [one]\n    volumes: ['./one.conf:/one.conf', './conf:/conf']\n" +
      "secrets:\n  one: { file: one.txt }\n",
  );
  const files = {
    ...other,
    "app/compose.yaml": own,
    "app/.env": "TAG=1\n",
    "app/web.env": "A=1\n",
    "app/one.txt": "secret 1",
    "app/one.conf": "1",
    "app/conf/a": "1",
  };
  await using scene = await SourceScene.with(files, { here: files });
  await scene.follow();
  const changes = {
    "app/.env": "TAG=2\n",
    "app/web.env": "A=2\n",
    "app/one.txt": "secret 2",
    "app/one.conf": "2",
    "app/conf/b": "new",
  };
  for (const [path, text] of Object.entries(changes)) {
    const before = path in files ? files[path as keyof typeof files] : null;
    await scene.repository.push({ [path]: text });
    const { pending } = await scene.check();
    assert.deepEqual(pending?.groups.map(({ name, files }) => [name, files]), [["app", [path]]], path);
    await scene.repository.push({ [path]: before });
    assert.deepEqual((await scene.check()).pending?.groups, [], `${path} as before`);
  }
});

test("a server that is away, mute, without the branch or without the folder fails the check and nothing else", async () => {
  const files = { "blog/compose.yaml": web("nginx:1") };
  await using scene = await SourceScene.with(files, { here: files });
  const { head } = await scene.follow();
  scene.server.refuse = () => new Response("no", { status: 503 });
  const away = await scene.check();
  assert.equal(away.state, "failed");
  assert.match(away.error ?? "", /503/);
  assert.equal(away.head, head);
  scene.server.refuse = null;
  assert.equal((await scene.check()).error, null);
  await scene.repository.git("push", "--quiet", "origin", "HEAD:other");
  await scene.repository.git("push", "--quiet", "origin", "+HEAD:refs/heads/main");
  const gone = await scene.follow({ branch: "gone" });
  assert.equal(gone.error, 'the repository has no branch "gone"');
  assert.equal(gone.head, null);
  const folder = await scene.follow({ folder: "nowhere" });
  assert.match(folder.error ?? "", /has no folder "nowhere"/);
  assert.deepEqual(await scene.files(), files);
});

test("a forced push is told as rewritten history, with its commits", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  await scene.follow();
  await scene.repository.git("checkout", "--quiet", "--orphan", "new");
  await scene.repository.push({ "blog/compose.yaml": web("nginx:3") }, "rewritten");
  await scene.repository.git("push", "--quiet", "--force", "origin", "new:main");
  const source = await scene.check();
  assert.equal(source.error, null);
  assert.deepEqual(source.pending?.commits.map(({ subject }) => subject), ["rewritten"]);
});

test("only the folder of the repository that was asked for is followed", async () => {
  await using scene = await SourceScene.with({
    "hosts/nas/blog/compose.yaml": web("nginx:1"),
    "hosts/pi/shop/compose.yaml": web("nginx:1"),
  });
  const source = await scene.follow({ folder: "hosts/nas" });
  assert.deepEqual(source.pending?.groups.map(({ name }) => name), ["blog"]);
});

test("a mirror that is deleted or damaged is fetched again", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  await scene.follow();
  const mirror = `${scene.berth.folder}/data/git/${scene.id}.git`;
  await Deno.remove(mirror, { recursive: true });
  const { error, pending } = await scene.source();
  assert.deepEqual([error, pending?.groups.length], [null, 1]);
  for await (const { name } of Deno.readDir(`${mirror}/objects/pack`)) {
    await Deno.remove(`${mirror}/objects/pack/${name}`);
  }
  assert.equal((await scene.check()).error, null);
  assert.equal((await scene.source()).pending?.groups.length, 1);
});

test("what a fetch that was cut left in the copy is removed before the next one, and nothing younger is", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  await scene.follow();
  const packs = `${scene.berth.folder}/data/git/${scene.id}.git/objects/pack`;
  for (const name of ["tmp_pack_old", "tmp_pack_now"]) await Deno.writeTextFile(`${packs}/${name}`, "cut");
  const past = new Date(Date.now() - 60 * 60_000);
  await Deno.utime(`${packs}/tmp_pack_old`, past, past);
  const head = await scene.repository.push({ "blog/compose.yaml": web("nginx:2") });

  assert.equal((await scene.check()).head, head);

  const left = [...Deno.readDirSync(packs)].map(({ name }) => name).filter((name) => name.startsWith("tmp_"));
  assert.deepEqual(left, ["tmp_pack_now"]);
});

test("addresses, branches and folders that could be something else are refused before git is asked", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  for (
    const over of [
      { url: "ext::sh -c id" },
      { url: "file:///etc" },
      { url: "/etc" },
      { url: "-uhttp://x/y" },
      { url: "https://ada:secret@git.example/x.git" },
      { url: "https://git.example/" },
      { url: "https://git.example/x.git?a=b" },
      { branch: "--upload-pack=id" },
      { branch: "a..b" },
      { branch: "main:other" },
      { folder: "../etc" },
      { folder: "/etc" },
      { folder: ".git" },
      { credential: { token: "t" } },
    ]
  ) {
    const answer = await scene.set(over);
    assert.equal(answer.status, 422, JSON.stringify(over) + answer.text);
    assert.equal(answer.body.code, "source_refused");
  }
  assert.equal((await scene.berth.call(`GET /api/workspaces/${scene.id}/source`)).status, 404);
});

test("no call goes to a link-local address, in whatever form it is written", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  for (const host of ["169.254.169.254", "2852039166", "[::ffff:169.254.169.254]", "[fe80::1]", "0.0.0.0"]) {
    const { status, body } = await scene.set({ url: `http://${host}/x.git` });
    assert.equal(status, 200, host);
    assert.deepEqual([body.state, /may not be called/.test(body.error)], ["failed", true], host);
  }
});

test("a folder with a .git, and one that overlaps another source's, are refused", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  await Deno.mkdir(`${scene.path}/.git`);
  assert.match((await scene.set()).text, /holds a \.git/);
  await Deno.remove(`${scene.path}/.git`);
  await scene.follow();
  await Deno.mkdir(`${scene.path}/inner`);
  const inner = await scene.berth.call("POST /api/workspaces", { path: `${scene.path}/inner` });
  const answer = await scene.berth.call(`PUT /api/workspaces/${inner.body.id}/source`, {
    url: scene.repository.url,
    branch: "main",
  });
  assert.match(answer.text, /overlaps/);
});

test("a source is seen and set by those alone who may", async () => {
  const files = { "blog/compose.yaml": web("nginx:1"), "shop/compose.yaml": web("nginx:1") };
  await using scene = await SourceScene.with(files, { here: files });
  await scene.follow();
  await scene.repository.push({ "blog/compose.yaml": web("nginx:2"), "shop/compose.yaml": web("nginx:2") });
  await scene.check();
  const path = `/api/workspaces/${scene.id}/source`;
  const viewer = await scene.berth.key("viewer");
  assert.equal((await viewer.call(`GET ${path}`)).status, 200);
  assert.equal((await viewer.call(`POST ${path}/check`)).status, 403);
  const operator = await scene.berth.key("operator");
  assert.equal((await operator.call(`POST ${path}/check`)).status, 200);
  assert.equal(
    (await operator.call(`PUT ${path}`, { url: scene.repository.url, branch: "main" })).status,
    403,
  );
  assert.equal((await operator.call(`DELETE ${path}`)).status, 403);
  const made = await scene.berth.call("POST /api/settings/api-keys", {
    name: "part",
    grants: [{ role: "viewer", on: ["project:shop"] }],
  });
  const part = await scene.berth.as(made.body.key).call(`GET ${path}`);
  assert.equal(part.status, 200, part.text);
  assert.deepEqual(part.body.pending.groups.map(({ name }: { name: string }) => name), ["shop"]);
  assert.deepEqual([part.body.pending.commits, part.body.pending.isPart], [[], true]);
  assert.ok(!part.text.includes("blog"), part.text);
  const waiting = { waiting: "blog: it needs a person", todo: null };
  const { sources } = scene.berth.berth.store;
  await sources.setAuto((await sources.get(scene.id))!, waiting);
  const later = await scene.berth.as(made.body.key).call(`GET ${path}`);
  assert.ok(later.body.waiting !== null && !later.text.includes("blog"), later.text);
  assert.equal((await scene.berth.call(`DELETE ${path}`)).status, 204);
  assert.equal((await scene.berth.call(`GET ${path}`)).body.code, "source_not_found");
  const { body } = await scene.berth.call("GET /api/system/audit?limit=50");
  const actions = body.items.map(({ action }: { action: string }) => action);
  assert.ok(actions.includes(`PUT /api/workspaces/{id}/source`), actions.join("\n"));
  assert.ok(actions.includes(`DELETE /api/workspaces/{id}/source`));
});

test("a token opens the repository, and stands in no file, argument, log, answer or error", async () => {
  await withToken({ "blog/compose.yaml": web("nginx:1") }, async ({ scene, server, credential, secrets }) => {
    const refused = await scene.follow({ credential: { user: "ada", token: "another" } });
    assert.equal(refused.state, "failed");
    const source = await scene.follow({ credential });
    assert.equal(source.error, null);
    assert.equal(source.hasCredential, true);
    // The server is the same: the credential stays.
    assert.equal((await scene.follow()).error, null);
    server.refuse = () => new Response(credential.token, { status: 500 });
    const failed = await scene.check();
    assert.equal(failed.state, "failed");
    server.refuse = null;
    const shown = JSON.stringify([source, failed, scene.berth.logged(), await scene.source()]);
    const audit = await scene.berth.call("GET /api/system/audit?limit=100");
    for (const secret of secrets) assert.ok(!shown.includes(secret) && !audit.text.includes(secret));
    await scene.berth.stop();
    for (const secret of secrets) assert.deepEqual(await holding(scene.berth.folder, secret), []);
  });
});

/** Returns the files below a folder that hold the text. */
async function holding(folder: string, text: string): Promise<string[]> {
  const { code, stdout } = await new Deno.Command("grep", { args: ["-rlaF", "--", text, folder] }).output();
  assert.ok(code === 0 || code === 1);
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}
