/** Writes a commit into the folder: contents first beside their targets, then file by file, and through no link. */
import { ownFileName } from "../core/own_files.ts";
import { constants } from "node:fs";
import { open, rmdir } from "node:fs/promises";
import { type Folder, openFolder } from "../artifacts/files/folder.ts";
import { baseName, folderOf, join } from "../artifacts/files/paths.ts";
import { sha256 } from "../artifacts/files/sha256.ts";
import { eachOf } from "../artifacts/reading/each_of.ts";
import { heldFolder, makeFolders, modeOf } from "./folders.ts";
import { InPlace } from "./in_place.ts";
import { removeIfThere, writeNew } from "../artifacts/files/writing.ts";
import type { Decision, MountedPaths } from "./changes.ts";
import { stateOf } from "./folder_state.ts";
import { SourceFailure } from "./failure.ts";
import { type Lease, LostLease } from "./lease.ts";
import type { TreeEntry } from "./tree.ts";

interface WriterOptions {
  readonly root: string;
  readonly mounted: MountedPaths;
  /** Returns contents by their ids. */
  readonly contents: (ids: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
  /** Bytes that are written in place at once. */
  readonly chunk?: number;
}

/** Contents that are in memory at once, in bytes. */
const MOST_AT_ONCE = 32 * 1024 * 1024;

/** A file whose new content is on disk under another name. */
interface Staged {
  readonly decision: Decision;
  readonly entry: TreeEntry;
  /** The folder of the other name, below the root. */
  readonly folder: string;
}

/** The name of a path's new content. A fixed one, so that what a crash left behind is found. */
const stagedName = (path: string) => ownFileName(`git-${sha256(path).slice(0, 16)}`);

export class Writer {
  readonly #options: WriterOptions;
  readonly #decisions: readonly Decision[];
  readonly #renamed: readonly Decision[];
  readonly #gone: readonly string[];
  readonly #staged: Staged[] = [];
  /** The nearest folder that is there, by the folder of a path. */
  readonly #nearest = new Map<string, string>();
  /** Folders in which names were exchanged. */
  readonly #exchanged = new Set<string>();
  #at: string | null = null;
  readonly #inPlace: InPlace;

  /** `decisions` hold no conflict. */
  constructor(options: WriterOptions, decisions: readonly Decision[], inPlace: ReadonlySet<string>) {
    this.#options = options;
    this.#decisions = decisions.filter(({ act }) => act !== "nothing");
    this.#gone = decisions.filter(({ to }) => to === null).map(({ path }) => path);
    const isInPlace = ({ path, act, now, to }: Decision) =>
      act === "write" && inPlace.has(path) && now.kind === "file" && to?.kind === "file";
    this.#inPlace = new InPlace(options, this.#decisions.filter(isInPlace));
    this.#renamed = this.#decisions.filter((one) => one.act === "write" && !isInPlace(one));
  }

  /** The path that was last worked on; null before the first. */
  get at(): string | null {
    return this.#at;
  }

