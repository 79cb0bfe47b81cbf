/** Random commits, folders, edits and crashes, and the laws that hold for every one of them. */
import assert from "node:assert/strict";
import { changesBetween, decide } from "../../git/changes.ts";
import { chosen } from "../../git/choices.ts";
import { blobId, bytesAt } from "../../git/folder_state.ts";
import { discardStaged, Writer } from "../../git/writer.ts";
import type { Tree, TreeEntry } from "../../git/tree.ts";
import type { Syncing } from "../../core/source.ts";
import { ServiceError } from "../../core/error.ts";

/** A file by its text; a link by its target behind "->". */
type Files = Map<string, string>;

const NAMES = ["a", "b", "c", "d"];
const LIKE = "0".repeat(40);
const bytes = (text: string) => new TextEncoder().encode(text);
const contentOf = (said: string) => bytes(said.startsWith("->") ? said.slice(2) : said);

/** A small generator with a seed, so that a case can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

export interface Outcome {
  readonly crashed: boolean;
  readonly refused: boolean;
  readonly inPlace: number;
}

export class RandomCase {
  readonly #random: (below: number) => number;
  readonly #root: string;

  constructor(readonly seed: number, root: string) {
    this.#random = randomOf(seed);
    this.#root = root;
  }

  /** Plays one case in an empty folder. Throws where a law is broken. */
  async play(): Promise<Outcome> {
    const before = this.#tree(new Map());
    const after = this.#tree(before);
    const isFirst = this.#random(6) === 0;
    await this.#write(isFirst ? new Map() : before);
    await this.#disturb(after);
    const initial = await this.#look();
    const mounted = new Set([...initial.keys(), ...folders(initial)].filter(() => this.#random(4) === 0));
    const inodes = await this.#inodes(initial);
    const from = isFirst ? null : treeOf(before);
    const choices = this.#choices(initial, before, after);
    const result = await this.#sync(from, treeOf(after), mounted, choices);
    const now = await this.#look();
    const told = JSON.stringify({
      seed: this.seed,
      before: [...before],
      after: [...after],
      initial: [...initial],
    });
    if (result.refused) {
      assert.deepEqual([...now].sort(), [...initial].sort(), `a refused sync changes nothing ${told}`);
      return { ...result, inPlace: 0 };
    }
    const kept = new Set(choices.keep);
    const overwritten = new Set(choices.overwrite);
    // What both commits say alike is nobody's business in this sync.
    const differs = (path: string) => isFirst || before.get(path) !== after.get(path);
    const known = new Set([...after.keys(), ...isFirst ? [] : before.keys()].filter(differs));
    for (const [path, text] of initial) {
      if (!known.has(path)) assert.equal(now.get(path), text, `"${path}" is not Git's ${told}`);
      const isGits = text === after.get(path) || (!isFirst && text === before.get(path));
      if (known.has(path) && !isGits && !overwritten.has(path)) {
        assert.equal(now.get(path), text, `the edit of "${path}" is not lost ${told}`);
      }
    }
    for (const path of now.keys()) {
      assert.ok(known.has(path) || initial.has(path), `"${path}" came from nowhere ${told}`);
    }
    for (const [path, text] of after) {
      if (known.has(path) && !kept.has(path)) {
        assert.equal(now.get(path), text, `"${path}" is the new commit's ${told}`);
      }
    }
    for (const path of known) {
      if (!after.has(path) && !kept.has(path)) assert.ok(!now.has(path), `"${path}" is gone ${told}`);
    }
    let inPlace = 0;
    for (const [path, inode] of inodes) {
      if (!mounted.has(path) || !isFile(initial.get(path)) || !isFile(after.get(path)) || kept.has(path)) {
        continue;
      }
      assert.equal(
        (await Deno.lstat(`${this.#root}/${path}`)).ino,
        inode,
        `"${path}" keeps its inode ${told}`,
      );
      inPlace++;
    }
    for (const folder of mounted) {
      if (initial.has(folder)) continue;
      assert.ok(
        (await Deno.lstat(`${this.#root}/${folder}`)).isDirectory,
        `the mounted "${folder}" stays ${told}`,
      );
    }
    return { ...result, inPlace };
  }

  /** Syncs, is killed at a random act now and then, and goes on as the service does. */
  async #sync(
    from: Tree | null,
    to: Tree,
    mounted: ReadonlySet<string>,
    choices: { readonly keep: string[]; readonly overwrite: string[] },
  ): Promise<{ crashed: boolean; refused: boolean }> {
    const byId = new Map<string, Uint8Array>();
    for (const tree of [from, to]) {
      for (const entry of tree?.entries.values() ?? []) byId.set(entry.id, contentsOf.get(entry)!);
    }
    const contents = (ids: readonly string[]) =>
      Promise.resolve(new Map(ids.map((id) => [id, byId.get(id)!] as const)));
    const root = this.#root;
    let syncing = null as Syncing | null;
    let crashes = this.#random(3);
    let crashed = false;
    for (;;) {
      const begun = { syncing, bytesAt: (path: string) => bytesAt(root, path), contents };
      const changes = changesBetween(from, to);
      if (crashed) await discardStaged(root, changes.map(({ path }) => path));
      const found = await decide(root, changes, mounted);
      let decisions;
      try {
        const { decisions: all, overwritten } = await chosen(found, syncing === null ? choices : NONE, begun);
        decisions = all;
        const inPlace = all.filter(({ act, path, now, to }) =>
          act === "write" && mounted.has(path) && now.kind === "file" && to?.kind === "file"
        ).map(({ path }) => path);
        syncing = {
          from: "a",
          to: "b",
          inPlace: [...inPlace, ...syncing?.inPlace ?? []],
          keep: choices.keep,
          overwrite: { ...syncing?.overwrite, ...overwritten },
        };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        assert.ok(
          !crashed,
          `a sync that was interrupted can be finished (seed ${this.seed}, ${[
            ...(from?.entries.keys() ?? []),
          ]} -> ${[...to.entries.keys()]}, mounted ${[...mounted]}): ${JSON.stringify(error.errors)}`,
        );
        return { crashed, refused: true };
      }
      // One path at a time leaves more places at which it can be killed.
      const together = 1 + this.#random(2);
      const options = { root, mounted, contents, chunk: 2, together };
      const writer = new Writer(options, decisions, new Set(syncing.inPlace));
      await writer.stage(() => {});
      let left = crashes > 0 ? this.#random(8) : Infinity;
      let isKilled = false;
      for await (const _ of writer.act()) {
        if (left-- > 0) continue;
        isKilled = true;
        break;
      }
      if (!isKilled) return { crashed, refused: false };
      crashes--;
      crashed = true;
    }
  }

  /** A tree that shares some with another. */
  #tree(like: Files): Files {
    const files: Files = new Map();
    for (const [path, text] of like) {
      const what = this.#random(5);
      if (what === 0) continue;
      this.#put(files, path, what === 1 ? this.#text() : text);
    }
    for (let more = this.#random(6); more > 0; more--) this.#put(files, this.#path(), this.#text());
    return files;
  }

  /** Adds a file where no other is in the way. */
  #put(files: Files, path: string, text: string): void {
    for (const other of files.keys()) {
      if (other !== path && (other.startsWith(`${path}/`) || path.startsWith(`${other}/`))) return;
    }
    files.set(path, text);
  }

  #path(): string {
    return Array.from({ length: 1 + this.#random(3) }, () => NAMES[this.#random(NAMES.length)]).join("/");
  }

  #text(): string {
    const what = this.#random(8);
    return what === 0 ? `->${NAMES[this.#random(4)]}` : `${this.#random(9)}`.repeat(this.#random(12));
  }

  /** Edits, deletes and adds, as people and containers do. */
  async #disturb(after: Files): Promise<void> {
    for (let more = this.#random(4); more > 0; more--) {
      const known = [...after.keys()];
      const path = this.#random(2) === 0 && known.length > 0
        ? known[this.#random(known.length)]!
        : this.#path();
      const full = `${this.#root}/${path}`;
      try {
        const what = this.#random(6);
        if (what === 0 || what === 5) await Deno.remove(full, { recursive: true });
        if (what === 5) await Deno.symlink(NAMES[this.#random(4)]!, full);
        else if (what === 0) continue;
        else if (what === 1) await Deno.mkdir(full, { recursive: true });
        else {
          await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
          const info = await Deno.lstat(full).catch(() => null);
          if (info?.isSymlink !== true) await Deno.writeTextFile(full, `x${this.#random(3)}`);
        }
      } catch {
        // Something else is there.
      }
    }
  }

  #choices(initial: Files, before: Files, after: Files): { keep: string[]; overwrite: string[] } {
    const choices = { keep: [] as string[], overwrite: [] as string[] };
    if (this.#random(2) === 0) return choices;
    for (const [path, text] of initial) {
      if (text === before.get(path) || text === after.get(path) || !(before.has(path) || after.has(path))) {
        continue;
      }
      choices[this.#random(2) === 0 ? "keep" : "overwrite"].push(path);
    }
    return choices;
  }

  async #write(files: Files): Promise<void> {
    for (const [path, text] of files) {
      const full = `${this.#root}/${path}`;
      await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
      if (text.startsWith("->")) await Deno.symlink(text.slice(2), full);
      else await Deno.writeTextFile(full, text);
    }
  }

  /** Every file and link of the folder. */
  async #look(): Promise<Files> {
    const files: Files = new Map();
    const queue = [""];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for await (const { name, isDirectory, isSymlink } of Deno.readDir(`${this.#root}/${at}`)) {
        const path = at === "" ? name : `${at}/${name}`;
        const full = `${this.#root}/${path}`;
        if (isDirectory) queue.push(path);
        else files.set(path, isSymlink ? `->${await Deno.readLink(full)}` : await Deno.readTextFile(full));
      }
    }
    return files;
  }

  async #inodes(files: Files): Promise<Map<string, number | null>> {
    const found = new Map<string, number | null>();
    for (const path of files.keys()) found.set(path, (await Deno.lstat(`${this.#root}/${path}`)).ino);
    return found;
  }
}

