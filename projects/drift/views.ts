/** The surroundings of a compared container: the engine around it and the disk below it, read once for many. */

import { type RealPath } from "../../artifacts/live/join.ts";
import { mapped, rootOf } from "../../artifacts/live/mapped_paths.ts";
import { valueAt } from "../../artifacts/yaml/values.ts";
import { isInside } from "../../artifacts/files/inside.ts";
import { type BindSource, bindSourceAt } from "../../core/bind_source.ts";
import type { ContainerRuntime, Holdings, InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { Model } from "../../artifacts/artifact.ts";
import type { EngineView } from "../fields/engine_view.ts";
import type { Declared } from "../fields/field.ts";
import { bindsOf } from "../fields/mounts.ts";
import { fullImage } from "../fields/process.ts";

/** The facts that are known of an engine. */
export interface EngineSide extends Pick<EngineView, "kind" | "neighbour" | "imageNow" | "unheld"> {
  /** True if its paths and times are those of this machine. */
  readonly isHere: boolean;
}

/** Looks at the source of a mount. */
type LookAtSource = (path: string) => Promise<BindSource | "absent" | null>;

/** The facts that are known of this machine. */
export interface DiskSide extends Pick<EngineView, "digest" | "contents"> {
  readonly real: RealPath;
  readonly source: LookAtSource;
}

/** Asks the disk once for each path: containers of one project have their folders in common. */
export function remembering<Answer>(
  ask: (path: string) => Promise<Answer>,
): (path: string) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (path) => {
    let found = known.get(path);
    if (found === undefined) known.set(path, found = ask(path));
    return found;
  };
}

/** Looks at each source once. */
export const sourcesOnce = (): LookAtSource => remembering(bindSourceAt);

/** The engines as one look finds them. */
interface EngineViews {
  readonly of: (backend: string) => EngineSide;
  /** Another text when an engine is of another kind, or its paths may be others. */
  readonly sign: string;
}

/** Reads all engines once. */
export async function engineViews(
  runtime: ContainerRuntime,
  holdings: Holdings | null,
  containers: readonly RunningContainer[],
  model: Model,
): Promise<EngineViews> {
  const images = new Map(
    (holdings?.images ?? []).filter(({ name }) => !name.includes("@")) // a digest never moves to another image
      .map(({ name, id, backend }) => [`${backend} ${fullImage(name)}`, id]),
  );
  let neighbours: ReadonlyMap<string, ReturnType<EngineSide["neighbour"]>> | undefined;
  const here = await enginesHere(runtime, containers, model);
  const unheld = await unheldLimits(runtime, containers, model);
  const kinds = new Map(runtime.backends().map(({ name, kind }) => [name, kind]));
  const sides = new Map<string, EngineSide>();
  const sideOf = (backend: string): EngineSide => ({
    kind: kinds.get(backend) ?? "docker",
    isHere: here.has(backend),
    neighbour: (id) => (neighbours ??= neighboursOf(containers)).get(`${backend} ${id}`),
    imageNow: (name) => images.get(`${backend} ${name}`),
    ...(unheld.has(backend) && { unheld: unheld.get(backend)! }),
  });
  return {
    of: (backend) => {
      const side = sides.get(backend) ?? sideOf(backend);
      sides.set(backend, side);
      return side;
    },
    sign: JSON.stringify(
      [...kinds].map(([name, kind]) => [name, kind, here.has(name), [...unheld.get(name) ?? []]]),
    ),
  };
}

/** Keys of a service below which a limit stands that a kernel may be unable to hold. */
const LIMITS = ["mem_limit", "mem_reservation", "memswap_limit", "oom_kill_disable", "pids_limit"]
  .concat(["cpu_shares", "cpuset", "cpu_period", "cpu_quota", "deploy"]);

/** Folders as they were read, of which a file declares a limit. */
const limited = new WeakMap<Model, boolean>();

function declaresLimit(model: Model): boolean {
  let found = limited.get(model);
  if (found === undefined) {
    found = model.units.some(({ value }) => LIMITS.some((key) => valueAt(value, key) !== null));
    limited.set(model, found);
  }
  return found;
}

/** Asks engines only where a file declares a limit. */
async function unheldLimits(
  runtime: ContainerRuntime,
  containers: readonly RunningContainer[],
  model: Model,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, ReadonlySet<string>>();
  if (!declaresLimit(model)) return found;
  for (const backend of new Set(containers.map(({ backend }) => backend))) {
    const unheld = await runtime.unheldLimits?.(backend) ?? new Set<string>();
    if (unheld.size > 0) found.set(backend, unheld);
  }
  return found;
}

function neighboursOf(containers: readonly RunningContainer[]) {
  return new Map(
    containers.flatMap(({ id, name, compose, backend }) =>
      compose === null ? [] : [[`${backend} ${id}`, { service: compose.service, name }] as const]
    ),
  );
}

/** Returns the engines of this machine that do not see another folder than berth in the place of the workspace. */
async function enginesHere(
  runtime: ContainerRuntime,
  containers: readonly RunningContainer[],
  model: Model,
): Promise<ReadonlySet<string>> {
  const used = new Set(containers.map(({ backend }) => backend));
  const here = new Set<string>();
  for (const { name, address } of runtime.backends()) {
    if (!used.has(name) || !address.startsWith("unix:")) continue;
    const sight = await runtime.sightOf(rootOf(model), name);
    if (sight === "same" || sight === "unknown") here.add(name);
  }
  return here;
}

/** The view from one container: with the real paths of its folders and of those its unit names. */
export async function viewFor(
  of: Declared,
  container: InspectedContainer,
  engine: EngineSide,
  { real, source, digest, contents }: DiskSide,
): Promise<EngineView> {
  const binds = container.mounts.filter(({ type }) => type === "bind");
  const paths = [...binds.map(({ source }) => mapped(of.model, source)), ...bindsOf(of)];
  const places = new Map<string, string>();
  for (const path of paths) if (!places.has(path)) places.set(path, await real(path) ?? path);
  const sources = new Map<string, BindSource | "absent" | null>();
  for (const { source: path } of engine.isHere ? binds : []) {
    const here = mapped(of.model, path);
    if (isInside(here, of.model.root)) sources.set(path, await source(here));
  }
  return {
    ...engine,
    sourceAt: (path) => sources.get(path),
    digest,
    contents,
    mappedTo: (path) => mapped(of.model, path),
    realOf: (path) => places.get(path) ?? path,
  };
}
