/** Writes a commit into the folder: contents first beside their targets, then file by file, and through no link. */
import { ownFileName } from "../core/own_files.ts";
import { constants } from "node:fs";
import { open, rmdir } from "node:fs/promises";
import { type Folder, openFolder } from "../artifacts/files/folder.ts";
import { baseName, folderOf, join } from "../artifacts/files/paths.ts";
import { sha256 } from "../artifacts/files/sha256.ts";
import { eachUntilFailure } from "../artifacts/reading/each_of.ts";
import { byFolder, heldFolder, makeFolders, modeOf, MOST_TOGETHER } from "./folders.ts";
import { InPlace } from "./in_place.ts";
import { codeOf, removeIfThere, writeNew } from "../artifacts/files/writing.ts";
import type { Decision, MountedPaths } from "./changes.ts";
import { stateIn } from "./folder_state.ts";
import { SourceFailure } from "./failure.ts";
import { type Lease, LostLease } from "./lease.ts";

interface WriterOptions {
  readonly root: string;
  readonly mounted: MountedPaths;
  /** Returns contents by their ids. */
  readonly contents: (ids: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
  /** Bytes that are written in place at once. */
  readonly chunk?: number;
  /** Paths of a folder that are worked on in a row, 32 if absent; 1 for one path at a time. */
  readonly together?: number;
}

const FOLDERS_AT_ONCE = 8;

/** Contents that are in memory at once, in bytes. */
const MOST_AT_ONCE = 32 * 1024 * 1024;

/** A file whose new content is on disk under another name. */
interface Staged {
  readonly path: string;
  readonly decision: Decision;
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
  /** Folders in which names were exchanged. */
  readonly #exchanged = new Set<string>();
  #at: string | null = null;
  readonly #together: number;
  readonly #inPlace: InPlace;

  /** `decisions` hold no conflict. */
  constructor(options: WriterOptions, decisions: readonly Decision[], inPlace: ReadonlySet<string>) {
    this.#options = options;
    this.#together = options.together ?? MOST_TOGETHER;
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
      await this.#inPlace.mustBeWritable((path, work) => this.#failingAt(path, work));
      await this.#mustBeDeletable();
      for (const some of portions(this.#renamed)) {
        const contents = await this.#options.contents(some.map(({ to }) => to!.id)); // they are written
        await eachUntilFailure(byFolder(some, this.#together), async ({ folder, items }) => {
          const nearest = await nearestFolder(this.#options.root, folder);
          using held = await heldFolder(this.#options.root, nearest);
          const like = await Deno.stat(`${held.at("")}/.`);
          for (const decision of items) {
            await this.#failingAt(decision.path, async () => {
              mustHold();
              await stageIn(held, like, decision, contents.get(decision.to!.id)!);
            });
            this.#staged.push({ path: decision.path, decision, folder: nearest });
          }
        });
      }
      this.#staged.sort((one, other) => one.path < other.path ? -1 : 1);
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
   * Brings the folder to the commit, a few paths at a time: whoever stops in between finds every path as one of the two
   * commits has it. Throws `SourceFailure` where something was changed meanwhile.
   */
  async *act(mustHold: Lease["mustHold"] = () => {}): AsyncGenerator<void> {
    yield* this.#inPlace.write((path, work) => this.#failingAt(path, work));
    const deleted = this.#decisions.filter(({ act }) => act === "delete");
    yield* this.#inTurns(deleted, (held, decision) => {
      mustHold();
      return this.#delete(held, decision);
    });
    await this.#removeEmptied();
    yield* this.#inTurns(
      this.#staged,
      (held, staged) => {
        mustHold();
        return this.#rename(held, staged);
      },
      (folder) => this.#make(folder),
    );
    await eachUntilFailure([...this.#exchanged], async (path) => {
      using folder = await heldFolder(this.#options.root, path);
      await syncFolder(folder);
    });
  }

