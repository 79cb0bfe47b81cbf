/** Puts another text in place of a file: all of it or nothing, in the folder it lies in, with its owner and mode. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ServiceError } from "../../core/error.ts";
import { isOwnFile, ownFileName } from "../../core/own_files.ts";
import { pause } from "../../core/pause.ts";
import { BUDGETS } from "./budgets.ts";
import { type Folder, holdsDescriptors, isSame, openFolder } from "./folder.ts";
import { baseName, folderOf } from "./paths.ts";
import { readOnlyRemedy } from "./read_only_remedy.ts";
import { sha256 } from "./sha256.ts";
import {
  asRefusal,
  CANNOT_HOLD,
  changed,
  codeOf,
  isDenied,
  refused,
  removeIfThere,
  writeNew,
} from "./writing.ts";

const LOCK_MS = 5_000;
const LOOK_MS = 20;
/** The age at which a file of a save is one that a crash left behind. */
const LEFT_MS = 60 * 60_000;

/**
 * Resolves to the text that was replaced, once the new one is on disk. Throws `file_changed` where the file does not
 * have the hash `expected`, `file_not_written` and `disk_full`; then the file is as it was. No link is followed.
 */
export async function replaceFile(
  root: string,
  path: string,
  { expected, text }: { readonly expected: string; readonly text: string },
): Promise<string> {
  if (!holdsDescriptors()) {
    throw refused(CANNOT_HOLD);
  }
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > BUDGETS.fileBytes) throw refused(`it would be over ${BUDGETS.fileBytes} bytes`);
  const full = root === "/" ? `/${path}` : `${root}/${path}`;
  try {
    using folder = await openFolder(root, folderOf(full) || "/");
    if (folder === null) throw refused("a link leads to it; save the file that the link leads to");
    return await replaceIn(folder, baseName(full), bytes, expected);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Makes a file in the folder and removes it. Throws `not_editable` with the reason where that is not possible. */
export async function mustBeWritable(root: string): Promise<void> {
  try {
    if (!holdsDescriptors()) throw refused(CANNOT_HOLD);
    using folder = await openFolder(root, root);
    if (folder === null) throw refused("its path leads elsewhere now");
    const probe = folder.at(ownFileName(crypto.randomUUID()));
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    await (await open(probe, flags, 0o600)).close();
    await Deno.remove(probe);
  } catch (error) {
    const { message } = asRefusal(error);
    const remedy = await remedyOf(root, error);
    throw new ServiceError(
      "not_editable",
      `Cannot make the workspace editable: ${message.slice(message.indexOf(": ") + 2)}${remedy}`,
      { cause: error },
    );
  }
}

/** Returns the command that gives berth the right to write, where that is what it lacks. */
async function remedyOf(root: string, error: unknown): Promise<string> {
  if (codeOf(error) === "EROFS") return await readOnlyRemedy(root);
  if (!isDenied(error)) return "";
  const quoted = `'${root.replaceAll("'", `'\\''`)}'`;
  return `; run berth as its owner, or make it berth's own: chown -R ${Deno.uid()}:${Deno.gid()} ${quoted}`;
}

async function replaceIn(
  folder: Folder,
  name: string,
  bytes: Uint8Array,
  expected: string,
): Promise<string> {
  const at = folder.at(name);
  const before = await Deno.lstat(at);
  if (before.isSymlink) throw refused("it is a link; save the file that it leads to");
  if (!before.isFile) throw changed();
  if ((before.nlink ?? 1) > 1) throw refused("it has several hard links, and saving would part them");
  if (((before.mode ?? 0) & 0o222) === 0) throw refused("it is read-only");
  // Also for writing: who may not change the file itself shall not do so by way of its folder.
  await using old = await open(at, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (!isSame(await old.stat(), before) || sha256(await contentOf(old)) !== expected) throw changed();

  using _ = await locked(old);
  await removeLeft(folder);
  // Of a name that nobody else has: another replica may be saving the same file.
  const temporary = folder.at(ownFileName(crypto.randomUUID()));
  try {
    await writeNew(temporary, bytes, before);
    if (stampOf(await Deno.lstat(at)) !== stampOf(before)) throw changed();
    await Deno.rename(temporary, at);
  } catch (error) {
    await removeIfThere(temporary);
    throw error;
  }
  using entries = await Deno.open(`${folder.at("")}/.`);
  await entries.sync();
  // Read once more: somebody may have written into it up to the last moment.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await contentOf(old));
}

/** Holds the file against other replicas. A replica that had it before has put another one in its place, which is noticed. */
async function locked({ fd }: FileHandle): Promise<Disposable> {
  const file = await Deno.open(`/proc/self/fd/${fd}`, { read: true, write: true });
  try {
    for (let waited = 0; !await file.tryLock(true).catch(hasNoLocks); waited += LOOK_MS) {
      if (waited >= LOCK_MS) throw refused("another program holds its lock; try again when it has let go");
      await pause(LOOK_MS);
    }
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Returns true: on a file system without locks nobody is waited for. */
const hasNoLocks = (): boolean => true;

/** Removes what a crash left of saves; those of a sync have a word in their names, and are its own to find. */
async function removeLeft(folder: Folder): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(folder.at(""))) {
    if (!isFile || !isOwnFile(name) || !/^\.berth-[0-9a-f]{8}/.test(name)) continue;
    const { mtime } = await Deno.lstat(folder.at(name)).catch(() => ({ mtime: null }));
    // A younger one may be another save's.
    if (mtime !== null && mtime.getTime() < Date.now() - LEFT_MS) await removeIfThere(folder.at(name));
  }
}

async function contentOf(file: FileHandle): Promise<Uint8Array> {
  const { size } = await file.stat();
  const buffer = new Uint8Array(Math.min(size, BUDGETS.fileBytes + 1));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Changes with everything that is done to a file. */
function stampOf({ dev, ino, size, mode, uid, gid, mtime, ctime }: Deno.FileInfo): string {
  return [dev, ino, size, mode, uid, gid, mtime?.getTime(), ctime?.getTime()].join(" ");
}
