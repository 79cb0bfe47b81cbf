/** Signers: with keys listed, a commit is taken only if one of them has signed it. Keys and signatures are those of ssh-keygen and git. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { hasGit } from "../support/git_server.ts";
import { SourceScene, web } from "./source_scene.ts";

const ignore = !hasGit();
if (ignore) console.warn("SKIPPED: tests of signers, because git is not installed");

interface Signer {
  readonly file: string;
  /** One line, as forges take it. */
  readonly open: string;
  readonly fingerprint: string;
}

interface World {
  readonly scene: SourceScene;
  readonly ada: Signer;
  readonly eve: Signer;
  /** Commits and pushes with somebody's signature, or with none. */
  push(by: Signer | null, files: Readonly<Record<string, string>>): Promise<string>;
}

async function run(program: string, args: readonly string[], input?: string): Promise<string> {
  const child = new Deno.Command(program, {
    args: [...args],
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { success, stdout, stderr } = await child.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function signer(folder: string, name: string, kind = "ed25519"): Promise<Signer> {
  const file = `${folder}/${name}`;
  await run("ssh-keygen", ["-q", "-t", kind, "-N", "", "-C", `${name}@example.org`, "-f", file]);
  const [, fingerprint = ""] = (await run("ssh-keygen", ["-l", "-f", `${file}.pub`])).split(" ");
  return { file, open: (await Deno.readTextFile(`${file}.pub`)).trim(), fingerprint };
}

function test(name: string, fn: (world: World) => Promise<void>): void {
  Deno.test({
    name,
    ignore,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: "berth-signers-" });
      try {
        await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
        const [ada, eve] = [await signer(folder, "ada"), await signer(folder, "eve", "ecdsa")];
        const { repository } = scene;
        await repository.git("config", "gpg.format", "ssh");
        const push: World["push"] = async (by, files) => {
          await repository.git("config", "commit.gpgsign", String(by !== null));
          if (by !== null) await repository.git("config", "user.signingkey", by.file);
          return await repository.push(files);
        };
        await fn({ scene, ada, eve, push });
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

const FILE = "blog/compose.yaml";

test("a commit of a listed key is taken, and neither one of another key nor one without a signature", async ({ scene, ada, eve, push }) => {
  const unsigned = await scene.follow({ signers: [ada.open] });
  assert.deepEqual([unsigned.state, unsigned.head, unsigned.pending], ["failed", null, null]);
  assert.match(unsigned.error ?? "", /^commit [0-9a-f]{8} is not signed/);
  assert.deepEqual(unsigned.signers, [{
    key: ada.open.split(" ").slice(0, 2).join(" "),
    name: "ada@example.org",
    fingerprint: ada.fingerprint,
  }]);

  const good = await push(ada, { [FILE]: web("nginx:2") });
  assert.deepEqual([(await scene.check()).head, (await scene.source()).error], [good, null]);
  const synced = await scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, { commit: good });
  assert.equal(synced.status, 200, synced.text);

  await push(eve, { [FILE]: web("nginx:3") });
  const foreign = await scene.check();
  assert.deepEqual([foreign.state, foreign.head, foreign.synced], ["failed", good, good]);
  assert.ok(foreign.error?.includes(eve.fingerprint), foreign.error ?? "");
  await push(null, { [FILE]: web("nginx:4") });
  assert.match((await scene.check()).error ?? "", /is not signed/);
  assert.deepEqual(await scene.files(), { [FILE]: web("nginx:2") });

  const next = await push(ada, { [FILE]: web("nginx:5") });
  assert.deepEqual([(await scene.check()).head, (await scene.source()).error], [next, null]);
});

test("a signature that was moved to another commit, or made for something else than git, is none", async ({ scene, ada, push }) => {
  const good = await push(ada, { [FILE]: web("nginx:2") });
  await scene.follow({ signers: [ada.open] });
  const { bare, work } = scene.repository;
  const put = async (commit: string) => {
    const args = ["--git-dir", bare, "hash-object", "-t", "commit", "-w", "--stdin"];
    const id = (await run("git", args, commit)).trim();
    await run("git", ["--git-dir", bare, "update-ref", "refs/heads/main", id]);
    return id;
  };
  const signed = await run("git", ["-C", work, "cat-file", "commit", good]);
  await put(signed.replace(/\n\nchange\n$/, "\n\nsomething else\n"));
  const moved = await scene.check();
  assert.deepEqual([moved.state, moved.head], ["failed", good]);

  const unsigned = signed.replace(/gpgsig [^]*?-----END SSH SIGNATURE-----\n/, "");
  const made = await run("ssh-keygen", ["-q", "-Y", "sign", "-n", "file", "-f", ada.file], unsigned);
  const header = `gpgsig ${made.trimEnd().replaceAll("\n", "\n ")}\n`;
  await put(unsigned.replace(/\n\n/, `\n${header}\n`));
  const other = await scene.check();
  assert.deepEqual([other.state, other.head], ["failed", good]);
  assert.match(other.error ?? "", /signature/);
});

test("a key that is taken off the list ends what it has signed, also for a sync of what was fetched", async ({ scene, ada, eve, push }) => {
  const first = await push(ada, { [FILE]: web("nginx:2") });
  await scene.follow({ signers: [ada.open, eve.open] });
  const second = await push(eve, { [FILE]: web("nginx:3") });
  assert.equal((await scene.check()).head, second);
  const sync = (commit: string) =>
    scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, { commit });

  const revoked = await scene.follow({ signers: [ada.open] });
  assert.deepEqual([revoked.state, revoked.head], ["failed", null]);
  assert.ok(revoked.error?.includes(eve.fingerprint), revoked.error ?? "");
  assert.equal((await sync(second)).body.code, "source_moved");
  assert.deepEqual(await scene.files(), {});

  // An earlier commit is written only if it is signed, too, and so is the way back.
  const third = await push(ada, { [FILE]: web("nginx:4") });
  await scene.check();
  const back = await sync(second);
  assert.deepEqual([back.status, back.body.code], [502, "git_failed"]);
  assert.match(back.body.title, /no key of its signers/);
  assert.deepEqual(await scene.files(), {});
  assert.equal((await sync(third)).status, 200);
  assert.equal((await sync(first)).status, 200);
  assert.deepEqual(await scene.files(), { [FILE]: web("nginx:2") });
});

test("signers stay where a change of the source leaves them out, and end with null; what is no key is refused", async ({ scene, ada, push }) => {
  await push(ada, { [FILE]: web("nginx:2") });
  await scene.follow({ signers: [ada.open] });
  assert.equal((await scene.follow()).signers.length, 1);
  const certificate = ada.open.replace("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com");
  for (const signers of [["ssh-ed25519"], ["x"], [`* ${ada.open}`], [certificate], ["ssh-rsa AAAA\n* ssh"]]) {
    const answer = await scene.set({ signers });
    assert.deepEqual([answer.status, answer.body.code], [422, "source_refused"], answer.text);
  }
  const path = `POST /api/workspaces/${scene.id}/source/commit`;
  await Deno.writeTextFile(`${scene.path}/here.txt`, "here");
  const commit = { paths: ["here.txt"], message: "here" };
  const refused = await scene.berth.call(path, commit);
  assert.deepEqual([refused.status, refused.body.errors?.[0].path], [400, "body.branch"], refused.text);
  const proposed = await scene.berth.call(path, { ...commit, branch: "proposal" });
  assert.equal(proposed.status, 201, proposed.text);

  await push(null, { [FILE]: web("nginx:3") });
  const free = await scene.follow({ signers: null });
  assert.deepEqual([free.signers, free.error], [[], null]);
  const { body } = await scene.berth.call("GET /api/system/audit?limit=50");
  const told = body.items.map(({ particulars }: { particulars: { signers?: string } }) =>
    particulars.signers
  );
  assert.ok(told.includes(ada.fingerprint), JSON.stringify(told));
});

test("the policy auto writes nothing that no signer has signed", async ({ scene, ada, eve, push }) => {
  const good = await push(ada, { [FILE]: web("nginx:2"), "a.txt": "1" });
  await scene.follow({ signers: [ada.open], policy: "auto" });
  await eventually("it is synced", async () => (await scene.source()).synced === good || null);
  await push(eve, { "a.txt": "2" });
  assert.equal((await scene.check()).state, "failed");
  const next = await push(ada, { "b.txt": "3" });
  await scene.check();
  await eventually("the next one is synced", async () => (await scene.source()).synced === next || null);
  assert.equal((await scene.files())["a.txt"], "2", "what was pushed before is what a signer signed");
});