  /** Works on some paths at once, those of a folder in a row, and lets the caller look before the next. */
  async *#inTurns<T extends { readonly path: string }>(
    items: readonly T[],
    work: (held: Folder, item: T) => Promise<void>,
    before: (folder: string) => Promise<void> = () => Promise.resolve(),
  ): AsyncGenerator<void> {
    const groups = byFolder(items, this.#together);
    const atOnce = this.#together === 1 ? 1 : FOLDERS_AT_ONCE;
    for (let at = 0; at < groups.length; at += atOnce) {
      const turn = groups.slice(at, at + atOnce);
      // One by one: a folder gets the owner and mode of the one that it is in, which must be whole by then.
      for (const { folder } of turn) await this.#failingAt(folder, () => before(folder));
      await eachUntilFailure(turn, async ({ folder, items }) => {
        using held = await this.#failingAt(folder, () => heldFolder(this.#options.root, folder));
        for (const item of items) await this.#failingAt(item.path, () => work(held, item));
      });
      yield;
    }
  }

  /** Keeps the path at which something failed first. */
  async #failingAt<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#at ??= path;
      throw error;
    }
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
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      await afterRemoving(probe, async () => await (await open(probe, flags, 0o600)).close());
      await Deno.remove(probe);
    }
  }

  async #delete(held: Folder, decision: Decision): Promise<void> {
    await mustBeAsDecided(held, decision);
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

  async #make(folder: string): Promise<void> {
    await makeFolders(this.#options.root, folder);
    this.#exchanged.add(folder);
  }

  async #rename(to: Folder, { decision, folder }: Staged): Promise<void> {
    const { path, now } = decision;
    using from = folder === folderOf(path) ? null : await heldFolder(this.#options.root, folder);
    const staged = (from ?? to).at(stagedName(path));
    if (now.kind === "folder") await this.#removeEmptyTree(path);
    await mustBeAsDecided(to, decision);
    const target = to.at(baseName(path));
    // A new name never takes the place of something that came meanwhile.
    if (now.kind === "file" || now.kind === "link") await Deno.rename(staged, target);
    else await moveToFree(staged, target, path);
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

/** Writes the new content of a path into the folder that is held, under its other name. */
async function stageIn(
  held: Folder,
  like: Deno.FileInfo,
  { path, from, to, now }: Decision,
  content: Uint8Array,
): Promise<void> {
  const at = held.at(stagedName(path));
  if (to!.kind === "link") {
    return await afterRemoving(at, () => Deno.symlink(new TextDecoder().decode(content), at));
  }
  const before = now.kind === "file" ? await Deno.lstat(held.at(baseName(path))) : null;
  const { uid, gid } = before ?? like;
  const mode = modeOf(before?.mode ?? ((like.mode ?? 0o755) & 0o666), from, to!);
  await afterRemoving(at, () => writeNew(at, content, { uid, gid, mode }));
}

/** Makes what a crash may have left there already: that is removed, then. */
async function afterRemoving(at: string, make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!isThere(error)) throw error;
    await removeIfThere(at);
    await make();
  }
}

const isThere = (error: unknown) => error instanceof Deno.errors.AlreadyExists || codeOf(error) === "EEXIST";

const changedMeanwhile = (path: string) =>
  new SourceFailure(`"${path}" was changed while the commit was written`);

/**
 * Throws `SourceFailure` where the path is not what it was when its fate was decided. A name that was free is not looked
 * at again: a file is only ever moved to it while it is free.
 */
async function mustBeAsDecided(held: Folder, { path, now, to, from }: Decision): Promise<void> {
  if (now.kind === "absent") return;
  const seen = await stateIn(held, baseName(path), (to ?? from)!.id); // one of them is there
  const isSame = now.kind === "folder"
    ? seen.kind === "absent"
    : seen.kind === now.kind && ("id" in seen ? seen.id : "") === ("id" in now ? now.id : "");
  if (!isSame) throw changedMeanwhile(path);
}

/** Moves a file or link to a name that must be free. */
async function moveToFree(from: string, to: string, path: string): Promise<void> {
  try {
    await Deno.link(from, to);
  } catch (error) {
    throw isThere(error) ? changedMeanwhile(path) : error;
  }
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
