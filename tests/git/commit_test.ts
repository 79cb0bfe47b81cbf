/** Commits from the page: one edit becomes one commit of that file, and a branch that moved is never overwritten. */
import assert from "node:assert/strict";
import { git, hasGit } from "../support/git_server.ts";
import { SourceScene, web } from "./source_scene.ts";

const ignore = !hasGit();
if (ignore) console.warn("SKIPPED: tests of commits, because git is not installed");
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });

const files = {
  "blog/compose.yaml": web("nginx:1"),
  "shop/compose.yaml": web("nginx:1"),
  "run.sh": "#!/bin/sh\n",
};

async function synced(): Promise<SourceScene> {
  const scene = await SourceScene.with(files);
  await Deno.chmod(`${scene.repository.work}/run.sh`, 0o755);
  await scene.repository.push({}, "executable");
  const { head } = await scene.follow();
  const answer = await scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, { commit: head });
  assert.equal(answer.status, 200, answer.text);
  return scene;
}

const commit = (scene: SourceScene, body: unknown) =>
  scene.berth.call(`POST /api/workspaces/${scene.id}/source/commit`, body);

const write = (scene: SourceScene, path: string, text: string) =>
  Deno.writeTextFile(`${scene.path}/${path}`, text);

test("an edit is told as uncommitted, and becomes one commit that changes exactly that file", async () => {
  await using scene = await synced();
  assert.deepEqual((await scene.source()).uncommitted, []);
  await write(scene, "blog/compose.yaml", web("nginx:2"));
  await write(scene, "shop/compose.yaml", web("nginx:9"));
  await write(scene, ".env", "TAG=1\n");
  await Deno.remove(`${scene.path}/run.sh`);
  await Deno.mkdir(`${scene.path}/new`);
  await write(scene, "new/compose.yaml", web("nginx:1"));
  const before = await scene.source();
  assert.deepEqual(before.uncommitted, [
    { path: "blog/compose.yaml", change: "changed" },
    { path: "new/compose.yaml", change: "added" },
    { path: "run.sh", change: "deleted" },
    { path: "shop/compose.yaml", change: "changed" },
  ]);

  const made = await commit(scene, {
    paths: ["blog/compose.yaml"],
    message: "Newer nginx\n\nIt was asked for.",
  });

  assert.equal(made.status, 201, made.text);
  const { bare } = scene.repository;
  assert.equal((await git(bare, "rev-parse", "main")).trim(), made.body.id);
  assert.equal(
    (await git(bare, "show", "--format=%B%an|%ae", "--name-status", "main")).trim(),
    "Newer nginx\n\nIt was asked for.\n" + (await git(bare, "log", "-1", "--format=%an|%ae", "main")).trim() +
      "\n\nM\tblog/compose.yaml",
  );
  assert.equal(await git(bare, "show", "main:blog/compose.yaml"), web("nginx:2"));
  assert.match(await git(bare, "ls-tree", "main", "run.sh"), /^100755 /);
  await git(bare, "fsck", "--strict");
  const after = await scene.source();
  assert.deepEqual([after.state, after.synced, after.head], ["synced", made.body.id, made.body.id]);
  assert.ok(!after.uncommitted.some(({ path }) => path === "blog/compose.yaml"));
  assert.equal((await scene.files())["shop/compose.yaml"], web("nginx:9"));

  const others = await commit(scene, { paths: ["run.sh", "new/compose.yaml"], message: "Both" });
  assert.equal(others.status, 201, others.text);
  const changed = await git(bare, "show", "--format=", "--name-status", "main");
  assert.equal(changed, "A\tnew/compose.yaml\nD\trun.sh\n");
});

