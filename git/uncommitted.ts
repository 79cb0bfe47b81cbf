/** Files of the folder that differ from the synced commit, and those of projects that are in no commit yet. */
import { eachOf } from "../artifacts/reading/each_of.ts";
import { type PathState, statesIn } from "./folder_state.ts";
import { byFolder, MOST_TOGETHER } from "./folders.ts";
import type { Tree } from "./tree.ts";

export interface Uncommitted {
  readonly path: string;
  readonly change: "changed" | "deleted" | "added";
}

/** Kinds of files that berth reads as projects, and that hold no values of one machine. */
const DECLARING: ReadonlySet<string> = new Set(["compose", "native", "backstage", "settings"]);
/** Paths that are told. */
const MOST_UNCOMMITTED = 200;

interface Seen {
  readonly stamp: string;
  readonly state: PathState;
}

/** Looks at every file of a commit, and hashes only those whose size or time has changed since the last look. */
export class UncommittedFiles {
  readonly #root: string;
  #seen = new Map<string, Seen>();

  constructor(root: string) {
    this.#root = root;
  }

  /** `files` are those that berth has read. The first of them by path. */
  async list(
    synced: Tree,
    files: readonly { readonly path: string; readonly kind: string }[],
  ): Promise<Uncommitted[]> {
    const found: Uncommitted[] = [];
    const seen = new Map<string, Seen>();
    const unknown: { readonly path: string; readonly like: string; readonly stamp: string }[] = [];
    await eachOf([...synced.entries.values()], async (entry) => {
      const { path, id } = entry;
      const info = await Deno.lstat(`${this.#root}/${path}`).catch(() => null);
      if (info === null) found.push({ path, change: "deleted" });
      else if (entry.kind === "file" && (!info.isFile || info.size !== entry.size)) {
        found.push({ path, change: "changed" });
      } else {
        const stamp = `${info.ino} ${info.size} ${info.mtime?.getTime()} ${info.ctime?.getTime()} ${id}`;
        const known = this.#seen.get(path);
        if (known?.stamp === stamp) seen.set(path, known);
        else unknown.push({ path, like: id, stamp });
      }
    });
    const stamps = new Map(unknown.map(({ path, stamp }) => [path, stamp]));
    await eachOf(
      byFolder(unknown, MOST_TOGETHER),
      ({ folder, items }) =>
        statesIn(
          this.#root,
          folder,
          items,
          (path, state) => seen.set(path, { stamp: stamps.get(path)!, state }),
        ),
    ); // each has one
    for (const [path, { state }] of seen) {
      const { kind, id } = synced.entries.get(path)!; // all are of the commit
      if (state.kind !== kind || state.id !== id) found.push({ path, change: "changed" });
    }
    this.#seen = seen;
    for (const { path, kind } of files) {
      if (DECLARING.has(kind) && !synced.entries.has(path)) found.push({ path, change: "added" });
    }
    return found.sort((one, other) => one.path < other.path ? -1 : 1).slice(0, MOST_UNCOMMITTED);
  }
}
