/** Syncs: a commit reaches the folder whole or not at all, and nothing that is not Git's is touched. */
import assert from "node:assert/strict";
import { hasGit } from "../support/git_server.ts";
import { pause } from "../../core/pause.ts";
import { eventually } from "../support/eventually.ts";
import type { Answer } from "../support/service.ts";
import { isLeftToProof } from "../proof/long.ts";
import { SourceScene, web } from "./source_scene.ts";

const ignore = !hasGit();
if (ignore) console.warn("SKIPPED: tests of syncs, because git is not installed");
const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, ignore: ignore || isLeftToProof(name), fn });

const sync = (
  scene: SourceScene,
  commit: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> => scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, { commit, ...more });

test("a sync writes the commit, deletes what it lacks, and leaves every other file alone", async () => {
  await using scene = await SourceScene.with(
    { "blog/compose.yaml": web("nginx:1"), "old/compose.yaml": web("nginx:1"), "run.sh": "#!/bin/sh\n" },
    { here: { "blog/.env": "A=1\n", "blog/data/db": "rows" } },
  );
  const { head } = await scene.follow();
  const synced = await sync(scene, head!);
  assert.equal(synced.status, 200, synced.text);
  assert.equal(synced.body.state, "synced");
  const next = await scene.repository.push({ "old/compose.yaml": null, "new/compose.yaml": web("nginx:2") });
  await scene.check();
  assert.equal((await sync(scene, next)).body.state, "synced");
  assert.deepEqual(await scene.files(), {
    "blog/compose.yaml": web("nginx:1"),
    "new/compose.yaml": web("nginx:2"),
    "run.sh": "#!/bin/sh\n",
    "blog/.env": "A=1\n",
    "blog/data/db": "rows",
  });
  assert.equal(
    await Deno.lstat(`${scene.path}/old`).then(() => true, () => false),
    false,
    "the empty folder is gone",
  );
  const { body } = await scene.berth.call("GET /api/system/audit?limit=50");
  const ended = body.items.filter(({ action }: { action: string }) => action === "source.sync");
  assert.deepEqual(ended.map(({ particulars }: Answer["body"]) => [particulars.from, particulars.to]), [
    [head, next],
    ["nothing", head],
  ]);
});

test("folders that a sync makes at once have the mode of the one that they are in, however deep", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  await Deno.chmod(scene.path, 0o775);
  const { head } = await scene.follow();
  await sync(scene, head!);
  const paths = Array.from({ length: 64 }, (_, at) => `a/b/${at % 8}/c${at}/file`);
  const next = await scene.repository.push(Object.fromEntries(paths.map((path) => [path, "text"])));
  await scene.check();
  assert.equal((await sync(scene, next)).body.state, "synced");
  const folders = new Set(paths.flatMap((path) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  }));
  const others = [...folders].filter((one) =>
    (Deno.statSync(`${scene.path}/${one}`).mode! & 0o777) !== 0o775
  );
  assert.deepEqual(others, []);
});

test("an edited file refuses the sync by name and nothing is written, until somebody keeps or overwrites it", async () => {
  const files = { "blog/compose.yaml": web("nginx:1"), "shop/compose.yaml": web("nginx:1") };
  await using scene = await SourceScene.with(files, { here: files });
  const { head } = await scene.follow();
  assert.equal((await sync(scene, head!)).status, 200, "files that are alike are no conflict");
  await Deno.writeTextFile(`${scene.path}/blog/compose.yaml`, web("mine:1"));
  const next = await scene.repository.push({
    "blog/compose.yaml": web("nginx:2"),
    "shop/compose.yaml": web("nginx:2"),
  });
  assert.equal((await scene.check()).state, "conflict");
  const refused = await sync(scene, next);
  assert.deepEqual([refused.status, refused.body.code], [409, "source_conflict"]);
  assert.deepEqual(refused.body.errors, [{ path: "blog/compose.yaml", message: "it was changed here" }]);
  assert.equal((await scene.files())["shop/compose.yaml"], web("nginx:1"));
  const { body: after } = await scene.berth.call(`GET /api/workspaces/${scene.id}/source`);
  assert.deepEqual([after.state, after.error], ["conflict", null], "no check has failed");
  assert.equal((await sync(scene, next, { keep: ["blog/compose.yaml"] })).status, 200);
  assert.deepEqual(await scene.files(), {
    "blog/compose.yaml": web("mine:1"),
    "shop/compose.yaml": web("nginx:2"),
  });
  const third = await scene.repository.push({ "blog/compose.yaml": web("nginx:3") });
  await scene.check();
  const operator = await scene.berth.key("operator");
  const request = { commit: third, overwrite: ["blog/compose.yaml"] };
  assert.equal((await operator.call(`POST /api/workspaces/${scene.id}/source/sync`, request)).status, 403);
  assert.equal((await scene.files())["blog/compose.yaml"], web("mine:1"));
  assert.equal((await sync(scene, third, { overwrite: ["blog/compose.yaml"] })).status, 200);
  assert.equal((await scene.files())["blog/compose.yaml"], web("nginx:3"));
  const versions = await scene.berth.call(
    `GET /api/workspaces/${scene.id}/versions?path=${encodeURIComponent("blog/compose.yaml")}`,
  );
  assert.equal(versions.body.items?.length, 1, versions.text);
});

