/** Repositories behind a real sshd: deploy keys, host keys that are asked for by nobody, and no shell. */
import assert from "node:assert/strict";
import { hasGit } from "../support/git_server.ts";
import { GitSshServer, hasSshd } from "../support/git_ssh_server.ts";
import { startService } from "../support/service.ts";
import { SourceScene, web } from "./source_scene.ts";

const ignore = !hasGit() || !hasSshd();
if (ignore) console.warn("SKIPPED: tests of repositories behind ssh, because git or sshd is not installed");
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });

/** A scene whose repository is reached by ssh, too. */
async function behindSsh(): Promise<
  { scene: SourceScene; sshd: GitSshServer; url: string } & AsyncDisposable
> {
  await using stack = new AsyncDisposableStack();
  const sshd = stack.use(await GitSshServer.start());
  const scene = stack.use(await SourceScene.with({ "blog/compose.yaml": web("nginx:1") }));
  const owned = stack.move();
  return {
    scene,
    sshd,
    url: sshd.urlOf(scene.repository.bare),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("a repository behind ssh shows its deploy key and its server's key, and is followed once the key is let in", async () => {
  await using world = await behindSsh();
  const { scene, sshd, url } = world;
  const shown = await sshd.newHostKey();

  const first = await scene.follow({ url });

  assert.equal(first.state, "failed");
  assert.match(first.error ?? "", /does not take the deploy key/);
  assert.deepEqual(first.ssh?.hostKeys.map(({ fingerprint }) => fingerprint), [shown]);
  await sshd.admit([first.ssh!.publicKey]);
  const source = await scene.check();
  assert.equal(source.error, null);
  assert.deepEqual(source.pending?.groups.map(({ name }) => name), ["blog"]);
  const synced = await scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, {
    commit: source.head,
  });
  assert.equal(synced.status, 200, synced.text);
  assert.deepEqual(Object.keys(await scene.files()), ["blog/compose.yaml"]);
  await scene.repository.push({ "blog/compose.yaml": web("nginx:2") });
  assert.deepEqual((await scene.check()).pending?.groups.map(({ name }) => name), ["blog"]);
  assert.match(await sshd.log(), /Accepted publickey/);
});

test("a deploy key is on disk during a call alone, and in no answer, argument or log", async () => {
  await using world = await behindSsh();
  const { scene, sshd, url } = world;
  const { ssh } = await scene.follow({ url });
  await sshd.admit([ssh!.publicKey]);
  const seen: string[] = [];
  const looking = setInterval(() => {
    for (const { name } of Deno.readDirSync("/proc")) {
      try {
        if (/^\d+$/.test(name)) seen.push(Deno.readTextFileSync(`/proc/${name}/cmdline`));
      } catch {
        // It has ended.
      }
    }
  }, 5);
  await scene.check();
  clearInterval(looking);
  const words = seen.join("\n");
  assert.ok(!words.includes("OPENSSH PRIVATE KEY"));
  assert.ok(
    !seen.some((one) => /^(?:\/bin\/)?(?:da|ba)?sh\0-c\0[^]*(?:ssh -F|ext::)/.test(one)),
    "a shell was started",
  );
  const left = await new Deno.Command("grep", { args: ["-rl", "OPENSSH PRIVATE KEY", scene.berth.folder] })
    .output();
  assert.equal(new TextDecoder().decode(left.stdout), "");
  const answer = await scene.berth.call(`GET /api/workspaces/${scene.id}/source`);
  assert.ok(!answer.text.includes("PRIVATE KEY"));
});

test("a repository behind ssh is followed whatever the name of the data folder holds", async () => {
  const outer = await Deno.makeTempDir();
  try {
    await using sshd = await GitSshServer.start();
    await using scene = await SourceScene.with({ "a.txt": "1" }, {
      start: () => startService({ data: `${outer}/a " \${HOME} %h 50% \\ ~ b` }),
    });
    const { ssh } = await scene.follow({ url: sshd.urlOf(scene.repository.bare) });
    await sshd.admit([ssh!.publicKey]);

    const { error, head } = await scene.check();

    assert.deepEqual([error, head === null], [null, false]);
    assert.match(await sshd.log(), /Accepted publickey/);
  } finally {
    await Deno.remove(outer, { recursive: true });
  }
});

test("a deploy key that a killed berth left is gone before the next call", async () => {
  await using world = await behindSsh();
  const { scene, url } = world;
  const left = `${scene.berth.folder}/data/git/${scene.id}.git/ssh-left`;
  await Deno.mkdir(left, { recursive: true });
  await Deno.writeTextFile(`${left}/key`, "secret");
  await scene.follow({ url });
  await assert.rejects(Deno.stat(left), Deno.errors.NotFound);
});

test("a server that shows another host key is refused until somebody takes its new key, and setting the source keeps both", async () => {
  await using world = await behindSsh();
  const { scene, sshd, url } = world;
  const first = await scene.follow({ url });
  await sshd.admit([first.ssh!.publicKey]);
  assert.equal((await scene.check()).error, null);

  const other = await sshd.newHostKey();
  const refused = await scene.check();
  assert.match(refused.error ?? "", /another host key/);
  assert.equal(refused.head, first.head ?? refused.head);
  const kept = await scene.follow({ url });
  assert.deepEqual(kept.ssh, first.ssh);
  assert.match(kept.error ?? "", /another host key/);

  const taken = await scene.follow({ url, hostKeys: null });
  assert.equal(taken.error, null);
  assert.equal(taken.ssh?.publicKey, first.ssh?.publicKey);
  assert.deepEqual(taken.ssh?.hostKeys.map(({ fingerprint }) => fingerprint), [other]);
  const pinned = await scene.follow({ url, hostKeys: first.ssh!.hostKeys.map(({ key }) => key) });
  assert.match(pinned.error ?? "", /another host key/);
});

test("addresses behind ssh that could be an option or another word are refused, and so are tokens and a server that is away", async () => {
  await using scene = await SourceScene.with({ "a.txt": "1" });
  const bad = [
    "ssh://git.example/home.git",
    "ssh://-oProxyCommand=x@git.example/home.git",
    "ssh://git@-oProxyCommand=x/home.git",
    "ssh://git@git.example/home.git;id",
    "ssh://git@git.example/home git",
    "ssh://git@git.example/%2e%2e/home.git",
    "ssh://git@git.example:99999/home.git",
    "ssh://git:secret@git.example/home.git",
    "git@git.example:ada/home.git",
    "ext::sh -c id",
  ];
  for (const url of bad) {
    const answer = await scene.set({ url });
    assert.deepEqual([answer.status, answer.body.code], [422, "source_refused"], `${url}: ${answer.text}`);
  }
  const token = await scene.set({ url: "ssh://git@127.0.0.1:1/home.git", credential: { token: "t" } });
  assert.deepEqual([token.status, token.body.code], [422, "source_refused"]);
  const away = await scene.set({ url: "ssh://git@127.0.0.1:1/home.git" });
  assert.match(away.body.title, /cannot be reached by ssh/);
  const linkLocal = await scene.set({ url: "ssh://git@2852039166/home.git" });
  assert.match(linkLocal.body.title, /link-local/);
  assert.equal((await scene.berth.call(`GET /api/workspaces/${scene.id}/source`)).status, 404);
});
