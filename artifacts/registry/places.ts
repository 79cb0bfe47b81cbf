/** Places to register: the folders that running projects were started from, by their labels, and the usual ones. */

import { ServiceError } from "../../core/error.ts";
import { isInside } from "../files/inside.ts";
import { folderOf } from "../files/paths.ts";
import { admit, realPaths } from "./place.ts";

/** Places where many people keep their projects. */
const USUAL: readonly string[] = ["/opt/stacks", "/srv", "/mnt"];
const LONGEST_PATH = 4096;
/** Places at most: labels of containers are written by anybody. */
const MOST = 50;
/** Names of projects that are told of one place. */
const MOST_NAMES = 10;
/** Signs that a shell acts on: people copy the setting, and a label may name any folder. */
const ACTIVE = /[$`"'\\;&|<>()!*?#]/;
/** Folders of everything: a place there would be all of a machine. */
const TOO_WIDE = ["", "/home"];

interface Place {
  readonly path: string;
  /** The names of the first projects that run from it. */
  readonly projects: readonly string[];
  readonly total: number;
  readonly allowed: boolean;
  /** The setting that would allow the folder, as `BERTH_ROOTS=/home/ada:/srv`; null where it is allowed. */
  readonly setting: string | null;
}

/** A project that runs on this machine, and the folder that its labels name. */
export interface RunningFolder {
  readonly engine: string;
  readonly project: string;
  readonly folder: string;
}

interface PlacesOptions {
  readonly roots: readonly string[];
  readonly hidden: readonly string[];
  /** The folders of the workspaces that there are. */
  readonly registered: readonly string[];
  readonly running: Iterable<RunningFolder>;
  readonly usual?: readonly string[];
}

/**
 * Returns the places, those that are allowed and hold most projects first. Folders side by side are one place. Outside
 * of the roots the disk is looked at for the usual places alone.
 */
export async function placesOf(options: PlacesOptions): Promise<Place[]> {
  const { roots, hidden, registered, running, usual = USUAL } = options;
  const folders = new Map<string, Map<string, string>>();
  for (const { engine, project, folder } of running) {
    if (!isPlain(folder) || registered.some((one) => isInside(folder, one))) continue;
    if (hidden.some((one) => isInside(folder, one))) continue;
    const own = folders.get(folder) ?? new Map();
    folders.set(folder, own.set(`${engine} ${project}`, project));
  }
  const realRoots = await realPaths(roots);
  const places: Place[] = [];
  for (const [path, projects] of together(folders, registered, [...roots, ...realRoots])) {
    const real = await allowedPath(path, roots, realRoots, hidden);
    if (real === "gone" || (real !== null && registered.some((one) => isInside(real, one)))) continue;
    if (real === null && ACTIVE.test(path)) continue;
    places.push(placeOf(path, real, projects, roots));
  }
  const known = [...registered, ...hidden, ...places.map(({ path }) => path)];
  for (const path of usual) {
    if (known.some((one) => isInside(path, one)) || !await holdsFolder(path)) continue;
    const real = await allowedPath(path, roots, realRoots, hidden);
    if (real === "gone" || (real !== null && known.some((one) => isInside(real, one)))) continue;
    places.push(placeOf(path, real, new Map(), roots));
  }
  return places.sort((one, other) =>
    Number(other.allowed) - Number(one.allowed) || other.total - one.total ||
    (one.path < other.path ? -1 : 1)
  ).slice(0, MOST);
}

const placeOf = (
  path: string,
  real: string | null,
  projects: ReadonlyMap<string, string>,
  roots: readonly string[],
): Place => ({
  path: real ?? path,
  projects: [...new Set(projects.values())].sort().slice(0, MOST_NAMES),
  total: projects.size,
  allowed: real !== null,
  setting: real === null ? `BERTH_ROOTS=${[...roots, path].join(":")}` : null,
});

/** Returns true for an absolute path as one line that fits into the setting. */
function isPlain(path: string): boolean {
  return path.length <= LONGEST_PATH && /^\/[^:\p{Cc}]*$/u.test(path) && !/\/\.{0,2}(\/|$)/.test(path);
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

/** Resolves to the real path of a folder that a label names; null where it may not be registered, or is already. */
export async function folderToRegister(
  folder: string,
  { roots, hidden, registered }: Omit<PlacesOptions, "running">,
): Promise<string | null> {
  if (!isPlain(folder)) return null;
  const real = await allowedPath(folder, roots, await realPaths(roots), hidden);
  if (real === null || real === "gone" || registered.some((one) => isInside(real, one))) return null;
  return real;
}

type Folders = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Puts folders that lie side by side together, as the folder that they are in: one that may be registered does not go
 * into one that may not.
 */
function together(folders: Folders, registered: readonly string[], roots: readonly string[]): Folders {
  const isAllowed = (path: string) => roots.some((root) => isInside(path, root));
  const found = new Map<string, Map<string, string>>();
  for (const [parent, all] of Map.groupBy(folders.keys(), folderOf)) {
    // A folder around a registered one is for admins to add.
    const mayBeOne = !TOO_WIDE.includes(parent) && !registered.some((one) => isInside(one, parent));
    const own = isAllowed(parent) ? all : all.filter((one) => !isAllowed(one));
    for (const folder of all) {
      const path = mayBeOne && own.length > 1 && own.includes(folder) ? parent : folder;
      const known = found.get(path) ?? new Map();
      for (const [key, name] of folders.get(folder)!) known.set(key, name); // it is one of its keys
      found.set(path, known);
    }
  }
  return found;
}

/** Resolves to the real path of an allowed folder, and null for one outside the roots, which is not looked for. */
async function allowedPath(
  path: string,
  roots: readonly string[],
  realRoots: readonly string[],
  hidden: readonly string[],
): Promise<string | "gone" | null> {
  if (![...roots, ...realRoots].some((root) => isInside(path, root))) return null;
  try {
    return await admit(path, roots, hidden);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code === "path_refused" ? null : "gone";
  }
}