test("the commit before can be synced again, also while the server is away", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  const { head: first } = await scene.follow();
  await sync(scene, first!);
  const next = await scene.repository.push({ "blog/compose.yaml": web("nginx:2"), "blog/more": "x" });
  await scene.check();
  await sync(scene, next);
  scene.server.refuse = () => new Response("no", { status: 503 });
  const back = await sync(scene, first!);
  assert.equal(back.status, 200, back.text);
  assert.deepEqual(await scene.files(), { "blog/compose.yaml": web("nginx:1") });
  assert.equal(back.body.synced, first);
  const unknown = await sync(scene, "0".repeat(40));
  assert.deepEqual([unknown.status, unknown.body.code], [409, "source_moved"]);
});

/** Holds the lease of the folder by a commit whose push hangs, changes the policy behind it, and then acts. */
async function changedMeanwhile(scene: SourceScene, act: () => Promise<unknown>): Promise<void> {
  await Deno.writeTextFile(`${scene.path}/notes`, "mine");
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  scene.server.refuse = async ({ url }) => {
    if (!url.includes("receive-pack")) return null;
    begin();
    await isOver;
    return new Response("no", { status: 503 });
  };
  const path = `POST /api/workspaces/${scene.id}/source/commit`;
  const committing = scene.berth.call(path, { paths: ["notes"], message: "mine" });
  await hasBegun;
  const setting = scene.set({ policy: "manual" });
  await pause(500); // it waits for its turn
  const acting = act();
  await pause(500);
  end();
  assert.equal((await committing).body.code, "git_failed");
  assert.equal((await setting).status, 200);
  await acting;
}

test("a policy that was changed while a sync waited for its turn stays as it is", async () => {
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  const { head } = await scene.follow({ policy: "auto" });
  await eventually("it is synced", async () => (await scene.source()).synced === head);

  await changedMeanwhile(scene, () => sync(scene, head!));
  assert.equal((await scene.source()).policy, "manual", "a person's sync has brought the policy back");

  await scene.follow({ policy: "auto" });
  const next = await scene.repository.push({ "blog/compose.yaml": web("nginx:2") });
  await changedMeanwhile(scene, () => scene.check());
  await pause(1_000); // the policy would act behind the answer
  const { policy, synced, head: newest } = await scene.source();
  assert.deepEqual([policy, synced, newest], ["manual", head, next]);
});

test("a file that a project mounts by itself keeps its inode, and one of a secret is exchanged", async () => {
  const compose =
    "services:\n  web:\n    image: nginx:1\n    secrets: [one]\n    volumes: ['./one.conf:/one.conf']\n" +
    "secrets:\n  one: { file: one.txt }\n";
  await using scene = await SourceScene.with({ "compose.yaml": compose, "one.conf": "1", "one.txt": "1" });
  const { head } = await scene.follow();
  await sync(scene, head!);
  const inodes = async () =>
    await Promise.all(
      ["one.conf", "one.txt"].map(async (name) => (await Deno.lstat(`${scene.path}/${name}`)).ino),
    );
  const [conf, secret] = await inodes();
  const next = await scene.repository.push({ "one.conf": "2 and longer", "one.txt": "2" });
  await scene.check();
  await sync(scene, next);
  assert.deepEqual([(await inodes())[0] === conf, (await inodes())[1] === secret], [true, false]);
  assert.equal((await scene.files())["one.conf"], "2 and longer");
});

