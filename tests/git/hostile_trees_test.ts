/** Commits that no folder should hold: each fails the check, or its parts are listed as never written; the folder stays. */
import assert from "node:assert/strict";
import { git, hasGit } from "../support/git_server.ts";
import { SourceScene, web } from "./source_scene.ts";

const ignore = !hasGit();
if (ignore) console.warn("SKIPPED: tests of hostile trees, because git is not installed");

type Entry = readonly [mode: string, name: string | Uint8Array, id: string];
const bytes = (text: string) => new TextEncoder().encode(text);

/** Writes objects into a bare repository as they are, without git's own checks. */
class RawRepository {
  constructor(readonly bare: string) {}

  async object(kind: "blob" | "tree" | "commit", content: Uint8Array): Promise<string> {
    const child = new Deno.Command("git", {
      args: ["--git-dir", this.bare, "hash-object", "-t", kind, "-w", "--stdin", "--literally"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(content);
    await writer.close();
    return new TextDecoder().decode((await child.output()).stdout).trim();
  }

  async tree(entries: readonly Entry[]): Promise<string> {
    const parts = entries.flatMap(([mode, name, id]) => [
      ...bytes(`${mode} `),
      ...(typeof name === "string" ? bytes(name) : name),
      0,
      ...Uint8Array.fromHex(id),
    ]);
    return await this.object("tree", new Uint8Array(parts));
  }

  /** Makes the tree the newest of the branch. */
  async publish(tree: string): Promise<void> {
    const who = "Ada <ada@example.org> 1700000000 +0000";
    const commit = await this.object(
      "commit",
      bytes(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nhostile\n`),
    );
    await git(this.bare, "update-ref", "refs/heads/main", commit);
  }
}

/** A name, and how its tree is made of a file and an inner tree. */
type Hostile = readonly [
  name: string,
  make: (raw: RawRepository, file: string, inner: string) => Promise<string>,
];

const named = (name: string, shown: string | Uint8Array): Hostile => [
  name,
  (raw, file) => raw.tree([["100644", shown, file]]),
];
const folderNamed = (name: string, shown: string): Hostile => [
  name,
  (raw, _, inner) => raw.tree([["40000", shown, inner]]),
];

const REFUSED: readonly Hostile[] = [
  named("a file called ..", ".."),
  named("a file called .", "."),
  folderNamed("a folder called ..", ".."),
  folderNamed("a folder called .git", ".git"),
  folderNamed("a folder called .GIT", ".GIT"),
  folderNamed("a folder called .Git", ".Git"),
  folderNamed("a folder called git~1", "git~1"),
  folderNamed("a folder called .git with an ignored character", ".g\u200cit"),
  folderNamed("a folder called .git with a space behind it", ".git "),
  named("a name with a slash", "a/b"),
  named("a name that leads up", "../a"),
  named("an absolute name", "/etc/passwd"),
  named("an empty name", ""),
  named("a name with a line end", "a\nb"),
  named("a name with an escape", "a\u001b[31m"),
  named("a name that is not UTF-8", new Uint8Array([0x61, 0xff])),
  named("a name of 300 bytes", "a".repeat(300)),
  ["a device", (raw, file) => raw.tree([["020666", "a", file]])],
  ["one name twice", (raw, file) => raw.tree([["100644", "a", file], ["100644", "a", file]])],
  [
    "a file and a folder of one name",
    (raw, file, inner) => raw.tree([["100644", "a", file], ["40000", "a", inner]]),
  ],
  ["a tree without its order", (raw, file) => raw.tree([["100644", "b", file], ["100644", "a", file]])],
  ["a hundred levels", async (raw, _, inner) => {
    let tree = inner;
    for (let level = 0; level < 100; level++) tree = await raw.tree([["40000", "d", tree]]);
    return tree;
  }],
  ["a billion files", async (raw, file) => {
    const many = (id: string, mode: string) =>
      raw.tree(Array.from({ length: 32 }, (_, at): Entry => [mode, `f${String(at).padStart(2, "0")}`, id]));
    let tree = await many(file, "100644");
    for (let level = 0; level < 5; level++) tree = await many(tree, "40000");
    return tree;
  }],
  [".gitmodules as a link", async (raw) => {
    return await raw.tree([["120000", ".gitmodules", await raw.object("blob", bytes("/etc/passwd"))]]);
  }],
];

/** A few of them, and all in the proof. */
const PLAYED = Deno.env.get("BERTH_TEST_HOSTILE") === "all"
  ? REFUSED
  : REFUSED.filter((_, at) => at % 5 === 0);

Deno.test({
  name: "trees that no folder should hold fail the check with a reason, and neither head nor folder change",
  ignore,
  async fn(context) {
    await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") }, {
      here: { "blog/.env": "A=1" },
    });
    const { head } = await scene.follow();
    const raw = new RawRepository(scene.repository.bare);
    const file = await raw.object("blob", bytes("text"));
    const inner = await raw.tree([["100644", "config", file]]);
    for (const [name, make] of PLAYED) {
      await context.step(name, async () => {
        await raw.publish(await make(raw, file, inner));
        const source = await scene.check();
        assert.equal(source.state, "failed");
        assert.doesNotMatch(source.error ?? "", /index-pack/, "the reason is told, not who noticed");
        assert.ok((source.error ?? "").length > 5 && !/[\n\u001b]/.test(source.error!), source.error ?? "");
        assert.equal(source.head, head);
        assert.deepEqual(await scene.files(), { "blog/.env": "A=1" });
      });
    }
  },
});

Deno.test({
  name: "links that lead out of the folder and submodules are listed and never written, and links inside are",
  ignore,
  async fn() {
    await using scene = await SourceScene.with({ "real.txt": "text" });
    const raw = new RawRepository(scene.repository.bare);
    const target = (to: string) => raw.object("blob", bytes(to));
    const file = await raw.object("blob", bytes("text"));
    await raw.publish(
      await raw.tree([
        ["120000", "absolute", await target("/etc/passwd")],
        ["120000", "here", await target(".")],
        ["120000", "inside", await target("real.txt")],
        ["160000", "module", "1".repeat(40)],
        ["100644", "real.txt", file],
        ["120000", "round", await target("here/../secret")], // through "here" it is above the folder
        ["104755", "setuid", file],
        ["120000", "up", await target("../../secret")],
      ]),
    );
    const source = await scene.follow();
    assert.equal(source.error, null);
    assert.deepEqual(source.pending?.skipped.map(({ path }) => path).sort(), [
      "absolute",
      "module",
      "round",
      "up",
    ]);
    const done = await scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, {
      commit: source.head,
    });
    assert.equal(done.status, 200, done.text);
    const names = [...Deno.readDirSync(scene.path)].map(({ name }) => name).sort();
    assert.deepEqual(names, ["here", "inside", "real.txt", "setuid"]);
    assert.equal(
      (await Deno.stat(`${scene.path}/setuid`)).mode! & 0o6000,
      0,
      "no right of its owner is lent",
    );
    assert.equal(await Deno.readLink(`${scene.path}/inside`), "real.txt");
  },
});
