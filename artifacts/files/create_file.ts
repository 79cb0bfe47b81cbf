/** Makes a file where nothing is yet, and the folders on the way to it: all of it or nothing, and through no link. */

import { constants } from "node:fs";
import { open, rmdir } from "node:fs/promises";
import { ServiceError } from "../../core/error.ts";
import { ownFileName } from "../../core/own_files.ts";
import { BUDGETS } from "./budgets.ts";
import { type Folder, holdsDescriptors, isSame, openFolder } from "./folder.ts";
import { isInside } from "./inside.ts";
import { baseName, folderOf, fullOf, join } from "./paths.ts";
import { asRefusal, CANNOT_HOLD, refused, removeIfThere, writeNew } from "./writing.ts";

/** Folders that are made for one file. */
const MOST_FOLDERS = 3;
/** Bytes of one name on every usual file system. */
const LONGEST_NAME = 255;

/** Returns the reason that a path below a workspace cannot be that of a new file; null for one that can. */
export function whyNotNew(path: string): string | null {
  const parts = path.split("/");
  for (const [index, part] of parts.entries()) {
    if (part === "" || part === "." || part === "..") return "its path must be plain, as `app/compose.yaml`";
    if (/[\\\p{Cc}]/u.test(part)) return "its path holds a backslash or a control character";
    if (new TextEncoder().encode(part).length > LONGEST_NAME) return "a name in its path is too long";
    const isLast = index === parts.length - 1;
    if (part.startsWith(".") && !(isLast && part === ".env")) {
      return "of hidden names only `.env` can be created";
    }
  }
  return null;
}

/**
 * Makes the file, and resolves to the folders that were made for it, below the root. Throws `file_exists` where anything
 * has its name, `file_not_written` and `disk_full`; then nothing was made. The file and the folders get the owner and the
 * mode of the folder that they are in.
 */
export async function createFile(
  root: string,
  path: string,
  { text, hidden, isPrivate = false }: {
    readonly text: string;
    readonly hidden: readonly string[];
    /** True if only its owner may read it. */
    readonly isPrivate?: boolean;
  },
): Promise<readonly string[]> {
  const why = holdsDescriptors() ? whyNotNew(path) : CANNOT_HOLD;
  if (why !== null) throw refused(why);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > BUDGETS.fileBytes) throw refused(`it would be over ${BUDGETS.fileBytes} bytes`);
  if (hidden.some((one) => isInside(fullOf(root, path), one))) {
    throw refused("berth keeps that folder for itself");
  }
  using opened = new DisposableStack();
  const made: { readonly path: string; readonly at: string }[] = [];
  try {
    let folder = await heldFolder(root, "", opened);
    const missing = await missingFolders(folder, root, folderOf(path), opened);
    folder = missing.from;
    if (missing.names.length > MOST_FOLDERS) {
      throw refused(`it would take more than ${MOST_FOLDERS} new folders; create them first`);
    }
    let at = missing.at;
    for (const name of missing.names) {
      const parent = folder;
      await makeFolder(parent.at(name));
      at = join(at, name);
      made.push({ path: at, at: parent.at(name) });
      folder = await heldFolder(root, at, opened);
      await giveTo(parent, name, folder);
    }
    await createIn(folder, baseName(path), { bytes, mask: isPrivate ? 0o600 : 0o666 });
    return made.map(({ path }) => path);
  } catch (error) {
    for (const { at } of made.toReversed()) await rmdir(at).catch(() => {}); // what others put there stays
    throw asNew(error);
  }
}

/** Opens a folder below the root. Throws `file_not_written` where a link is on the way to it. */
async function heldFolder(root: string, path: string, opened: DisposableStack): Promise<Folder> {
  const folder = await openFolder(root, fullOf(root, path));
  if (folder === null) {
    throw refused("a link leads to its folder; create it in the folder that the link leads to");
  }
  return opened.use(folder);
}

/** Resolves to the last folder on the way that is there, and the names of those that are not. */
async function missingFolders(root: Folder, rootPath: string, path: string, opened: DisposableStack) {
  let [from, at] = [root, ""];
  const names = path === "" ? [] : path.split("/");
  for (const [index, name] of names.entries()) {
    const found = await infoOf(from.at(name));
    if (found === null) return { from, at, names: names.slice(index) };
    if (found.isSymlink) {
      throw refused("a link leads to its folder; create it in the folder that the link leads to");
    }
    if (!found.isDirectory) throw refused(`"${join(at, name)}" is no folder`);
    at = join(at, name);
    from = await heldFolder(rootPath, at, opened);
  }
  return { from, at, names: [] };
}

async function infoOf(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { mode: 0o700 });
  } catch (error) {
    throw error instanceof Deno.errors.AlreadyExists ? moved(error) : error;
  }
}

/** Gives the folder that was just made the owner and mode of the one that it is in. */
async function giveTo(parent: Folder, name: string, folder: Folder): Promise<void> {
  const like = await Deno.stat(`${parent.at("")}/.`);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  await using own = await open(parent.at(name), flags);
  const stat = await own.stat();
  // Another folder, or one of somebody else, may have taken its place: it is not given away.
  if (!isSame(stat, await Deno.stat(`${folder.at("")}/.`)) || stat.uid !== Deno.uid()) throw moved();
  if (like.uid !== stat.uid || like.gid !== stat.gid) await own.chown(like.uid!, like.gid!); // on Linux there are some
  await own.chmod((like.mode ?? 0o700) & 0o7777);
}

async function createIn(
  folder: Folder,
  name: string,
  { bytes, mask }: { readonly bytes: Uint8Array; readonly mask: number },
): Promise<void> {
  const at = folder.at(name);
  if (await infoOf(at) !== null) throw exists();
  const { uid, gid, mode } = await Deno.stat(`${folder.at("")}/.`);
  // Of a name that nobody else has: another replica may be creating the same file.
  const temporary = folder.at(ownFileName(crypto.randomUUID()));
  try {
    await writeNew(temporary, bytes, { uid, gid, mode: (mode ?? 0o600) & mask });
    await Deno.link(temporary, at); // fails where anything has the name by now
  } finally {
    await removeIfThere(temporary);
  }
  using entries = await Deno.open(`${folder.at("")}/.`);
  await entries.sync();
}

const exists = (cause?: unknown): ServiceError =>
  new ServiceError(
    "file_exists",
    "Cannot create the file: something has its name already; choose another name, or read and save that file",
    { cause },
  );

const moved = (cause?: unknown): ServiceError =>
  refused("a folder on the way to it was exchanged meanwhile; try again", cause);

function asNew(error: unknown): ServiceError {
  if (error instanceof Deno.errors.AlreadyExists) return exists(error);
  if (error instanceof Deno.errors.NotSupported) {
    return refused("its file system has no hard links, by which berth puts a new file in its place", error);
  }
  const refusal = asRefusal(error);
  return refusal.code === "file_changed" ? moved(error) : refusal;
}
