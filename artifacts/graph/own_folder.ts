/** The folder of a group within its workspace. */
import type { Group, Model } from "../artifact.ts";
import { isBelow } from "../files/inside.ts";
import { folderOf, isAtOrBelow } from "../files/paths.ts";
import { mainGroups } from "./graph.ts";

/**
 * Returns true for a path of a file or folder in the group's own folder, which ends where another group's begins. A
 * document that makes a group of the files of another folder does not make that folder its own.
 */
export function isInGroup(model: Model, group: Group, path: string): boolean {
  const others = new Set(
    mainGroups(model).map(({ folder }) => folder).filter((folder) =>
      folder !== group.folder && (group.folder === "" || isBelow(folder, group.folder))
    ),
  );
  const isInside = group.folder === "" || path === group.folder || isBelow(path, group.folder);
  const home = group.source.file.kind === "native" ? folderOf(group.source.file.path) : "";
  // A folder around another group's would bring that along.
  const isAround = [...others].some((folder) => path === "" || isBelow(folder, path));
  return isInside && (home === "" || path === home || isBelow(path, home)) && !isAround &&
    !isAtOrBelow(path, others);
}