test("a sync that was interrupted and cannot be finished is tried again less and less often", async () => {
  await using scene = await SourceScene.with({ "b.txt": "1" });
  const { head } = await scene.follow();
  await sync(scene, head!);
  const next = await scene.repository.push({ "b.txt": "2" });
  await scene.check();
  const syncing = { from: head!, to: next, inPlace: [], keep: [], overwrite: {} };
  const { ENTRY } = await import("../access/audit_entry.ts");
  await scene.berth.berth.store.sources.sync(scene.id, { synced: head!, syncing, policy: "manual" }, ENTRY);
  // Somebody edits the very file meanwhile: it is theirs, whatever was begun.
  await Deno.writeTextFile(`${scene.path}/b.txt`, "an edit");
  const tries = () =>
    scene.berth.logged().filter((line) => /sync cannot be finished/.test(line))
      .map((line) => Date.parse(/\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(line)![0]));
  const [first, second] = await eventually("it was tried twice", () => tries().length > 1 ? tries() : null);
  // The sources are looked at every 5 s.
  assert.ok(second! - first! > 9_000, `${second! - first!} ms`);
  assert.equal((await scene.files())["b.txt"], "an edit");
});

test("a sync that was interrupted is finished by the next one, to the same folder", async () => {
  await using scene = await SourceScene.with({ "a/compose.yaml": web("nginx:1"), "b.txt": "1" });
  const { head } = await scene.follow();
  await sync(scene, head!);
  const next = await scene.repository.push({
    "a/compose.yaml": web("nginx:2"),
    "b.txt": null,
    "c.txt": "new",
  });
  await scene.check();
  // As a kill in the middle leaves it: one file is written, and the store knows of the sync.
  const syncing = { from: head!, to: next, inPlace: [], keep: [], overwrite: {} };
  const { store } = scene.berth.berth;
  const { ENTRY } = await import("../access/audit_entry.ts");
  await store.sources.sync(scene.id, { synced: head!, syncing, policy: "manual" }, ENTRY);
  await Deno.writeTextFile(`${scene.path}/c.txt`, "new");
  assert.equal((await scene.source()).state, "syncing");
  const plan = await scene.berth.call(`POST /api/workspaces/${scene.id}/artifacts/groups/a/plan`, {});
  assert.match(plan.text, /a commit is being written/);
  const other = await sync(scene, head!);
  assert.deepEqual([other.status, other.body.code], [409, "source_conflict"]);
  const done = await sync(scene, next);
  assert.equal(done.status, 200, done.text);
  assert.deepEqual([done.body.state, done.body.synced], ["synced", next]);
  assert.deepEqual(await scene.files(), { "a/compose.yaml": web("nginx:2"), "c.txt": "new" });
});

test("a sync of the policy auto keeps the policy, also where it is finished after a later push", async () => {
  await using scene = await SourceScene.with({ "b.txt": "1" });
  const { head } = await scene.follow({ policy: "auto" });
  const { sources } = scene.berth.berth.store;
  await eventually("it is synced", async () => (await sources.get(scene.id))?.synced === head);
  const next = await scene.repository.push({ "b.txt": "2" });
  const last = await scene.repository.push({ "b.txt": "3" });
  const { ENTRY } = await import("../access/audit_entry.ts");
  const syncing = { from: head!, to: next, inPlace: [], keep: [], overwrite: {}, policy: "auto" as const };
  const record = (await sources.get(scene.id))!;
  await sources.note(record, { head: last, checkedAt: 1, error: null, failures: 0 });
  await sources.sync(scene.id, { synced: head, syncing, policy: "auto" }, ENTRY);

  await eventually("the last commit is synced", async () => (await sources.get(scene.id))?.synced === last);

  assert.equal((await sources.get(scene.id))?.policy, "auto");
  assert.equal((await scene.files())["b.txt"], "3");
});