test("a branch that has changed other files is built on, and one that has changed the same ones is a conflict", async () => {
  await using scene = await synced();
  await write(scene, "blog/compose.yaml", web("nginx:2"));
  const theirs = await scene.repository.push({ "shop/compose.yaml": web("nginx:5") }, "theirs");
  const made = await commit(scene, { paths: ["blog/compose.yaml"], message: "mine" });
  assert.equal(made.status, 201, made.text);
  const { bare } = scene.repository;
  assert.equal((await git(bare, "rev-parse", "main^")).trim(), theirs);
  assert.equal(await git(bare, "show", "main:shop/compose.yaml"), web("nginx:5"));
  assert.equal((await scene.source()).state, "behind");

  await scene.repository.git("pull", "--quiet", "origin", "main");
  const moved = await scene.repository.push({ "shop/compose.yaml": web("nginx:6") }, "theirs again");
  await write(scene, "shop/compose.yaml", web("nginx:7"));
  const refused = await commit(scene, { paths: ["shop/compose.yaml"], message: "mine, too" });
  assert.deepEqual([refused.status, refused.body.code], [409, "source_conflict"]);
  assert.deepEqual(refused.body.errors.map(({ path }: { path: string }) => path), ["shop/compose.yaml"]);
  assert.equal((await git(bare, "rev-parse", "main")).trim(), moved);
});

test("a branch that moves between the look and the push is looked at again, and never overwritten", async () => {
  await using scene = await synced();
  const { bare } = scene.repository;
  // The server lets the branch move at each push, so that each is refused.
  const hook = `${bare}/hooks/pre-receive`;
  const move =
    "#!/bin/sh\nunset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n" +
    "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x\n" +
    "n=$(cat moves 2>/dev/null || echo 0)\n[ $n -ge LIMIT ] && exit 0\necho $((n + 1)) > moves\n" +
    'git update-ref refs/heads/main $(git commit-tree -p main -m "moved $n" main^{tree})\n';
  await Deno.writeTextFile(hook, move.replace("LIMIT", "1"), { mode: 0o755 });
  await write(scene, "blog/compose.yaml", web("nginx:2"));
  const made = await commit(scene, { paths: ["blog/compose.yaml"], message: "mine" });
  assert.equal(made.status, 201, made.text);
  assert.equal((await git(bare, "log", "--format=%s", "-2", "main")).trim(), "mine\nmoved 0");

  const brought = await scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, {
    commit: made.body.id,
  });
  assert.equal(brought.status, 200, brought.text);
  await Deno.writeTextFile(hook, move.replace("LIMIT", "9"), { mode: 0o755 });
  await Deno.remove(`${bare}/moves`);
  await write(scene, "blog/compose.yaml", web("nginx:3"));
  const given = await commit(scene, { paths: ["blog/compose.yaml"], message: "mine again" });
  assert.deepEqual([given.status, given.body.code], [409, "source_moved"]);
  assert.ok(!(await git(bare, "log", "--format=%s", "main")).includes("mine again"));
});

test("a new branch is pushed for a pull request, the followed one stays, and a name that is taken is refused", async () => {
  await using scene = await synced();
  const { head } = await scene.source();
  await write(scene, "blog/compose.yaml", web("nginx:2"));
  const made = await commit(scene, { paths: ["blog/compose.yaml"], message: "m", branch: "berth/nginx" });
  assert.equal(made.status, 201, made.text);
  const { bare } = scene.repository;
  assert.equal((await git(bare, "rev-parse", "berth/nginx")).trim(), made.body.id);
  assert.equal((await git(bare, "rev-parse", "main")).trim(), head);
  assert.equal((await scene.source()).uncommitted.length, 1);
  const taken = await commit(scene, { paths: ["blog/compose.yaml"], message: "m2", branch: "berth/nginx" });
  assert.deepEqual([taken.status, taken.body.code], [409, "source_conflict"]);
  assert.equal((await git(bare, "rev-parse", "berth/nginx")).trim(), made.body.id);
});

test("a value that berth would mask is not committed unless somebody says so, and one that is in the branch already is", async () => {
  await using scene = await synced();
  const secret = "    environment: { DB_PASSWORD: hunter2hunter2 }\n";
  await write(scene, "blog/compose.yaml", web("nginx:1", secret));
  const body = { paths: ["blog/compose.yaml"], message: "m" };
  const refused = await commit(scene, body);
  assert.deepEqual([refused.status, refused.body.code], [422, "secret_in_commit"]);
  assert.ok(!refused.text.includes("hunter2"));
  assert.match(refused.body.errors[0].message, /Line 4/);
  assert.equal((await commit(scene, { ...body, withSecrets: true })).status, 201);
  await write(scene, "blog/compose.yaml", web("nginx:2", secret));
  assert.equal((await commit(scene, body)).status, 201);
});

