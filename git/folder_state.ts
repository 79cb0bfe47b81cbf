/** A path of the folder as it is on disk, in the words of Git: its kind and the id of its content. No link is followed. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type Folder, isSame, openFolder } from "../artifacts/files/folder.ts";
import { baseName, folderOf, fullOf } from "../artifacts/files/paths.ts";
import { LONGEST_TARGET, TREE_BOUNDS } from "./tree.ts";

export type PathState =
  | { readonly kind: "absent" | "folder" }
  /** Content that could not be in a commit, or nothing that Git keeps: a pipe, a device. */
  | { readonly kind: "other"; readonly why: string }
  | { readonly kind: "file" | "link"; readonly id: string; readonly ino: number };

/** An id of Git: of the same length as the ids that it is compared with. */
export function blobId(bytes: Uint8Array, like: string): string {
  const hash = createHash(like.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/**
 * Looks at a path below the root. `like` is the id that it is compared with. Where a link or a file is in the place of
 * one of its folders, the path is absent.
 */
export async function stateOf(root: string, path: string, like: string): Promise<PathState> {
  let state: PathState = { kind: "absent" };
  await statesIn(root, folderOf(path), [{ path, like }], (_, found) => state = found);
  return state;
}

/** The same for paths that lie in one folder: it is opened once. */
export async function statesIn(
  root: string,
  folder: string,
  items: readonly { readonly path: string; readonly like: string }[],
  tell: (path: string, state: PathState) => void,
): Promise<void> {
  const all = (state: PathState) => items.forEach(({ path }) => tell(path, state));
  try {
    using held = await openFolder(root, fullOf(root, folder));
    if (held === null) return all({ kind: "absent" });
    for (const { path, like } of items) tell(path, await stateIn(held, baseName(path), like));
  } catch (error) {
    all(absentOr(error));
  }
}

/** Looks at one name in a folder that is held. */
export async function stateIn(folder: Folder, name: string, like: string): Promise<PathState> {
  try {
    const at = folder.at(name);
    const stat = await Deno.lstat(at);
    if (stat.isDirectory) return { kind: "folder" };
    if (stat.isSymlink) {
      const target = new TextEncoder().encode(await Deno.readLink(at));
      if (target.length > LONGEST_TARGET) return { kind: "other", why: "it is another link" };
      return { kind: "link", id: blobId(target, like), ino: stat.ino ?? 0 };
    }
    if (!stat.isFile) return { kind: "other", why: "it is no regular file" };
    if (stat.size > TREE_BOUNDS.bytes) return { kind: "other", why: "it is too large to be Git's" };
    await using file = await open(at, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!isSame(await file.stat(), stat)) return { kind: "other", why: "it changed while it was read" };
    return { kind: "file", id: await hashOf(file, stat.size, like), ino: stat.ino ?? 0 };
  } catch (error) {
    return absentOr(error);
  }
}

/** Hashes piece by piece: a file may be large. */
async function hashOf(file: FileHandle, size: number, like: string): Promise<string> {
  const hash = createHash(like.length === 64 ? "sha256" : "sha1").update(`blob ${size}\0`);
  const buffer = new Uint8Array(64 * 1024);
  for (let at = 0;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    hash.update(buffer.subarray(0, bytesRead));
    // A regular file gives less than was asked for at its end alone.
    if (bytesRead < buffer.length) return hash.digest("hex");
    at += bytesRead;
  }
}

function absentOr(error: unknown): PathState {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (error instanceof Deno.errors.NotFound || code === "ENOENT") return { kind: "absent" };
  if (error instanceof Deno.errors.NotADirectory || code === "ENOTDIR") return { kind: "absent" };
  if (error instanceof Deno.errors.PermissionDenied || code === "EACCES" || code === "EPERM") {
    return { kind: "other", why: "berth may not read it" };
  }
  if (code === "ELOOP") return { kind: "other", why: "a link leads to it" };
  return { kind: "other", why: "the system refused to read it" };
}

/** Returns the content of a file below the root; null for anything else. No link is followed. */
export async function bytesAt(root: string, path: string): Promise<Uint8Array | null> {
  const full = `${root === "/" ? "" : root}/${path}`;
  using folder = await openFolder(root, folderOf(full) || "/");
  if (folder === null) return null;
  const at = folder.at(baseName(full));
  const stat = await Deno.lstat(at);
  if (!stat.isFile || stat.size > TREE_BOUNDS.bytes) return null;
  await using file = await open(at, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  return new Uint8Array(await file.readFile());
}
