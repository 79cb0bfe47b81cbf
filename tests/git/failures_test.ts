/**
 * The failures of docs/git.md, one by one: whatever goes wrong, the folder and its synced commit stay as they were, or
 * the sync continues to the same folder. Other host keys are in ssh_test.ts, hooks in hooks_test.ts, owners of the
 * policy `auto` in auto_test.ts, and a lost replica in replicas_test.ts.
 */
import assert from "node:assert/strict";
import type { Source } from "../../core/source.ts";
import { type BerthProcess, startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { git, GitServer, hasGit } from "../support/git_server.ts";
import { type Answer, startService, TestCaller } from "../support/service.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { isLeftToProof } from "../proof/long.ts";
import { SourceScene, web, withToken } from "./source_scene.ts";

const IS_WHOLE = Deno.env.get("BERTH_PROOF") === "1";
const ignore = !hasGit();
const test = (name: string, fn: () => Promise<void>, isLeftOut = false) =>
  Deno.test({ name, ignore: ignore || isLeftOut || isLeftToProof(name), fn });

const sync = (scene: SourceScene, commit: string, more = {}): Promise<Answer> =>
  scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, { commit, ...more });

const files = { "blog/compose.yaml": web("nginx:1"), "notes": "1" };

/** A folder at the repository's first commit, and a file of nobody's. */
async function synced(options: Parameters<typeof SourceScene.with>[1] = {}): Promise<SourceScene> {
  const scene = await SourceScene.with(files, { here: { "blog/.env": "A=1\n" }, ...options });
  const { head } = await scene.follow();
  const answer = await sync(scene, head!);
  assert.equal(answer.body.state, "synced", answer.text);
  return scene;
}

/** All that a failure must leave as it was. */
const kept = async (scene: SourceScene) => {
  const { synced, head, pending, policy } = await scene.source();
  return { synced, head, pending, policy, files: await scene.files() };
};

test("a server that is away, mute or says no, and a branch that is gone, fail the check, and nothing else changes", async () => {
  await using scene = await synced();
  const next = await scene.repository.push({ "blog/compose.yaml": web("nginx:2") });
  assert.equal((await scene.check()).head, next);
  const before = await kept(scene);
  const answers = (response: () => Response | Promise<Response>) => () => {
    scene.server.refuse = response;
    return Promise.resolve(() => scene.server.refuse = null);
  };
  const { promise: never, resolve: end } = Promise.withResolvers<Response>();
  const faults: [string, RegExp, () => Promise<() => unknown>][] = [
    ["away", /503/, answers(() => new Response("no", { status: 503 }))],
    ["no", /Authentication failed|could not read Username/, answers(() => new Response("", { status: 401 }))],
    ["nonsense", /no branch "main"/, answers(() => new Response("<html>"))],
    ["gone", /no branch "main"/, async () => {
      await git(scene.repository.bare, "update-ref", "-d", "refs/heads/main");
      return () => git(scene.repository.bare, "update-ref", "refs/heads/main", next);
    }],
    ...(IS_WHOLE ? [["mute", /too slow|too long/, answers(() => never)] as const] : []) as [],
  ];
  for (const [name, why, fail] of faults) {
    const mend = await fail();
    const { state, error } = await scene.check();
    assert.equal(state, "failed", name);
    assert.match(error ?? "", why);
    assert.doesNotMatch(error ?? "", /\n/);
    assert.deepEqual(await kept(scene), before, name);
    if (name === "mute") end(new Response("late"));
    await mend();
    assert.equal((await scene.check()).error, null, name);
    assert.deepEqual(await kept(scene), before, name);
  }
});

test("a token that expires at whichever request of a fetch fails the check, and the next one fetches", async () => {
  await withToken(files, async ({ scene, server, credential, secrets: [token, basic] }) => {
    const first = await scene.follow({ credential });
    assert.equal((await sync(scene, first.head!)).body.state, "synced");
    const next = await scene.repository.push({ notes: "2" });
    const before = await kept(scene);
    let failed = 0;
    for (let good = 0;; good++) {
      let asked = 0;
      server.refuse = () => asked++ < good ? null : new Response("expired", { status: 401 });
      const { error, head } = await scene.check();
      server.refuse = null;
      if (error === null) {
        assert.equal(head, next);
        break;
      }
      failed++;
      assert.ok(!error.includes(token!) && !error.includes(basic!));
      assert.deepEqual(await kept(scene), before);
    }
    // Two requests ask for the branch, and the fetch takes two or three.
    assert.ok(failed >= 4, `it failed at ${failed} requests`);
  });
});

