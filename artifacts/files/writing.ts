/** Writes a new file for the first time, and says why one cannot be written. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { ServiceError } from "../../core/error.ts";

export const CANNOT_HOLD =
  "berth writes only where it can hold a folder: on Linux, with every permission of Deno (`-A`)";

/** Writes a file that is not there yet, with the owner and mode of `like`, and waits until it is on disk. */
export async function writeNew(
  path: string,
  bytes: Uint8Array,
  like: Pick<Deno.FileInfo, "uid" | "gid" | "mode">,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const wanted = (like.mode ?? 0o600) & 0o7777;
  // Another owner's file is for nobody else to read before it is theirs.
  const isOwn = like.uid === Deno.uid() && like.gid === Deno.gid();
  await using file = await open(path, flags, isOwn ? wanted : 0o600);
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
  const { uid, gid, mode } = await file.stat();
  const isAnothers = like.uid !== null && like.gid !== null && (like.uid !== uid || like.gid !== gid);
  if (isAnothers) await file.chown(like.uid!, like.gid!); // it has both
  if (isAnothers || (mode & 0o7777) !== wanted) await file.chmod(wanted);
  await file.sync();
}

export async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

export function refused(why: string, cause?: unknown): ServiceError {
  return new ServiceError("file_not_written", `Cannot save the file: ${why}`, { cause });
}

export function changed(): ServiceError {
  return new ServiceError(
    "file_changed",
    "Cannot save the file: it has changed since it was read; read it again and save what you want of both",
  );
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function isDenied(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(codeOf(error)) || error instanceof Deno.errors.PermissionDenied;
}

export function asRefusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new ServiceError("disk_full", "Cannot save the file: the disk is full", { cause: error });
  }
  if (error instanceof Deno.errors.NotFound || ["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) {
    return changed();
  }
  if (code === "EROFS") return refused("it lies on a file system that is mounted read-only", error);
  if (code === "EBUSY") return refused("it is mounted by itself; mount its folder instead", error);
  if (isDenied(error)) {
    return refused("berth's user may not write it, its folder, or keep its owner", error);
  }
  return refused("the system refused it", error);
}
