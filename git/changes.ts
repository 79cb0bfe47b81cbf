/** The paths in which two commits differ, and what a sync does with each: the table of docs/git.md. */
import { folderOf } from "../artifacts/files/paths.ts";
import { eachOf } from "../artifacts/reading/each_of.ts";
import { type PathState, statesIn } from "./folder_state.ts";
import { byFolder, MOST_TOGETHER } from "./folders.ts";
import type { Tree, TreeEntry } from "./tree.ts";

/** A path that two commits have differently. */
export interface Change {
  readonly path: string;
  /** Null where the commit before has nothing, or is not known. */
  readonly from: TreeEntry | null;
  /** Null where the new commit has nothing. */
  readonly to: TreeEntry | null;
}

export interface Decision extends Change {
  readonly now: PathState;
  readonly act: "nothing" | "write" | "delete" | "conflict";
  /** Only of conflicts. */
  readonly why?: string;
  /** The file or link that is where a folder of the path belongs: it must go before the path can be written. */
  readonly behind?: string;
}

/** Returns what differs, by path. Owner and mode do not count. Without a commit before nothing is deleted. */
export function changesBetween(from: Tree | null, to: Tree): Change[] {
  const changes: Change[] = [];
  for (const [path, entry] of to.entries) {
    const before = from?.entries.get(path) ?? null;
    if (before === null || !isEqual(before, entry)) changes.push({ path, from: before, to: entry });
  }
  for (const [path, entry] of from?.entries ?? []) {
    if (!to.entries.has(path)) changes.push({ path, from: entry, to: null });
  }
  return changes.sort((one, other) => one.path < other.path ? -1 : 1);
}

const isEqual = (one: TreeEntry, other: TreeEntry) => one.id === other.id && one.kind === other.kind;

const says = (entry: TreeEntry | null, now: PathState): boolean =>
  entry !== null && now.kind === entry.kind && now.id === entry.id;

/** Paths that containers have mounted, seen or declared, below the root. */
export type MountedPaths = ReadonlySet<string>;

/** Looks at every path of the changes, and decides. */
export async function decide(
  root: string,
  changes: readonly Change[],
  mounted: MountedPaths,
): Promise<Decision[]> {
  const states = new Map<string, PathState>();
  const looks = changes.map(({ path, from, to }) => ({ path, like: (to ?? from)!.id })); // one of them is there
  await eachOf(
    byFolder(looks, MOST_TOGETHER),
    ({ folder, items }) => statesIn(root, folder, items, (path, state) => states.set(path, state)),
  );
  const decided = changes.map((change) => judged(change, states.get(change.path)!)); // all were looked at
  return await withFolders(root, decided, mounted);
}

function judged(change: Change, now: PathState): Decision {
  const { from, to } = change;
  if (to !== null) {
    if (says(to, now)) return { ...change, now, act: "nothing" };
    if (now.kind === "absent" || says(from, now)) return { ...change, now, act: "write" };
    // A folder gives way only if it will be empty by then.
    if (now.kind === "folder") return { ...change, now, act: "write" };
    return conflict(change, now, whyNot(now, from));
  }
  if (now.kind === "absent") return { ...change, now, act: "nothing" };
  return says(from, now)
    ? { ...change, now, act: "delete" }
    : conflict(change, now, now.kind === "folder" ? "a folder is in its place" : whyNot(now, from));
}

const conflict = (change: Change, now: PathState, why: string): Decision => ({
  ...change,
  now,
  act: "conflict",
  why,
});

function whyNot(now: PathState, from: TreeEntry | null): string {
  if (now.kind === "other") return now.why;
  return from === null ? "a file that is not Git's has its name" : "it was changed here";
}

/** Returns the reason why nothing is written below a file or link. */
export const notBehind = (behind: string): string =>
  `"${behind}" is a link or file here, and stays: keep this path, or put a folder in the place of "${behind}"`;

/** Refuses what would take a folder or a file that something else needs. */
async function withFolders(
  root: string,
  decided: readonly Decision[],
  mounted: MountedPaths,
): Promise<Decision[]> {
  const goes = new Set(decided.filter(({ act }) => act === "delete").map(({ path }) => path));
  const folders = new FoldersOnDisk(root, goes);
  const needed = new Set<string>();
  for (const { path, to } of decided) {
    for (let at = folderOf(path); to !== null && at !== ""; at = folderOf(at)) needed.add(at);
  }
  const result: Decision[] = [];
  for (const one of decided) {
    const { path, now, act, to } = one;
    const isTurned = to === null && now.kind === "folder" && needed.has(path);
    if (isTurned) {
      result.push({ ...one, act: "nothing" }); // the new commit has a folder there, too
      continue;
    }
    const turns = (act === "write" && now.kind === "folder") || (act === "delete" && needed.has(path));
    if (turns && mounted.has(path)) {
      result.push(conflict(one, now, "a container has it mounted, and it would turn into something else"));
    } else if (act === "write" && now.kind === "folder" && !await folders.wouldBeEmpty(path, mounted)) {
      result.push(conflict(one, now, "a folder is in its place"));
    } else if (act === "write" && now.kind === "absent") {
      const behind = await folders.inTheWayOf(path);
      if (behind === null) result.push(one);
      else if (goes.has(behind)) result.push({ ...one, behind });
      else result.push({ ...conflict(one, now, notBehind(behind)), behind });
    } else result.push(one);
  }
  return result;
}

/** Entries that are looked at below one folder. */
const MOST_ENTRIES = 20_000;

class FoldersOnDisk {
  readonly #kinds = new Map<string, "folder" | "absent" | "other">();
  #looked = 0;

  constructor(readonly root: string, readonly goes: ReadonlySet<string>) {}

  /** True if nothing but deleted files is in it, and nothing in it is mounted. */
  async wouldBeEmpty(folder: string, mounted: MountedPaths): Promise<boolean> {
    for await (const { name, isDirectory } of Deno.readDir(`${this.root}/${folder}`)) {
      const path = `${folder}/${name}`;
      if (++this.#looked > MOST_ENTRIES || mounted.has(path)) return false;
      if (isDirectory ? !await this.wouldBeEmpty(path, mounted) : !this.goes.has(path)) return false;
    }
    return true;
  }

  /** Returns the part of a path that is there and is no folder. */
  async inTheWayOf(path: string): Promise<string | null> {
    const parts = path.split("/").slice(0, -1);
    for (let length = 1; length <= parts.length; length++) {
      const folder = parts.slice(0, length).join("/");
      const kind = await this.#kindOf(folder);
      if (kind === "absent") return null;
      if (kind === "other") return folder;
    }
    return null;
  }

  async #kindOf(path: string): Promise<"folder" | "absent" | "other"> {
    let kind = this.#kinds.get(path);
    if (kind === undefined) {
      try {
        kind = (await Deno.lstat(`${this.root}/${path}`)).isDirectory ? "folder" : "other";
      } catch {
        kind = "absent";
      }
      this.#kinds.set(path, kind);
    }
    return kind;
  }
}
