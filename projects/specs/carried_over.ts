/** The mounts that a new container takes over from the one that it replaces. */

import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";

type Mounts = ContainerSpec["mounts"];

/** Returns the mounts of a new container, with the old one's volumes at the places where nobody names one: their data would be out of reach. */
export function carriedOver({ mounts = [] }: Partial<ContainerSpec>, old: InspectedContainer): Mounts {
  const targets = new Map(mounts.map((mount) => [cleanPath(mount.target), mount]));
  const ofImage = new Set((old.imageDefaults?.volumes ?? []).map(cleanPath));
  const carried = old.mounts.filter(({ type, source, target }) => {
    if (type !== "volume" || source === "") return false;
    const declared = targets.get(cleanPath(target));
    return declared === undefined
      ? ofImage.has(cleanPath(target))
      : declared.type === "volume" && declared.source === "";
  });
  const taken = new Set(carried.map(({ target }) => cleanPath(target)));
  return [...mounts.filter(({ target }) => !taken.has(cleanPath(target))), ...carried];
}
