/** Folders below a workspace's root: held while something is done in them, and made where they are missing. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { type Folder, isSame, openFolder } from "../artifacts/files/folder.ts";
import { baseName, folderOf, fullOf } from "../artifacts/files/paths.ts";
import { SourceFailure } from "./failure.ts";
import type { TreeEntry } from "./tree.ts";

/** Opens a folder below the root. Throws `SourceFailure` where a link is on the way to it. */
export async function heldFolder(root: string, path: string): Promise<Folder> {
  const folder = await openFolder(root, fullOf(root, path));
  if (folder === null) throw new SourceFailure(`a link leads to "${path}"`);
  return folder;
}

/** Makes the folders that are missing on the way, with the owner and the mode of the one that each is in. */
export async function makeFolders(root: string, path: string): Promise<void> {
  if (path === "") return;
  try {
    (await heldFolder(root, path))[Symbol.dispose]();
    return;
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  await makeFolders(root, folderOf(path));
  using parent = await heldFolder(root, folderOf(path));
  const at = parent.at(baseName(path));
  try {
    const { mode } = await Deno.stat(`${parent.at("")}/.`);
    await Deno.mkdir(at, { mode: (mode ?? 0o700) & 0o7777 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return;
  }
  using own = await heldFolder(root, path);
  const like = await Deno.stat(`${parent.at("")}/.`);
  await using handle = await open(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const stat = await handle.stat();
  if (!isSame(stat, await Deno.stat(`${own.at("")}/.`)) || stat.uid !== Deno.uid()) return; // somebody else's
  if (like.uid !== stat.uid || like.gid !== stat.gid) await handle.chown(like.uid!, like.gid!); // on Linux there are some
  await handle.chmod((like.mode ?? 0o700) & 0o7777);
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return error instanceof Deno.errors.NotFound || code === "ENOENT";
}

/** Returns the mode of a new content: as it was, but for the bit that Git keeps. */
export function modeOf(mode: number, from: TreeEntry | null, to: TreeEntry): number {
  if (to.executable) return mode | ((mode & 0o444) >> 2);
  return from?.executable === true ? mode & ~0o111 : mode;
}

/** Paths of a folder that are worked on in a row while it is held. */
export const MOST_TOGETHER = 32;

interface InFolder<T> {
  readonly folder: string;
  readonly items: T[];
}

/** Brings together what is in one folder, at most so many at a time. */
export function byFolder<T extends { readonly path: string }>(
  items: readonly T[],
  most: number,
): InFolder<T>[] {
  const open = new Map<string, InFolder<T>>();
  const all: InFolder<T>[] = [];
  for (const item of items) {
    const folder = folderOf(item.path);
    let one = open.get(folder);
    if (one === undefined || one.items.length >= most) {
      one = { folder, items: [] };
      open.set(folder, one);
      all.push(one);
    }
    one.items.push(item);
  }
  return all;
}