const NONE = { keep: [], overwrite: [] };
const contentsOf = new WeakMap<TreeEntry, Uint8Array>();
const isFile = (text: string | undefined) => text !== undefined && !text.startsWith("->");

function treeOf(files: Files): Tree {
  const entries = new Map([...files].map(([path, text]) => {
    const content = contentOf(text);
    const kind = text.startsWith("->") ? "link" as const : "file" as const;
    const id = blobId(content, LIKE);
    const entry: TreeEntry = { path, kind, executable: false, id, size: content.length };
    contentsOf.set(entry, content);
    return [path, entry] as const;
  }));
  return { entries, skipped: [] };
}

/** The folders on the way to files. */
function folders(files: Files): string[] {
  const found = new Set<string>();
  for (const path of files.keys()) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      found.add(path.slice(0, at));
    }
  }
  return [...found];
}

/** Plays cases one after the other. */
export async function playCases(first: number, amount: number) {
  const counts = { cases: 0, crashed: 0, refused: 0, inPlace: 0 };
  for (let seed = first; seed < first + amount; seed++) {
    const root = await Deno.realPath(await Deno.makeTempDir({ dir: "/dev/shm", prefix: "berth-trees-" }));
    try {
      const { crashed, refused, inPlace } = await new RandomCase(seed, root).play();
      counts.cases++;
      counts.inPlace += inPlace;
      if (crashed) counts.crashed++;
      if (refused) counts.refused++;
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  }
  return counts;
}
