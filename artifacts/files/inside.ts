/** Compares whole paths as text. */

/** Returns true for a folder itself, and for all that lies in it. */
export const isInside = (path: string, folder: string): boolean => path === folder || isBelow(path, folder);

/** Returns true for all that lies in a folder. */
export const isBelow = (path: string, folder: string): boolean =>
  path !== folder && path.startsWith(folder === "/" ? "/" : `${folder}/`);

/** Returns the path below the root; null for one that lies outside. */
export function pathBelow(root: string, path: string): string | null {
  if (path === root) return "";
  return isBelow(path, root) ? path.slice(root === "/" ? 1 : root.length + 1) : null;
}