test("files behind a link that a person has put in a folder's place are named, and keeping them is the way out", async () => {
  await using scene = await SourceScene.with({
    "conf/deep/one.txt": "1",
    "conf/two.txt": "1",
    "three.txt": "1",
  });
  const { head } = await scene.follow();
  assert.equal((await sync(scene, head!)).status, 200);
  const outside = `${scene.berth.folder}/outside`;
  await Deno.rename(`${scene.path}/conf`, outside);
  await Deno.symlink(outside, `${scene.path}/conf`);
  const next = await scene.repository.push({
    "conf/deep/one.txt": "2",
    "conf/two.txt": null,
    "three.txt": "2",
    "conf/four.txt": "2",
  });
  assert.equal((await scene.check()).state, "conflict");
  const why =
    '"conf" is a link or file here, and stays: keep this path, or put a folder in the place of "conf"';
  const paths = ["conf/deep/one.txt", "conf/four.txt"];
  for (const choice of [{}, { overwrite: paths }]) {
    const refused = await sync(scene, next, choice);
    assert.deepEqual([refused.status, refused.body.code], [409, "source_conflict"]);
    assert.deepEqual(refused.body.errors, paths.map((path) => ({ path, message: why })));
  }
  assert.equal(await Deno.readTextFile(`${scene.path}/three.txt`), "1");

  const kept = await sync(scene, next, { keep: paths });

  assert.deepEqual([kept.status, kept.body.state], [200, "synced"], kept.text);
  assert.equal(await Deno.readTextFile(`${scene.path}/three.txt`), "2");
  assert.equal(await Deno.readLink(`${scene.path}/conf`), outside);
  assert.deepEqual([...Deno.readDirSync(outside)].map(({ name }) => name).sort(), ["deep", "two.txt"]);
  assert.equal(await Deno.readTextFile(`${outside}/deep/one.txt`), "1");
});

test("a file that becomes a folder is kept or overwritten together with what the folder holds", async () => {
  await using scene = await SourceScene.with({ conf: "1" });
  const { head } = await scene.follow();
  assert.equal((await sync(scene, head!)).status, 200);
  await scene.repository.push({ conf: null });
  const last = await scene.repository.push({ "conf/one.txt": "2" });
  await scene.check();
  const half = await sync(scene, last, { keep: ["conf"] });
  assert.deepEqual([half.status, half.body.errors.map(({ path }: Answer["body"]) => path)], [
    409,
    ["conf/one.txt"],
  ]);
  assert.equal((await scene.source()).state, "behind", "nothing was begun");
  await Deno.writeTextFile(`${scene.path}/conf`, "an edit");
  assert.equal((await sync(scene, last)).status, 409);
  const both = await sync(scene, last, { overwrite: ["conf", "conf/one.txt"] });
  assert.deepEqual([both.status, await scene.files()], [200, { "conf/one.txt": "2" }], both.text);
});

for (const how of ["PUT", "DELETE"] as const) {
  test(`a ${how} of the source waits for a sync that has begun, and takes nothing away from it`, async () => {
    await using scene = await SourceScene.with({ "a.txt": "text" });
    const { head } = await scene.follow();
    await scene.repository.git("push", "--quiet", "origin", "HEAD:other");
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    for (const { registry } of scene.berth.replicas) {
      const exclusively = registry.exclusively.bind(registry);
      registry.exclusively = async (id, work) => {
        begun.resolve();
        await held.promise;
        return await exclusively(id, work);
      };
    }
    const syncing = sync(scene, head!);
    await begun.promise;
    const changing = how === "PUT"
      ? scene.set({ branch: "other" })
      : scene.berth.call(`DELETE /api/workspaces/${scene.id}/source`);
    await Promise.race([changing, pause(1_000)]);
    held.resolve();
    const [synced, changed] = await Promise.all([syncing, changing]);

    assert.equal(changed.status, how === "PUT" ? 200 : 204, changed.text);
    // Whoever synced a source that is gone when it is shown is told that.
    assert.ok(synced.status === 200 || how === "DELETE" && synced.status === 404, synced.text);
    assert.deepEqual(await scene.files(), { "a.txt": "text" });
    if (how === "PUT") assert.equal((await scene.source()).synced, null, "of the other branch");
  });
}
