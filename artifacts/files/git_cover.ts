/** Tells which files a commit would take along: those of a folder in Git that no `.gitignore` covers. */

import { IgnoreRules } from "./ignore.ts";
import { folderOf } from "./paths.ts";

/** Folders above that are looked at. */
const MOST_ABOVE = 40;
/** Bytes of one `.gitignore`. */
const MOST_TEXT = 64 * 1024;

/** Returns the paths below `root` that Git would not ignore; none where the folder is in no repository. */
export async function uncoveredByGit(root: string, paths: readonly string[]): Promise<string[]> {
  const top = await repositoryOf(root);
  if (top === null) return [];
  const prefix = root === top ? "" : `${root.slice(top.length + 1)}/`;
  const found: string[] = [];
  for (const path of paths) if (!await isCovered(top, `${prefix}${path}`)) found.push(path);
  return found;
}

async function repositoryOf(folder: string): Promise<string | null> {
  for (let at = folder, n = 0; n < MOST_ABOVE; n++) {
    if (await isThere(`${at}/.git`)) return at;
    const above = folderOf(at);
    if (above === "" || above === at) return null;
    at = above;
  }
  return null;
}

/** The nearest file that says anything decides, as Git does. */
async function isCovered(top: string, path: string): Promise<boolean> {
  const parts = path.split("/");
  let isIgnored = false;
  for (let depth = 0; depth < parts.length; depth++) {
    const folder = [top, ...parts.slice(0, depth)].join("/");
    const lines = await linesOf(`${folder}/.gitignore`);
    const below = parts.slice(depth);
    const rules = new IgnoreRules(lines);
    const negated = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    // A folder that is ignored takes all below it along.
    const ways = below.map((_, n) => ({
      path: below.slice(0, n + 1).join("/"),
      isFolder: n < below.length - 1,
    }));
    if (ways.some(({ path, isFolder }) => rules.ignores(path, isFolder))) isIgnored = true;
    else if (new IgnoreRules(negated).ignores(below.join("/"), false)) isIgnored = false;
  }
  return isIgnored;
}

async function linesOf(path: string): Promise<string[]> {
  try {
    const { isFile, size } = await Deno.lstat(path); // a pipe would never end
    return isFile && size <= MOST_TEXT ? (await Deno.readTextFile(path)).split("\n") : [];
  } catch {
    return []; // not there, or not to be read: it covers nothing
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
