/** Follows the links of a path of which a part may not exist yet. */

import { withoutEnd } from "../../core/without_end.ts";

/** A path as far as it exists. */
interface RealFolder {
  /** The real path of the longest part that exists; `/` where a link has no target, so that nothing is revealed. */
  readonly known: string;
  /** True if the whole path exists. */
  readonly whole: boolean;
  /** The part that does not exist, with its leading `/`; empty if the whole path exists. */
  readonly rest: string;
  /** True if a part of it is a link without a target. */
  readonly isLost: boolean;
}

export async function realFolder(path: string): Promise<RealFolder> {
  const all = withoutEnd(path, "/") || "/";
  let part = all;
  for (let whole = true;; whole = false) {
    try {
      const known = await Deno.realPath(part);
      const rest = whole ? "" : part === "/" ? all : all.slice(part.length);
      return { known, whole, rest, isLost: false };
    } catch {
      const isLost = await isLink(part);
      if (part === "/" || isLost) return { known: "/", whole: false, rest: all, isLost };
      part = part.slice(0, part.lastIndexOf("/")) || "/";
    }
  }
}

/** Returns the path with its links followed; null where a link has no target, which an engine would create. */
export async function followed(path: string): Promise<string | null> {
  const { known, rest, isLost } = await realFolder(path);
  if (isLost) return null;
  return known === "/" && rest !== "" ? rest : `${known}${rest}`;
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isSymlink;
  } catch {
    return false;
  }
}
