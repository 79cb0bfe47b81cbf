/** Why berth cannot start, in words that say what to do. */
import { ServiceError } from "../core/error.ts";

/** A failure of the start that people can mend; the message is the whole sentence. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
}

/**
 * Returns true if the same start may go better in a moment, as with a database that starts later, a disk that is full
 * or an address that the machine gets later: a supervisor tries again then, and nothing else.
 */
export function mayPass(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof ServiceError && one.headers?.["retry-after"] !== undefined) return true;
    const code = "code" in one ? String(one.code) : "";
    if (/^(?:ENOSPC|EDQUOT|EMFILE|ENFILE|ENOMEM|EAGAIN|EADDRNOTAVAIL)$/.test(code)) return true;
  }
  return false;
}

/** Returns the command that makes the folder berth's own, where that is what a start lacks. */
export function ownerAdvice(folder: string, error: unknown): string {
  if (!(error instanceof Deno.errors.PermissionDenied)) return "";
  try {
    return `; it must belong to the user that berth runs as: chown -R ${Deno.uid()}:${Deno.gid()} "${folder}"`;
  } catch { // this process may not know its user
    return "; it must belong to the user that berth runs as (chown -R)";
  }
}

/** Returns the system's refusal as a few words. */
export function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotCapable) return "this process has no permission for it";
  if (error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory) {
    return "there is a file in its place";
  }
  if (error instanceof Deno.errors.IsADirectory) return "there is a folder in its place";
  if (error instanceof TypeError) return "it is not a regular file";
  if (error instanceof Error && error.message.includes("Read-only file system")) return "it is read-only";
  if (error instanceof Error && "code" in error && error.code === "ENOSPC") return "the disk is full";
  return "the system refused";
}
