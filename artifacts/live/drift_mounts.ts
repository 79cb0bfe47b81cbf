/** Mounts as declared against those a container has, by their target. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Group, Model, Mount, Unit } from "../artifact.ts";
import type { Note } from "./drift.ts";
import { below } from "./join.ts";

/** Only declared mounts are compared: images bring volumes of their own. */
export function driftInMounts(
  model: Model,
  group: Group,
  unit: Unit,
  container: InspectedContainer,
  mappedTo: (path: string) => string,
  note: Note,
): void {
  const running = new Map(container.mounts.map((mount) => [trimmed(mount.target), mount]));
  for (const mount of unit.service!.mounts) {
    if (mount.unknown || mount.invalid !== null || mount.target === null) continue;
    const target = trimmed(mount.target);
    const actual = running.get(target);
    const declared = sourceOf(model, group, unit, mount);
    if (actual === undefined) {
      // Engines list a tmpfs in another place, or not at all.
      if (mount.type !== "tmpfs") {
        note(`mounts.${target}`, `${mount.type} ${declared.shown}`, "(not mounted)");
      }
      continue;
    }
    if (
      mount.type !== actual.type &&
      !(mount.type === "volume" && actual.type === "bind" && declared.real === null)
    ) {
      note(`mounts.${target}`, `${mount.type} ${declared.shown}`, `${actual.type} ${actual.source}`);
      continue;
    }
    const source = actual.type === "bind" ? trimmed(mappedTo(actual.source)) : actual.source;
    if (declared.real !== null && declared.real !== source) {
      note(`mounts.${target}`, declared.shown, actual.source);
    }
    if (mount.readOnly !== actual.readOnly) {
      note(
        `mounts.${target}`,
        mount.readOnly ? "read-only" : "writable",
        actual.readOnly ? "read-only" : "writable",
      );
    }
  }
}

/** The real source where it can be told, and how to show it. */
function sourceOf(
  model: Model,
  group: Group,
  unit: Unit,
  mount: Mount,
): { real: string | null; shown: string } {
  const { source, type } = mount;
  if (source === null) return { real: null, shown: "(anonymous)" };
  if (type === "volume") {
    const volume = group.resources.find((resource) => resource.kind === "volume" && resource.key === source);
    return { real: volume?.name ?? null, shown: volume?.name ?? source };
  }
  if (type !== "bind") return { real: null, shown: source };
  const use = unit.paths.find((path) =>
    path.kind === "bind" && path.at.start === mount.sourceAt.start && path.at.file === mount.sourceAt.file
  );
  if (use !== undefined && use.path !== null) return { real: below(model.root, use.path), shown: source };
  return { real: source.startsWith("/") ? trimmed(source) : null, shown: source };
}

const trimmed = (path: string): string => path.length > 1 ? path.replace(/\/+$/, "") : path;
