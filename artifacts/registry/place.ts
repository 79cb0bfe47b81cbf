/** Whether a folder may be registered, and its real path. */

import { withoutEnd } from "../../core/without_end.ts";
import { ServiceError } from "../../core/error.ts";

/** The real path of a folder inside a root. Every folder outside the roots gets the same refusal, there or not. */
export async function admit(
  path: string,
  roots: readonly string[],
  hidden: readonly string[],
): Promise<string> {
  const refused = () =>
    new ServiceError("path_refused", "Cannot register the folder: it is outside the allowed roots");
  if (!path.startsWith("/") || path.includes("\0")) {
    throw new ServiceError("path_refused", "Cannot register the folder: its path must be absolute");
  }
  const allowed = await realPaths(roots);
  const real = await realFolder(path);
  if (!allowed.some((root) => isInside(real.known, root))) throw refused();
  if ((await realPaths(hidden)).some((one) => isInside(real.known, one))) throw refused();
  if (!real.whole) throw unreadable("it does not exist");
  try {
    if (!(await Deno.stat(real.known)).isDirectory) throw unreadable("it is not a folder");
    for await (const _ of Deno.readDir(real.known)) break;
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadable("access is denied", error);
  }
  return real.known;
}

function unreadable(why: string, cause?: unknown): ServiceError {
  return new ServiceError("path_unreadable", `Cannot register the folder: ${why}`, { cause });
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

export async function realPaths(paths: readonly string[]): Promise<string[]> {
  const real: string[] = [];
  for (const path of paths) {
    try {
      real.push(await Deno.realPath(path));
    } catch {
      // A root that is not there holds nothing; it may come later.
    }
  }
  return real;
}

/** The real path of the longest part that exists; `/` where a link has no target, so that nothing is revealed. */
async function realFolder(path: string): Promise<{ known: string; whole: boolean }> {
  let part = withoutEnd(path, "/") || "/";
  for (let whole = true;; whole = false) {
    try {
      return { known: await Deno.realPath(part), whole };
    } catch {
      if (part === "/") return { known: "/", whole: false };
      if (await isLink(part)) return { known: "/", whole: false };
      part = part.slice(0, part.lastIndexOf("/")) || "/";
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isSymlink;
  } catch {
    return false;
  }
}