test("whoever may only edit files pushes no secret and no file that berth does not show", async () => {
  await using scene = await synced();
  const secret = "hunter2hunter2";
  await Deno.mkdir(`${scene.path}/blog/data`);
  for (const [path, text] of [["blog/.env", `DB_PASSWORD=${secret}\n`], ["blog/data/db", secret]] as const) {
    await write(scene, path, text);
  }
  await write(scene, "blog/compose.yaml", web("nginx:2"));
  const { bare } = scene.repository;
  const refs = () => git(bare, "for-each-ref", "--format=%(objectname) %(refname)");
  const before = await refs();
  const key = await scene.berth.call("POST /api/settings/api-keys", {
    name: "editor",
    grants: [{ permissions: ["workspaces:read", "workspaces:files", "artifacts:read"] }],
  });
  assert.equal(key.status, 201, key.text);
  const editor = scene.berth.as(key.body.key);
  const push = (body: unknown) => editor.call(`POST /api/workspaces/${scene.id}/source/commit`, body);

  for (
    const body of [
      { paths: ["blog/.env"], message: "m", withSecrets: true, branch: "x" },
      { paths: ["blog/compose.yaml"], message: "m", withSecrets: true },
      { paths: ["blog/data/db"], message: "m", branch: "x" },
      { paths: ["blog/compose.yaml", "blog/data/db"], message: "m" },
      { paths: ["blog/data/none"], message: "m" },
    ]
  ) {
    const { status, body: refused, text } = await push(body);
    assert.deepEqual([status, refused.code], [403, "forbidden"], `${JSON.stringify(body)}: ${text}`);
    assert.match(refused.title, /artifacts:reveal/);
  }
  assert.equal(await refs(), before);
  const held = await push({ paths: ["blog/.env"], message: "m", branch: "x" });
  assert.deepEqual([held.status, held.body.code], [422, "secret_in_commit"], held.text);
  const allowed = await push({ paths: ["blog/compose.yaml"], message: "m" });
  assert.equal(allowed.status, 201, allowed.text);
  assert.ok(!(await git(bare, "log", "--all", "-p")).includes(secret));
  const ofAdmin = await commit(scene, { paths: ["blog/data/db"], message: "m", branch: "y" });
  assert.equal(ofAdmin.status, 201, ofAdmin.text);
});

test("paths outside, folders, links and files that are nowhere are refused, and so are callers without workspaces:files", async () => {
  await using scene = await synced();
  await Deno.symlink("/etc/passwd", `${scene.path}/link`);
  for (const path of ["../other", "/etc/passwd", "blog", "none", ".git/config", "link"]) {
    const answer = await commit(scene, { paths: [path], message: "m" });
    assert.deepEqual([answer.status, answer.body.code], [400, "invalid_request"], `${path}: ${answer.text}`);
  }
  const key = await scene.berth.key("operator");
  const answer = await key.call(`POST /api/workspaces/${scene.id}/source/commit`, {
    paths: ["run.sh"],
    message: "m",
  });
  assert.deepEqual([answer.status, answer.body.code], [403, "forbidden"]);
  const nothing = await commit(scene, { paths: ["run.sh"], message: "m" });
  assert.deepEqual([nothing.status, nothing.body.code], [400, "invalid_request"]);
});

