/** The folder of a group within its workspace. */
import type { Group, Model } from "../artifact.ts";
import { isBelow } from "../files/inside.ts";
import { isAtOrBelow } from "../files/paths.ts";
import { mainGroups } from "./graph.ts";

/** Returns true for a path of a file or folder in the group's own folder, which ends where another group's begins. */
export function isInGroup(model: Model, group: Group, path: string): boolean {
  const others = new Set(
    mainGroups(model).map(({ folder }) => folder).filter((folder) =>
      folder !== group.folder && (group.folder === "" || isBelow(folder, group.folder))
    ),
  );
  const isInside = group.folder === "" || path === group.folder || isBelow(path, group.folder);
  // A folder around another group's would bring that along.
  const isAround = [...others].some((folder) => path === "" || isBelow(folder, path));
  return isInside && !isAround && !isAtOrBelow(path, others);
}
