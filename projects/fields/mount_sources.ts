/** The sources of mounts on the host, as the engine names them. */

import type { Mount, PathUse, Place, Service, Unit } from "../../artifacts/artifact.ts";
import { resolve } from "../../artifacts/files/paths.ts";
import { below } from "../../artifacts/live/join.ts";
import { withoutEnd } from "../../core/without_end.ts";
import type { Declared } from "./field.ts";

/** The source where it can be told, and how to show it. */
export function sourceOf(
  { model, group, unit }: Declared,
  mount: Mount,
): { real: string | null; shown: string } {
  const { source, type } = mount;
  const shown = mount.shown.source ?? "(anonymous)";
  if (source === null) return { real: null, shown: "(anonymous)" };
  if (type === "volume") {
    const volume = group.resources.find((resource) => resource.kind === "volume" && resource.key === source);
    return { real: volume?.name ?? null, shown: volume?.written ?? shown };
  }
  if (type === "image") return { real: source, shown };
  if (type !== "bind") return { real: null, shown };
  const use = pathOf(unit, mount);
  if (use !== undefined && use.path !== null) return { real: below(model.root, use.path), shown };
  if (use !== undefined && /^\.\.?(?:\/|$)/.test(source)) {
    return { real: outside(model.root, use.folder, source), shown };
  }
  return { real: source.startsWith("/") ? trimmed(source) : null, shown };
}

/** An image that a service mounts. */
interface MountedImage {
  readonly name: string;
  /** As the author wrote it. */
  readonly written: string;
  readonly at: Place;
}

/** Returns the images that a service mounts, each once. */
export function mountedImages({ mounts }: Service): readonly MountedImage[] {
  const found = mounts.flatMap(({ type, source, shown, sourceAt, unknown, invalid }) =>
    type !== "image" || source === null || unknown || invalid !== null
      ? []
      : [{ name: source, written: shown.source ?? source, at: sourceAt }]
  );
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

/** Returns the known facts about the path that a mount names; undefined for a mount without one. */
export const pathOf = ({ paths }: Unit, { sourceAt }: Mount): PathUse | undefined =>
  paths.find(({ kind, at }) => kind === "bind" && at.start === sourceAt.start && at.file === sourceAt.file);

export const trimmed = (path: string): string => path.length > 1 ? withoutEnd(path, "/") : path;

/** A relative path that leaves the workspace, joined without the disk. */
export function outside(root: string, folder: string, source: string): string | null {
  const path = resolve("/", withoutEnd(`${root}/${folder}`.replace(/^\/+/, ""), "/"), source);
  return path === null ? null : `/${path}`;
}
