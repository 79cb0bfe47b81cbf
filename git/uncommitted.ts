/** Files of the folder that differ from the synced commit, and those of projects that are in no commit yet. */
import { type PathState, stateOf } from "./folder_state.ts";
import type { Tree, TreeEntry } from "./tree.ts";

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
    for (const entry of synced.entries.values()) {
      const change = await this.#changeOf(entry, seen);
      if (change !== null) found.push({ path: entry.path, change });
    }
    this.#seen = seen;
    for (const { path, kind } of files) {
      if (DECLARING.has(kind) && !synced.entries.has(path)) found.push({ path, change: "added" });
    }
    return found.sort((one, other) => one.path < other.path ? -1 : 1).slice(0, MOST_UNCOMMITTED);
  }

  async #changeOf(entry: TreeEntry, seen: Map<string, Seen>): Promise<Uncommitted["change"] | null> {
    const { path, kind, id, size } = entry;
    const info = await Deno.lstat(`${this.#root}/${path}`).catch(() => null);
    if (info === null) return "deleted";
    if (kind === "file" && (!info.isFile || info.size !== size)) return "changed";
    const stamp = `${info.ino} ${info.size} ${info.mtime?.getTime()} ${info.ctime?.getTime()} ${id}`;
    const known = this.#seen.get(path);
    const state = known?.stamp === stamp ? known.state : await stateOf(this.#root, path, id);
    seen.set(path, { stamp, state });
    return state.kind === kind && state.id === id ? null : "changed";
  }
}