test("a connection that is cut in a fetch keeps the copy, so that earlier commits can still be synced", async () => {
  await using scene = await synced();
  const { head: first } = await scene.source();
  const second = await scene.repository.push({ notes: "2" });
  await scene.check();
  assert.equal((await sync(scene, second)).body.state, "synced");
  const noise = () => crypto.getRandomValues(new Uint8Array(60_000));
  const next = await scene.repository.push({ a: noise(), b: noise(), c: noise(), d: noise() });
  const before = await kept(scene);
  scene.server.refuse = async (request) => {
    if (request.headers.has("x-whole")) return null;
    const headers = new Headers(request.headers);
    headers.set("x-whole", "1");
    const body = request.body === null ? null : await request.arrayBuffer();
    const answer = await fetch(request.url, { method: request.method, headers, body });
    const bytes = await answer.bytes();
    const type = answer.headers.get("content-type")!;
    const isPack = bytes.length > 200_000;
    return new Response(isPack ? bytes.subarray(0, 100_000) : bytes, { headers: { "content-type": type } });
  };

  const { error } = await scene.check();

  assert.match(error ?? "", /pack|EOF|disconnect/);
  assert.deepEqual(await kept(scene), before);
  scene.server.refuse = () => new Response("no", { status: 503 });
  assert.equal((await sync(scene, first!)).body.synced, first);
  scene.server.refuse = null;
  assert.equal((await scene.check()).head, next);
});

test("a forced push is behind, deletes nothing once the commit before is lost, and the policy auto leaves it to a person", async () => {
  await using scene = await synced();
  const before = await kept(scene);
  await scene.repository.git("checkout", "--quiet", "--orphan", "new");
  await scene.repository.git("rm", "-rfq", ".");
  const next = await scene.repository.push({ "blog/compose.yaml": web("nginx:9"), "more": "1" }, "other");
  await scene.repository.git("push", "--quiet", "--force", "origin", "new:main");
  const seen = await scene.check();
  assert.deepEqual([seen.state, seen.rewritten, seen.synced], ["behind", true, before.synced]);
  await scene.follow({ policy: "auto" });
  const waits = await eventually("the policy waits", async () => {
    const source = await scene.source();
    return source.waiting === null ? null : source;
  });
  assert.match(waits.waiting!, /history was rewritten/);
  assert.deepEqual(await scene.files(), before.files);

  await git(scene.repository.bare, "config", "uploadpack.allowAnySHA1InWant", "false");
  await git(scene.repository.bare, "update-ref", "-d", "refs/heads/new");
  await git(scene.repository.bare, "reflog", "expire", "--expire=now", "--all");
  await git(scene.repository.bare, "gc", "--quiet", "--prune=now");
  await Deno.remove(`${scene.berth.folder}/data/git/${scene.id}.git`, { recursive: true });
  await scene.follow({ policy: "manual" });
  const lost = await scene.check();
  assert.deepEqual(lost.pending?.conflicts.map(({ path }) => path), ["blog/compose.yaml"]);
  assert.deepEqual(await scene.files(), before.files);
  const done = await sync(scene, next, { overwrite: ["blog/compose.yaml"] });
  assert.equal(done.body.state, "synced", done.text);
  assert.deepEqual(await scene.files(), { ...before.files, "blog/compose.yaml": web("nginx:9"), more: "1" });
});

test("a disk that is full in a fetch fails the check, and with room the next one fetches", async () => {
  await using disk = await SmallDisk.mount("8m");
  await using scene = await synced({
    start: async () => {
      const berth = await startService();
      await Deno.symlink(disk.folder, `${berth.folder}/data/git`);
      return berth;
    },
  });
  const before = await kept(scene);
  const next = await scene.repository.push({ large: crypto.getRandomValues(new Uint8Array(65_536)) });
  disk.fill();
  const full = await scene.check();
  const why = "the disk with berth's data folder is full: make room there";
  assert.deepEqual([full.state, full.error], ["failed", why]);
  assert.ok(
    [...Deno.readDirSync(disk.folder)].some(({ name }) => name === `${scene.id}.git`),
    "the copy stays",
  );
  disk.empty();
  assert.deepEqual(await kept(scene), before);
  assert.deepEqual([(await scene.check()).error, (await scene.source()).head], [null, next]);
}, !mayMount);

