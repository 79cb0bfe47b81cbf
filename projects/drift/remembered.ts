/** The differences of each container, remembered until something that they were found from changes. */

import type { Unit } from "../../artifacts/artifact.ts";
import type { RealPath } from "../../artifacts/live/join.ts";
import type { ContainerRuntime, InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { EngineView } from "../fields/engine_view.ts";
import type { Declared } from "../fields/field.ts";
import { differencesOf, type FieldDifference } from "../fields/table.ts";
import { type DiskSide, type EngineSide, viewFor } from "./views.ts";

/** The surroundings of a comparison. */
interface Around {
  readonly runtime: ContainerRuntime;
  readonly engine: EngineSide;
  readonly disk: DiskSide;
}

/** The questions of a comparison to its surroundings, and the answers. */
interface Asked {
  readonly images: Map<string, string | undefined>;
  readonly neighbours: Map<string, string | undefined>;
  readonly paths: Map<string, string | null>;
  /** The files and folders behind mounts, each as one text. */
  readonly sources: Map<string, string>;
}

interface Remembered {
  /** The inputs, compared by identity or as one text. */
  readonly from: readonly unknown[];
  readonly asked: Asked;
  /** Null where the container is gone. */
  readonly found: Promise<readonly FieldDifference[] | null>;
  /** The same once it is there; undefined until then. */
  known?: readonly FieldDifference[] | null;
  /** When the paths were last asked for. */
  pathsAt: number;
  sourcesAt: number;
}

/** No event tells that a link leads elsewhere. The first time comes earlier, so that not all are asked for at once. */
const PATHS_MS = 10_000;
/** No event tells that a mounted file was replaced. */
const SOURCES_MS = 1_000;
let replacedAt = -Infinity;

/** Makes every remembered source old: berth itself has replaced one. */
export function lookAgainAtSources(): void {
  replacedAt = performance.now();
}

/** Callers of different scopes see different images and neighbours: each kind has an entry of its own. */
const MOST_VIEWS = 4;

/**
 * Both are kept by the container's row, which the mirror replaces when the engine tells anything else of it, and the second also by the unit,
 * which the registry replaces when its group changes. What is old is therefore never found, and goes with its keys.
 */
const inspections = new WeakMap<RunningContainer, Promise<InspectedContainer | null>>();
const remembered = new WeakMap<RunningContainer, WeakMap<Unit, readonly Remembered[]>>();

/**
 * Returns the differences of a container, and null where it is gone. Asks the engine only if the container was read
 * since, and compares again only if an answer would be another. Throws what `inspect` throws, and forgets that.
 */
export async function rememberedDifferences(
  of: Declared,
  container: RunningContainer,
  around: Around,
): Promise<readonly FieldDifference[] | null> {
  const from = inputsOf(of, around);
  let byUnit = remembered.get(container);
  if (byUnit === undefined) remembered.set(container, byUnit = new WeakMap());
  const known = (byUnit.get(of.unit) ?? []).filter((one) => from.every((it, at) => it === one.from[at]));
  for (const one of known) {
    const found = await one.found;
    if (await isStill(one, around)) return found;
  }
  const asked: Asked = { images: new Map(), neighbours: new Map(), paths: new Map(), sources: new Map() };
  const found = compared(of, container, noting(around, asked));
  const now = performance.now();
  const made: Remembered = { from, asked, found, pathsAt: now - Math.random() * PATHS_MS, sourcesAt: now };
  byUnit.set(of.unit, [made, ...known].slice(0, MOST_VIEWS));
  try {
    const differences = made.known = await found;
    if (differences === null) byUnit.delete(of.unit); // it may be there again under the same row
    return differences;
  } catch (error) {
    byUnit.delete(of.unit);
    throw error;
  }
}

/** Returns the inputs of every comparison of a group's containers on one engine. */
export function inputsOf(
  { group, model: { root, settings: { paths } } }: Pick<Declared, "group" | "model">,
  { engine, disk }: { readonly engine: EngineSide; readonly disk: Pick<DiskSide, "digest" | "contents"> },
): readonly unknown[] {
  const places = paths.length === 0 ? "" : JSON.stringify(paths);
  const unheld = [...engine.unheld ?? []].sort().join();
  return [group, root, places, engine.kind, engine.isHere, unheld, disk.digest, textOf(disk.contents)];
}

/**
 * Returns the differences that are known and hold without asking the disk again; undefined otherwise. `from` are the
 * inputs as `inputsOf` has them.
 */
export function knownDifferences(
  unit: Unit,
  container: RunningContainer,
  from: readonly unknown[],
  engine: EngineSide,
): readonly FieldDifference[] | undefined {
  const now = performance.now();
  const own = remembered.get(container)?.get(unit) ?? [];
  const known = own.find((one) => from.every((it, at) => it === one.from[at]) && isSame(one, engine));
  if (known === undefined || areSourcesDue(known, now) || arePathsDue(known, now)) return undefined;
  return known.known ?? undefined;
}

async function compared(
  of: Declared,
  container: RunningContainer,
  { runtime, engine, disk }: Around,
): Promise<readonly FieldDifference[] | null> {
  const inspected = await inspection(container, runtime);
  return inspected && differencesOf(of, inspected, await viewFor(of, inspected, engine, disk));
}

async function inspection(
  container: RunningContainer,
  runtime: ContainerRuntime,
): Promise<InspectedContainer | null> {
  let inspected = inspections.get(container);
  if (inspected === undefined) {
    inspections.set(container, inspected = runtime.inspect(container.id, container.backend));
  }
  try {
    const found = await inspected;
    if (found === null) inspections.delete(container);
    return found;
  } catch (error) {
    inspections.delete(container);
    throw error;
  }
}

/** The same surroundings, which note what is asked of them: whatever a comparison may ask for has to be here. */
function noting({ runtime, engine, disk }: Around, { images, neighbours, paths, sources }: Asked): Around {
  return {
    runtime,
    engine: {
      kind: engine.kind,
      isHere: engine.isHere,
      imageNow: (name) => noted(images, name, engine.imageNow(name)),
      neighbour: (id) => {
        const found = engine.neighbour(id);
        noted(neighbours, id, textOfNeighbour(found));
        return found;
      },
      ...(engine.unheld !== undefined && { unheld: engine.unheld }),
    },
    disk: {
      ...disk,
      real: async (path) => noted(paths, path, await disk.real(path)),
      source: async (path) => {
        const found = await disk.source(path);
        noted(sources, path, JSON.stringify(found));
        return found;
      },
    },
  };
}

function noted<Answer>(answers: Map<string, Answer>, asked: string, answer: Answer): Answer {
  answers.set(asked, answer);
  return answer;
}

async function isStill(known: Remembered, { engine, disk }: Around): Promise<boolean> {
  if (!isSame(known, engine)) return false;
  const now = performance.now();
  if (areSourcesDue(known, now)) {
    const { sources } = known.asked;
    for (const [path, text] of sources) if (JSON.stringify(await disk.source(path)) !== text) return false;
    known.sourcesAt = now;
  }
  if (!arePathsDue(known, now)) return true;
  if (!await areStill(known.asked.paths, disk.real)) return false;
  known.pathsAt = now;
  return true;
}

/** Returns true if the engine would answer as it did. */
function isSame({ asked: { images, neighbours } }: Remembered, engine: EngineSide): boolean {
  for (const [name, id] of images) if (engine.imageNow(name) !== id) return false;
  for (const [id, text] of neighbours) if (textOfNeighbour(engine.neighbour(id)) !== text) return false;
  return true;
}

const areSourcesDue = ({ asked: { sources }, sourcesAt }: Remembered, now: number): boolean =>
  sources.size > 0 && (now - sourcesAt >= SOURCES_MS || sourcesAt < replacedAt);

const arePathsDue = ({ asked: { paths }, pathsAt }: Remembered, now: number): boolean =>
  paths.size > 0 && now - pathsAt >= PATHS_MS;

async function areStill(paths: Asked["paths"], real: RealPath): Promise<boolean> {
  for (const [path, place] of paths) if (await real(path) !== place) return false;
  return true;
}

const textOfNeighbour = (found: ReturnType<EngineView["neighbour"]>): string | undefined =>
  found && `${found.service} ${found.name}`;

const textOf = (contents: EngineView["contents"]): string =>
  contents.size === 0 ? "" : JSON.stringify([...contents]);
