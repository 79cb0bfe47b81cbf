/** The surroundings of a compared container: the engine around it and the disk below it, read once for many. */

import { mapped, type RealPath } from "../../artifacts/live/join.ts";
import type { ContainerRuntime, Holdings, InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { EngineView } from "../fields/engine_view.ts";
import type { Declared } from "../fields/field.ts";
import { bindsOf } from "../fields/mounts.ts";
import { fullImage } from "../fields/process.ts";

/** The facts that are known of an engine. */
export type EngineSide = Pick<EngineView, "kind" | "neighbour" | "imageNow">;

/** The facts that are known of this machine. */
export interface DiskSide extends Pick<EngineView, "digest" | "contents"> {
  readonly real: RealPath;
}

/** Asks the disk once for each path: containers of one project have their folders in common. */
export function remembering(real: RealPath): RealPath {
  const known = new Map<string, Promise<string | null>>();
  return (path) => {
    let found = known.get(path);
    if (found === undefined) known.set(path, found = real(path));
    return found;
  };
}

/** Reads all engines once and returns the side of each by its name. */
export function engineViews(
  runtime: ContainerRuntime,
  holdings: Holdings | null,
  containers: readonly RunningContainer[],
): (backend: string) => EngineSide {
  const images = new Map(
    (holdings?.images ?? []).map(({ name, id, backend }) => [`${backend} ${fullImage(name)}`, id]),
  );
  const neighbours = new Map(
    containers.flatMap(({ id, name, compose, backend }) =>
      compose === null ? [] : [[`${backend} ${id}`, { service: compose.service, name }]]
    ),
  );
  const kinds = new Map(runtime.backends().map(({ name, kind }) => [name, kind]));
  return (backend) => ({
    kind: kinds.get(backend) ?? "docker",
    neighbour: (id) => neighbours.get(`${backend} ${id}`),
    imageNow: (name) => images.get(`${backend} ${name}`),
  });
}

/** The view from one container: with the real paths of its folders and of those its unit names. */
export async function viewFor(
  of: Declared,
  container: InspectedContainer,
  engine: EngineSide,
  { real, digest, contents }: DiskSide,
): Promise<EngineView> {
  const binds = container.mounts.filter(({ type }) => type === "bind");
  const paths = [...binds.map(({ source }) => mapped(of.model, source)), ...bindsOf(of)];
  const places = new Map<string, string>();
  for (const path of paths) if (!places.has(path)) places.set(path, await real(path) ?? path);
  return {
    ...engine,
    digest,
    contents,
    mappedTo: (path) => mapped(of.model, path),
    realOf: (path) => places.get(path) ?? path,
  };
}