test(
  "a disk that is full in a sync changes nothing, also where a file is written in place, and with room it is done",
  async () => {
    await using disk = await SmallDisk.mount("2m");
    const mount = "    volumes: ['./one.conf:/one.conf']\n";
    await using scene = await SourceScene.with({ "compose.yaml": web("nginx:1", mount), "one.conf": "1\n" }, {
      root: disk.folder,
      start: () => startService({ roots: [disk.folder] }),
    });
    const { head } = await scene.follow();
    assert.equal((await sync(scene, head!)).body.state, "synced");
    const inode = (await Deno.lstat(`${scene.path}/one.conf`)).ino;
    const inPlace = await scene.repository.push({ "one.conf": "new\n".repeat(50_000) });
    const both = await scene.repository.push({ "one.conf": "2\n", "large": "large\n".repeat(50_000) });
    await scene.check();
    const before = await kept(scene);
    disk.fill();
    for (const commit of [inPlace, both]) {
      const refused = await sync(scene, commit);
      assert.deepEqual([refused.status, refused.body.code], [507, "disk_full"], refused.text);
      assert.deepEqual(await kept(scene), before);
      assert.equal((await scene.berth.berth.store.sources.get(scene.id))?.syncing, null);
    }
    disk.empty();
    assert.equal((await sync(scene, both)).body.state, "synced");
    assert.equal((await Deno.lstat(`${scene.path}/one.conf`)).ino, inode);
  },
  !mayMount,
);

test("a file that berth may not write refuses the sync by name, and nothing is written", async () => {
  await using scene = await synced();
  const next = await scene.repository.push({ "blog/compose.yaml": web("nginx:2"), "notes": "2" });
  await scene.check();
  const before = await kept(scene);
  const folder = `${scene.path}/blog`;
  await mount("--bind", folder, folder);
  try {
    await mount("-o", "remount,bind,ro", folder);
    const refused = await sync(scene, next);
    assert.deepEqual([refused.status, refused.body.code], [409, "file_not_written"], refused.text);
    assert.equal(
      refused.body.title,
      'Cannot sync: "blog/compose.yaml": it lies on a file system that is mounted read-only',
    );
    assert.deepEqual(await kept(scene), before);
  } finally {
    await new Deno.Command("umount", { args: ["-l", folder] }).output();
  }
  assert.equal((await sync(scene, next)).body.state, "synced");
}, !mayMount);

test(
  "a mounted file that berth may not write refuses the sync by name, and those before it stay as they were",
  async () => {
    const mounts = "    volumes: ['./a.conf:/a.conf', './b.conf:/b.conf']\n";
    const here = { "compose.yaml": web("nginx:1", mounts), "a.conf": "1\n", "b.conf": "1\n", "notes": "1" };
    await using scene = await SourceScene.with(here);
    const { head } = await scene.follow();
    assert.equal((await sync(scene, head!)).body.state, "synced");
    const next = await scene.repository.push({ "a.conf": "2\n", "b.conf": "2\n", "notes": "2" });
    await scene.check();
    const before = await kept(scene);
    const file = `${scene.path}/b.conf`;
    await mount("--bind", file, file);
    try {
      await mount("-o", "remount,bind,ro", file);
      const refused = await sync(scene, next);
      assert.deepEqual([refused.status, refused.body.code], [409, "file_not_written"], refused.text);
      assert.match(refused.body.title, /^Cannot sync: "b\.conf": it lies on a file system that is mounted/);
      assert.deepEqual(await kept(scene), before);
      assert.equal((await scene.berth.berth.store.sources.get(scene.id))?.syncing, null);
    } finally {
      await new Deno.Command("umount", { args: ["-l", file] }).output();
    }
    assert.equal((await sync(scene, next)).body.state, "synced");
    assert.equal((await scene.files())["b.conf"], "2\n");
  },
  !mayMount,
);

test("an outage that ends plans and syncs nothing again, and a copy that was deleted meanwhile is fetched again", async () => {
  await using scene = await synced();
  await scene.follow({ policy: "auto" });
  await eventually("the policy has nothing to do", async () => (await scene.source()).state === "synced");
  const told = async () => {
    const { body } = await scene.berth.call("GET /api/system/audit?limit=200");
    return body.items.filter(({ action }: Answer["body"]) => /^source\./.test(action)).length;
  };
  const [before, entries] = [await kept(scene), await told()];
  scene.server.refuse = () => new Response("no", { status: 503 });
  assert.equal((await scene.check()).state, "failed");
  await Deno.remove(`${scene.berth.folder}/data/git/${scene.id}.git`, { recursive: true });
  scene.server.refuse = null;
  assert.equal((await scene.check()).state, "synced");
  assert.deepEqual([await kept(scene), await told()], [before, entries]);
  const next = await scene.repository.push({ notes: "2" });
  await scene.check();
  await eventually("the next push is synced", async () => (await scene.source()).synced === next);
});

