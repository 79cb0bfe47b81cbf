/** The places of the host's paths as a group sees them: its own folder, its workspace, or beyond. */

import type { Group, Model } from "../../artifacts/artifact.ts";
import { isAtOrBelow } from "../../artifacts/files/paths.ts";
import { realFolder } from "../../artifacts/files/real_folder.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import type { HostPlace } from "../../core/spec_rows.ts";

const isBelow = (path: string, folder: string): boolean =>
  path !== folder && path.startsWith(folder === "/" ? "/" : `${folder}/`);

/** Returns true for a path of a file or folder in the group's own folder, which ends where another group's begins. */
export function isInGroup(model: Model, group: Group, path: string): boolean {
  const others = new Set(
    mainGroups(model).map(({ folder }) => folder).filter((folder) =>
      folder !== group.folder && (group.folder === "" || isBelow(folder, group.folder))
    ),
  );
  const isInside = group.folder === "" || path === group.folder || isBelow(path, group.folder);
  return isInside && !isAtOrBelow(path, others);
}

/** Returns the path below the workspace's root; null for one that lies outside. */
function pathBelow(root: string, path: string): string | null {
  if (path === root) return "";
  return isBelow(path, root) ? path.slice(root === "/" ? 1 : root.length + 1) : null;
}

/** Returns the path with its links followed; null where a link has no target, which an engine would create. */
export async function followed(path: string): Promise<string | null> {
  const { known, rest, isLost } = await realFolder(path);
  if (isLost) return null;
  return known === "/" && rest !== "" ? rest : `${known}${rest}`;
}

/** Places as they are now; links are followed on the disk. */
export class HostPlaces {
  constructor(
    private readonly model: Model,
    private readonly group: Group,
    /** Folders that containers may write to, with their links followed. */
    private readonly writable: readonly string[],
  ) {}

  /** Returns the place of a source, and the path with its links followed. */
  async placeOf(source: string): Promise<{ readonly place: HostPlace; readonly path: string }> {
    const path = await followed(source);
    if (path === null) return { place: "outside", path: source };
    const below = pathBelow(this.model.root, path);
    if (below === null) return { place: "outside", path };
    // Whoever writes to a folder above it can exchange it by a link after this look.
    if (this.writable.some((folder) => isBelow(path, folder))) return { place: "shared", path };
    return { place: isInGroup(this.model, this.group, below) ? "own" : "workspace", path };
  }
}