test("a link is never committed as a deleted file, nor a file behind one, nor a file that has become a folder", async () => {
  await using scene = await synced();
  const before = await git(scene.repository.bare, "rev-parse", "main");
  const [blog, shop, script] = ["blog/compose.yaml", "shop/compose.yaml", "run.sh"].map((path) =>
    `${scene.path}/${path}`
  ) as [string, string, string];
  await Deno.rename(blog, `${scene.path}/elsewhere.yaml`);
  await Deno.symlink("../elsewhere.yaml", blog);
  await Deno.rename(`${scene.path}/shop`, `${scene.path}/moved`);
  await Deno.symlink("moved", `${scene.path}/shop`);
  await Deno.remove(script);
  await Deno.mkdir(script);
  assert.ok((await Deno.stat(shop)).isFile);

  for (
    const [path, why] of [["blog/compose.yaml", /link/], ["shop/compose.yaml", /link/], [
      "run.sh",
      /folder/,
    ]] as const
  ) {
    const answer = await commit(scene, { paths: [path], message: "m" });

    assert.deepEqual([answer.status, answer.body.code], [400, "invalid_request"], answer.text);
    assert.match(answer.body.errors[0].message, why);
    assert.match(answer.body.errors[0].message, new RegExp(path));
  }
  assert.equal(await git(scene.repository.bare, "rev-parse", "main"), before);
});

test("files of variables and secrets are committed only if somebody says so, whatever their values look like", async () => {
  await using scene = await synced();
  const before = await git(scene.repository.bare, "rev-parse", "main");
  const names = "services:\n  web:\n    image: nginx:1\n    env_file: [blue]\n    secrets: [one]\n" +
    "secrets:\n  one: { file: ./one.txt }\n";
  await write(scene, "blog/compose.yaml", names);
  for (const path of [".env", "blog/.env.local", "prod.env"]) await write(scene, path, "COLOUR=blue\n");
  await write(scene, "blog/blue", "COLOUR=blue\n");
  await write(scene, "blog/one.txt", "plain words\n");

  for (const path of [".env", "blog/.env.local", "prod.env", "blog/blue", "blog/one.txt"]) {
    const refused = await commit(scene, { paths: [path], message: "m" });

    assert.deepEqual(
      [refused.status, refused.body.code],
      [422, "secret_in_commit"],
      `${path}: ${refused.text}`,
    );
    assert.equal(refused.body.errors[0].path, path);
  }
  assert.equal(await git(scene.repository.bare, "rev-parse", "main"), before);
  assert.equal((await commit(scene, { paths: ["prod.env"], message: "m", withSecrets: true })).status, 201);
});

test("a file of a secret is known as one however many files the folder's projects name", async () => {
  await using scene = await synced();
  const names = Array.from({ length: 201 }, (_, at) => `s${String(at).padStart(3, "0")}`);
  const all = [...names, "zz"];
  const declared = all.map((name) => `  ${name}: { file: ./${name} }\n`).join("");
  await write(
    scene,
    "blog/compose.yaml",
    `services:\n  web:\n    image: nginx:1\n    secrets: [${all.join(", ")}]\nsecrets:\n${declared}`,
  );
  for (const name of all) await write(scene, `blog/${name}`, "plain words\n");

  const refused = await commit(scene, { paths: ["blog/zz"], message: "m" });

  assert.deepEqual([refused.status, refused.body.code], [422, "secret_in_commit"], refused.text);
  const { body } = await scene.berth.call(`GET /api/workspaces/${scene.id}/files`);
  const named = body.items.filter(({ kind }: { kind: string }) => kind === "secret");
  assert.equal(named.length, 200, "lists stay bounded");
});

test("the files of one commit have 32 MiB at most, one by one and together, and are not read beyond that", async () => {
  await using scene = await synced();
  const before = await git(scene.repository.bare, "rev-parse", "main");
  const sized = async (path: string, mebibytes: number) => {
    using file = await Deno.open(`${scene.path}/${path}`, { write: true, create: true });
    await file.truncate(mebibytes * 1024 * 1024);
  };
  await sized("one.bin", 33);
  await sized("two.bin", 20);
  await sized("three.bin", 20);

  for (const paths of [["one.bin"], ["two.bin", "three.bin"]]) {
    const refused = await commit(scene, { paths, message: "m" });

    assert.deepEqual([refused.status, refused.body.code], [400, "invalid_request"], refused.text);
    assert.match(refused.body.errors[0].message, /32 MiB/);
  }
  assert.equal(await git(scene.repository.bare, "rev-parse", "main"), before);
});
