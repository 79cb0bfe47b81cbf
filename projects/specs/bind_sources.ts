/** The bind mounts of a group's services, and where their sources lead now. */

import type { Group, Model } from "../../artifacts/artifact.ts";
import { isBelow } from "../../artifacts/files/inside.ts";
import { followed } from "../../artifacts/files/real_folder.ts";
import { mapped } from "../../artifacts/live/join.ts";
import type { ContainerSpec, Holdings } from "../../core/runtime.ts";
import type { Asked, Declared } from "../fields/field.ts";
import { plannedSpec } from "./container_spec.ts";
import { HostPlaces, type Placed } from "./host_places.ts";

export const bindsIn = ({ mounts = [] }: Asked | Partial<ContainerSpec>): ContainerSpec["mounts"] =>
  mounts.filter(({ type, source }) => type === "bind" && source !== "");

const declaredBinds = (of: Declared) => bindsIn(plannedSpec(of));

/** Returns the places of these sources among the paths that containers on the engine or of the group mount. */
export async function placesOf(
  model: Model,
  group: Group,
  engine: string,
  holdings: Pick<Holdings, "boundPaths">,
  sources: Iterable<string>,
): Promise<ReadonlyMap<string, Placed>> {
  const wanted = new Set(sources);
  if (wanted.size === 0) return new Map();
  const held = holdings.boundPaths.filter(({ backend }) => backend === engine)
    .map(({ path, isWritable }) => ({ path: mapped(model, path), isWritable }));
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
  const places = new HostPlaces(model, group, {
    writable: await real([...writable, ...declared]),
    // As they were sent, too: by now such a path can be a link.
    mounted: [...held.map(({ path }) => path), ...await real(held.map(({ path }) => path))],
  });
  return new Map(
    await Promise.all([...wanted].map(async (source) => [source, await places.placeOf(source)] as const)),
  );
}

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
