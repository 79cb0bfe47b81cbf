/** Suggests folders that may become workspaces: the usual places of stacks, and those that containers run from. */

import { ServiceError } from "../../core/error.ts";
import { isInside } from "../files/inside.ts";
import { admit } from "./place.ts";

/** Places where many people keep their stacks. */
const USUAL_PLACES: readonly string[] = ["/opt/stacks", "/srv", "/mnt"];
/** The number of suggestions at most: labels of containers are written by anybody. */
const MOST = 50;
const LONGEST_PATH = 4096;

interface Suggestion {
  readonly path: string;
  /** The setting that would allow the folder, as `BERTH_ROOTS=/home/ada:/srv`; null where it is allowed. */
  readonly setting: string | null;
}

interface Places {
  readonly roots: readonly string[];
  readonly hidden: readonly string[];
  /** The folders of the workspaces that there are. */
  readonly registered: readonly string[];
  /** The folders that containers of this machine were started from, as their labels say. */
  readonly running: Iterable<string>;
  readonly usual?: readonly string[];
}

/** Returns the suggestions by path. A folder outside the roots is only looked for in the usual places. */
export async function suggestFolders(
  { roots, hidden, registered, running, usual = USUAL_PLACES }: Places,
): Promise<Suggestion[]> {
  const isNew = (path: string) => ![...registered, ...hidden].some((one) => isInside(path, one));
  const present: string[] = [];
  for (const path of usual) if (await holdsFolder(path)) present.push(path);
  const found = new Map<string, Suggestion>();
  for (const path of [...new Set([...present, ...[...running].filter(isPlain)])].filter(isNew).sort()) {
    if (found.size === MOST) break;
    const place = await placeOf(path, roots, hidden);
    if (place === "refused") {
      const root = present.find((one) => isInside(path, one)) ?? path;
      found.set(path, { path, setting: `BERTH_ROOTS=${[...roots, root].join(":")}` });
    } else if (place !== null && isNew(place.real)) {
      found.set(place.real, { path: place.real, setting: null });
    }
  }
  return [...found.values()];
}

/** Returns true for an absolute path as one line that fits into the setting. */
export function isPlain(path: string): boolean {
  return path.length <= LONGEST_PATH && /^\/[^:\p{Cc}]*$/u.test(path) && !/\/\.{0,2}(\/|$)/.test(path);
}

/** Returns the real path of an allowed folder; null for one that cannot be read. */
async function placeOf(
  path: string,
  roots: readonly string[],
  hidden: readonly string[],
): Promise<{ readonly real: string } | "refused" | null> {
  try {
    return { real: await admit(path, roots, hidden) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code === "path_refused" ? "refused" : null;
  }
}

/** Returns true if a folder with another one in it is there: `/srv` and `/mnt` are empty on most machines. */
async function holdsFolder(path: string): Promise<boolean> {
  try {
    for await (const { isDirectory } of Deno.readDir(path)) if (isDirectory) return true;
  } catch {
    // Not there, or not readable by berth.
  }
  return false;
}
