/** Checks that a folder may be registered, and finds its real path. */

import { ServiceError } from "../../core/error.ts";
import { withoutEnd } from "../../core/without_end.ts";
import { isInside } from "../files/inside.ts";
import { baseName, folderOf } from "../files/paths.ts";
import { realFolder } from "../files/real_folder.ts";

/** The real path of a folder inside a root. Every folder outside the roots gets the same refusal, there or not. */
export async function admit(
  path: string,
  roots: readonly string[],
  hidden: readonly string[],
): Promise<string> {
  const refused = () =>
    new ServiceError(
      "path_refused",
      `Cannot register the folder: it is outside the allowed roots (${
        roots.join(", ") || "there are none"
      }); ` +
        "BERTH_ROOTS names them",
    );
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

/**
 * Makes the folder in the one above it, with the owner and the mode of that. Returns false if it is there. Throws as
 * `admit`.
 */
export async function makePlace(
  path: string,
  roots: readonly string[],
  hidden: readonly string[],
): Promise<boolean> {
  const full = withoutEnd(path, "/");
  if (full === "" || !full.startsWith("/") || await isThere(full)) return false;
  const name = baseName(full);
  if (name === "." || name === "..") return false;
  const above = await admit(folderOf(full) || "/", roots, hidden);
  const target = above === "/" ? `/${name}` : `${above}/${name}`;
  try {
    const { mode, uid, gid } = await Deno.stat(above);
    await Deno.mkdir(target, { mode: (mode ?? 0o755) & 0o7777 });
    if (uid !== null && gid !== null && uid !== Deno.uid()) await Deno.chown(target, uid, gid);
  } catch (cause) {
    if (cause instanceof Deno.errors.AlreadyExists) return false;
    throw unreadable("berth may not make it in the folder above", cause);
  }
  return true;
}

const isThere = (path: string): Promise<boolean> => Deno.lstat(path).then(() => true, () => false);

function unreadable(why: string, cause?: unknown): ServiceError {
  return new ServiceError("path_unreadable", `Cannot register the folder: ${why}`, { cause });
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
