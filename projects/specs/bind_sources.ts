/** The bind mounts of a group's services, and where their sources lead now. */

import type { Group, Model } from "../../artifacts/artifact.ts";
import { isBelow } from "../../artifacts/files/inside.ts";
import { followed } from "../../artifacts/files/real_folder.ts";
import { mapped, onEngine, sentAs, sentFor } from "../../artifacts/live/mapped_paths.ts";
import type { ContainerSpec, Holdings, HostSight } from "../../core/runtime.ts";
import type { Asked, Declared } from "../fields/field.ts";
import { plannedSpec } from "./container_spec.ts";
import { HostPlaces, type Placed } from "./host_places.ts";

export const bindsIn = ({ mounts = [] }: Asked | Partial<ContainerSpec>): ContainerSpec["mounts"] =>
  mounts.filter(({ type, source }) => type === "bind" && source !== "");

const declaredBinds = (of: Declared) => bindsIn(plannedSpec(of));

/** The engine that mounts sources, and how berth learns what it sees of the workspace. */
interface Mounting {
  readonly model: Model;
  readonly group: Group;
  /** The engine's name. */
  readonly engine: string;
  readonly holdings: Pick<Holdings, "boundPaths">;
  /** The engine's sight of the workspace's folder; asked only for sources that it has by another path. */
  readonly sight: () => Promise<HostSight>;
}

/** Returns the places of these sources among the paths that containers on the engine or of the group mount. */
export async function placesOf(
  mounting: Mounting,
  sources: Iterable<string>,
): Promise<ReadonlyMap<string, Placed>> {
  const { model, group, engine, holdings } = mounting;
  const wanted = new Set(sources);
  if (wanted.size === 0) return new Map();
  const held = holdings.boundPaths.filter(({ backend }) => backend === engine)
    // As the engine has them, too: a file must not map a folder away that a container writes to.
    .flatMap(({ path, isWritable }) =>
      [...new Set([path, mapped(model, path), ...sentAs(model, path)])].map((one) => ({
        path: one,
        isWritable,
      }))
    );
  const declared = unitsOf(model, group).flatMap((of) =>
    // Others need the host's permission themselves.
    declaredBinds(of).flatMap(({ source, readOnly }) =>
      readOnly || !(source === model.root || isBelow(source, model.root)) ? [] : [source]
    )
  );
  const real = async (paths: readonly string[]) => {
    const all = await Promise.all([...new Set(paths)].map(followed));
    return [...new Set(all)].filter((path) => path !== null);
  };
  const writable = held.filter(({ isWritable }) => isWritable).map(({ path }) => path);
  const writableNow = await real([...writable, ...declared]);
  const places = new HostPlaces(model, group, {
    writable: writableNow,
    // As they were sent, too: by now such a path can be a link.
    mounted: [...held.map(({ path }) => path), ...await real(held.map(({ path }) => path))],
  });
  return await withSent(
    mounting,
    new Map(
      await Promise.all([...wanted].map(async (source) => [source, await places.placeOf(source)] as const)),
    ),
    [...writable, ...writableNow],
  );
}

/**
 * Judges by what the engine is asked for: settings that map a path are files of the workspace. A mapping counts only if
 * the engine sees the workspace's folder there, and if no container can exchange a part of the way.
 */
async function withSent(
  { model, sight }: Mounting,
  places: ReadonlyMap<string, Placed>,
  writable: readonly string[],
): Promise<ReadonlyMap<string, Placed>> {
  const there = onEngine(model, model.root);
  const isElsewhere = ({ path }: Placed) => sentFor(model, path) !== path;
  if (![...places.values()].some(isElsewhere)) return places;
  const isSame = PLAIN_PATH.test(there) && await sight() === "same";
  const isProven = ({ path }: Placed) => {
    const sent = sentFor(model, path);
    return isSame && sent === `${there}${path.slice(model.root.length)}` &&
      !writable.some((folder) => isBelow(sent, folder));
  };
  return new Map(
    [...places].map(([source, one]) =>
      isElsewhere(one) && ["own", "workspace"].includes(one.place) && !isProven(one)
        ? [source, { ...one, place: "mapped" }]
        : [source, one]
    ),
  );
}

/** A whole path without steps back. */
const PLAIN_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/;

/** Returns the sources of all services of the group. */
export const sourcesOf = (model: Model, group: Group): readonly string[] =>
  unitsOf(model, group).flatMap((of) => declaredBinds(of).map(({ source }) => source));

/** Returns the sources in the workspace that are loops of links, which nobody can follow. */
export async function loopsIn({ root }: Model, sources: Iterable<string>): Promise<ReadonlySet<string>> {
  const inside = [...sources].filter((source) => isBelow(source, root));
  const loops = await Promise.all(inside.map(async (source) => await isLoop(source) ? source : null));
  return new Set(loops.filter((source) => source !== null));
}

async function isLoop(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return false;
  } catch (error) {
    return error instanceof Deno.errors.FilesystemLoop;
  }
}

const unitsOf = (model: Model, group: Group): Declared[] =>
  group.units.flatMap((unit) => unit.service === null ? [] : [{ model, group, unit, service: unit.service }]);
