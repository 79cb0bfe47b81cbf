/** Compares declared mounts with those of a container, by target. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Group, Model, Mount, Unit } from "../artifact.ts";
import { resolve } from "../files/paths.ts";
import { cleanPath } from "../compose/clean_path.ts";
import { isFilled, oneOrMany, textOf, valueAt, writtenOr } from "../yaml/values.ts";
import type { EngineView, Note } from "./engine_view.ts";
import { below } from "./join.ts";

/** Only declared mounts are compared: images bring volumes of their own. */
export function driftInMounts(
  model: Model,
  group: Group,
  unit: Unit,
  container: InspectedContainer,
  { mappedTo, realOf }: Pick<EngineView, "mappedTo" | "realOf">,
  note: Note,
): void {
  const running = new Map(container.mounts.map((mount) => [cleanPath(mount.target), mount]));
  const inMemory = new Set(container.tmpfs.map(cleanPath));
  for (const item of oneOrMany(valueAt(unit.value, "tmpfs"))) {
    const written = textOf(item)?.split(":")[0] ?? "";
    const target = cleanPath(written);
    if (written === "" || inMemory.has(target) || running.get(target)?.type === "tmpfs") continue;
    note(`mounts.${writtenOr(item, target)}`, "tmpfs", "(not mounted)");
  }
  for (const mount of unit.service!.mounts) {
    if (mount.unknown || mount.invalid !== null || mount.target === null) continue;
    const target = cleanPath(mount.target);
    const actual = running.get(target);
    const declared = sourceOf(model, group, unit, mount);
    const field = `mounts.${
      isFilled(mount.at) || isFilled(valueAt(mount.at, "target")) ? mount.shown.target : target
    }`;
    if (actual === undefined) {
      if (mount.type !== "tmpfs" || !inMemory.has(target)) {
        note(field, `${mount.type} ${declared.shown}`.trim(), "(not mounted)");
      }
      continue;
    }
    if (
      mount.type !== actual.type &&
      !(mount.type === "volume" && actual.type === "bind" && declared.real === null)
    ) {
      note(field, `${mount.type} ${declared.shown}`, `${actual.type} ${actual.source}`);
      continue;
    }
    const source = actual.type === "bind" ? trimmed(mappedTo(actual.source)) : actual.source;
    // Either may be a link, `/var/run` for one: the same place by another name is no difference.
    const moved = declared.real !== null && declared.real !== source &&
      (actual.type !== "bind" || realOf(declared.real) !== realOf(source));
    if (moved) {
      note(field, declared.shown, actual.source);
    }
    if (mount.readOnly !== actual.readOnly) {
      note(
        field,
        mount.readOnly ? "read-only" : "writable",
        actual.readOnly ? "read-only" : "writable",
      );
    }
  }
}

/** The host paths that a unit mounts, as far as they are known. */
export function bindsOf(model: Model, group: Group, unit: Unit): string[] {
  return (unit.service?.mounts ?? []).flatMap((mount) => {
    if (mount.type !== "bind" || mount.unknown || mount.invalid !== null) return [];
    return sourceOf(model, group, unit, mount).real ?? [];
  });
}

/** The source where it can be told, and how to show it. */
function sourceOf(
  model: Model,
  group: Group,
  unit: Unit,
  mount: Mount,
): { real: string | null; shown: string } {
  const { source, type } = mount;
  const shown = mount.shown.source ?? "(anonymous)";
  if (source === null) return { real: null, shown: "(anonymous)" };
  if (type === "volume") {
    const volume = group.resources.find((resource) => resource.kind === "volume" && resource.key === source);
    return { real: volume?.name ?? null, shown: volume?.written ?? shown };
  }
  if (type !== "bind") return { real: null, shown };
  const use = unit.paths.find((path) =>
    path.kind === "bind" && path.at.start === mount.sourceAt.start && path.at.file === mount.sourceAt.file
  );
  if (use !== undefined && use.path !== null) return { real: below(model.root, use.path), shown };
  if (use !== undefined && /^\.\.?(?:\/|$)/.test(source)) {
    return { real: outside(model.root, use.folder, source), shown };
  }
  return { real: source.startsWith("/") ? trimmed(source) : null, shown };
}

const trimmed = (path: string): string => path.length > 1 ? path.replace(/\/+$/, "") : path;

/** A relative path that leaves the workspace, joined without the disk. */
function outside(root: string, folder: string, source: string): string | null {
  const path = resolve("/", `${root}/${folder}`.replace(/^\/+|\/+$/g, ""), source);
  return path === null ? null : `/${path}`;
}