async function mount(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("mount", { args: [...args] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** The steps of a sync, by what is on disk. */
const STEPS = ["fetching", "staging", "exchanging", "exchanged"] as const;
const MANY = 1_000;

for (const step of IS_WHOLE ? STEPS : []) {
  test(`a berth that is killed while it is ${step} finishes or has begun nothing, and the folder is whole`, async () => {
    await using server = await GitServer.start();
    const repository = await server.repository("home");
    const texts = (text: string) =>
      Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`f${String(at).padStart(4, "0")}`, text]));
    await repository.push({ ...texts("1"), gone: "1" });
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-steps-" }));
    const path = `${root}/folders/home`;
    await Deno.mkdir(path, { recursive: true });
    await Deno.writeTextFile(`${path}/.env`, "mine");
    const start = () => startBerthProcess({ data: `${root}/data`, env: { BERTH_ROOTS: `${root}/folders` } });
    let berth: BerthProcess = await start();
    const held = Promise.withResolvers<Response>();
    try {
      const key = await berth.setUp();
      const call = (route: string, body?: unknown) => new TestCaller(berth.url, key).call(route, body);
      const { body: { id } } = await call("POST /api/workspaces", { path });
      const set = await call(`PUT /api/workspaces/${id}/source`, { url: repository.url, branch: "main" });
      const at = `/api/workspaces/${id}/source`;
      assert.equal((await call(`POST ${at}/sync`, { commit: set.body.head })).body.state, "synced");
      const next = await repository.push({ ...texts("2"), gone: null });

      if (step === "fetching") {
        server.refuse = ({ method }) => method === "POST" ? held.promise : null;
      } else await call(`POST ${at}/check`);
      const working =
        (step === "fetching" ? call(`POST ${at}/check`) : call(`POST ${at}/sync`, { commit: next }))
          .catch(() => null);
      const seen = await killedAt(berth, step, path);
      await berth.ended();
      await working;
      server.refuse = null;
      held.resolve(new Response("late", { status: 503 }));
      berth = await start();
      const { body: left } = await call(`GET ${at}`);
      if (step === "fetching") assert.deepEqual([left.state, left.synced], ["synced", set.body.head]);
      const { body: source } = await call(`POST ${at}/check`);
      if (source.state === "behind") await call(`POST ${at}/sync`, { commit: next });

      const done: Source = await eventually("it is synced", async () => {
        const { body } = await call(`GET ${at}`);
        return body.state === "synced" ? body : null;
      });
      assert.equal(done.synced, next, JSON.stringify(seen));
      const found = Object.fromEntries(
        [...Deno.readDirSync(path)].map(({ name }) => [name, Deno.readTextFileSync(`${path}/${name}`)]),
      );
      assert.deepEqual(found, { ...texts("2"), ".env": "mine" });
    } finally {
      await berth[Symbol.asyncDispose]();
      await Deno.remove(root, { recursive: true });
    }
  });
}

/** Stops the process again and again until it is at this step, and kills it there. */
async function killedAt(berth: BerthProcess, step: (typeof STEPS)[number], path: string) {
  const isThere = {
    fetching: () => true,
    staging: ({ staged, isBegun }: Seen) => staged > 0 && !isBegun,
    exchanging: ({ staged, isBegun }: Seen) => staged > 0 && isBegun,
    exchanged: ({ staged, isBegun }: Seen) => staged === 0 && isBegun,
  }[step];
  if (step === "fetching") await new Promise((resolve) => setTimeout(resolve, 500));
  return await eventually(`it is ${step}`, () => {
    berth.child.kill("SIGSTOP");
    const seen = look(path);
    if (!isThere(seen)) {
      berth.child.kill("SIGCONT");
      return null;
    }
    berth.child.kill("SIGKILL");
    return seen;
  }, { everyMs: 10 });
}

interface Seen {
  /** New contents that lie beside their targets. */
  readonly staged: number;
  /** True once the first of them has taken its place. */
  readonly isBegun: boolean;
}

const look = (path: string): Seen => ({
  staged: [...Deno.readDirSync(path)].filter(({ name }) => name.includes("git-")).length,
  isBegun: Deno.readTextFileSync(`${path}/f0000`) === "2",
});