  /** Writes what is new beside its targets. What fails leaves nothing behind; after `LostLease` it may be another's. */
  async stage(mustHold: Lease["mustHold"]): Promise<void> {
    try {
      await this.#mustBeDeletable();
      for (const some of portions(this.#renamed)) {
        const contents = await this.#options.contents(some.map(({ to }) => to!.id)); // they are written
        const failures: unknown[] = [];
        await eachOf(some, async (decision) => {
          if (failures.length > 0) return;
          try {
            mustHold();
            await this.#stageOne(decision, contents.get(decision.to!.id)!);
          } catch (error) {
            if (failures.push(error) === 1) this.#at = decision.path;
          }
        });
        if (failures.length > 0) throw failures[0];
      }
      this.#staged.sort((one, other) => one.entry.path < other.entry.path ? -1 : 1);
      mustHold();
    } catch (error) {
      if (!(error instanceof LostLease)) await this.discard();
      throw error;
    }
  }

  /** Removes what was staged. */
  async discard(): Promise<void> {
    await discardStaged(this.#options.root, this.#renamed.map(({ path }) => path));
  }

  /**
   * Brings the folder to the commit, one act at a time: whoever stops in between finds every path as one of the two
   * commits has it. Throws `SourceFailure` where something was changed meanwhile.
   */
  async *act(): AsyncGenerator<void> {
    yield* this.#inPlace.write();
    for (const decision of this.#decisions) {
      if (decision.act !== "delete") continue;
      await this.#delete(decision);
      yield;
    }
    await this.#removeEmptied();
    for (const staged of this.#staged) {
      await this.#rename(staged);
      yield;
    }
    for (const path of this.#exchanged) {
      using folder = await heldFolder(this.#options.root, path);
      await syncFolder(folder);
    }
  }

  async #stageOne(decision: Decision, content: Uint8Array): Promise<void> {
    const { root } = this.#options;
    const { path, to, from, now } = decision;
    const own = folderOf(path);
    const folder = this.#nearest.get(own) ?? await nearestFolder(root, own);
    this.#nearest.set(own, folder);
    using held = await heldFolder(root, folder);
    const at = held.at(stagedName(path));
    await removeIfThere(at);
    if (to!.kind === "link") await Deno.symlink(new TextDecoder().decode(content), at);
    else {
      const before = now.kind === "file" ? await infoBehind(root, path) : null;
      const like = before ?? await Deno.stat(`${held.at("")}/.`);
      const mode = modeOf(before?.mode ?? ((like.mode ?? 0o755) & 0o666), from, to!);
      await writeNew(at, content, { uid: like.uid, gid: like.gid, mode });
    }
    this.#staged.push({ decision, entry: to!, folder });
  }

  /** Throws before anything happens where a folder does not let its files be deleted. */
  async #mustBeDeletable(): Promise<void> {
    const folders = new Set(
      this.#decisions.filter(({ act }) => act === "delete").map(({ path }) => folderOf(path)),
    );
    for (const folder of folders) {
      this.#at = folder;
      using held = await heldFolder(this.#options.root, folder);
      const probe = held.at(stagedName(`${folder}/`));
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
      await (await open(probe, flags, 0o600)).close();
      await Deno.remove(probe);
    }
  }

  async #delete(decision: Decision): Promise<void> {
    const { root } = this.#options;
    this.#at = decision.path;
    using held = await heldFolder(root, folderOf(decision.path));
    await mustBeAsDecided(root, decision);
    await Deno.remove(held.at(baseName(decision.path)));
  }

  /** Removes the empty folders above paths that are gone, also after a crash; those that are mounted stay. */
  async #removeEmptied(): Promise<void> {
    const { root, mounted } = this.#options;
    const folders = new Set<string>();
    for (const path of this.#gone) {
      for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) folders.add(folder);
    }
    for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
      if (mounted.has(folder)) continue;
      await this.#removeEmptyFolder(folder, root);
    }
  }

  async #removeEmptyFolder(folder: string, root: string): Promise<void> {
    try {
      using held = await heldFolder(root, folderOf(folder));
      const at = held.at(baseName(folder));
      if ((await Deno.lstat(at)).isDirectory) await rmdir(at);
    } catch {
      // It is not empty, not there, or not ours to remove: it stays.
    }
  }

  async #rename({ decision, folder }: Staged): Promise<void> {
    const { root } = this.#options;
    const { path, now } = decision;
    this.#at = path;
    using from = await heldFolder(root, folder);
    if (now.kind === "folder") await this.#removeEmptyTree(path);
    const own = folderOf(path);
    if (!this.#exchanged.has(own)) await makeFolders(root, own);
    this.#exchanged.add(own);
    using to = await heldFolder(root, own);
    await mustBeAsDecided(root, decision);
    const target = to.at(baseName(path));
    // A new name never takes the place of something that came meanwhile.
    if (now.kind === "file" || now.kind === "link") await Deno.rename(from.at(stagedName(path)), target);
    else await moveToFree(from.at(stagedName(path)), target);
  }

  /** Removes a folder in which there are empty folders alone. */
  async #removeEmptyTree(folder: string): Promise<void> {
    const { root } = this.#options;
    const names: string[] = [];
    if ((await Deno.lstat(join(root, folder)).catch(() => null))?.isDirectory !== true) return;
    {
      using held = await openFolder(root, join(root, folder));
      if (held === null) return;
      for await (const { name, isDirectory } of Deno.readDir(held.at(""))) if (isDirectory) names.push(name);
    }
    for (const name of names) await this.#removeEmptyTree(`${folder}/${name}`);
    await this.#removeEmptyFolder(folder, root);
  }
}

/** Removes the new contents that a sync had staged for these paths when it was interrupted. */
export async function discardStaged(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (let folder = folderOf(path);; folder = folderOf(folder)) {
      await removeStaged(root, folder, stagedName(path));
      if (folder === "") break;
    }
  }
}

async function removeStaged(root: string, folder: string, name: string): Promise<void> {
  try {
    using held = await heldFolder(root, folder);
    await removeIfThere(held.at(name));
  } catch {
    // No such folder: nothing was staged in it.
  }
}

/** Throws `SourceFailure` where the path is not what it was when its fate was decided. */
async function mustBeAsDecided(root: string, { path, now, to, from }: Decision): Promise<void> {
  const seen = await stateOf(root, path, (to ?? from)!.id); // one of them is there
  const isSame = now.kind === "folder"
    ? seen.kind === "absent"
    : seen.kind === now.kind && ("id" in seen ? seen.id : "") === ("id" in now ? now.id : "");
  if (!isSame) throw new SourceFailure(`"${path}" was changed while the commit was written`);
}

/** Moves a file or link to a name that must be free. */
async function moveToFree(from: string, to: string): Promise<void> {
  await Deno.link(from, to);
  await Deno.remove(from);
}

async function syncFolder(folder: Folder): Promise<void> {
  using entries = await Deno.open(`${folder.at("")}/.`);
  await entries.sync();
}

/** Returns the folder of the path that is there, or the nearest one above it; none behind a link. */
async function nearestFolder(root: string, path: string): Promise<string> {
  for (let folder = path; folder !== ""; folder = folderOf(folder)) {
    try {
      using held = await openFolder(root, join(root, folder));
      if (held !== null) return folder;
    } catch {
      // Its parent may be there.
    }
  }
  return "";
}

async function infoBehind(root: string, path: string): Promise<Deno.FileInfo> {
  using held = await heldFolder(root, folderOf(path));
  return await Deno.lstat(held.at(baseName(path)));
}

/** Cuts a list so that each portion fits into memory. */
function* portions(decisions: readonly Decision[]): Generator<Decision[]> {
  let some: Decision[] = [];
  let bytes = 0;
  for (const decision of decisions) {
    const { size } = decision.to!; // they are written
    if (some.length > 0 && bytes + size > MOST_AT_ONCE) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(decision);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
