/** Compares the containers of every unit with what is declared: all of them, a few at a time. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import type { RealPath } from "../../artifacts/live/join.ts";
import { desiredOf, shownReplicas } from "../../artifacts/live/state.ts";
import { valueAt } from "../../artifacts/yaml/values.ts";
import { ServiceError } from "../../core/error.ts";
import type { ContainerRuntime, RunningContainer } from "../../core/runtime.ts";
import type { Digest } from "../fields/engine_view.ts";
import type { Declared } from "../fields/field.ts";
import { isOpenRow } from "../fields/table.ts";
import type { UnitDifference } from "./findings.ts";
import { rememberedDifferences } from "./remembered.ts";
import { type EngineSide, remembering, sourcesOnce } from "./views.ts";

/** The result for one unit. */
export interface Compared {
  readonly differences: UnitDifference[];
  /** Said, and no differences. */
  readonly remarks: UnitDifference[];
  /** Containers that have gone since they were listed. */
  readonly gone: RunningContainer[];
  /** The reasons why containers could not be compared, a sentence for each. */
  readonly failures: string[];
}

/** A comparison that is asked for, and its surroundings. */
interface CompareOptions {
  readonly units: readonly Unit[];
  /** By the ids of units. */
  readonly containersOf: ReadonlyMap<string, readonly RunningContainer[]>;
  readonly contentsOf: ReadonlyMap<Group | null, ReadonlyMap<string, string>>;
  readonly engine: (backend: string) => EngineSide;
  readonly digest: Digest | null;
  readonly real: RealPath;
  /** The ids of the only units to compare. */
  readonly only: ReadonlySet<string> | undefined;
}

/** Containers that are inspected at a time. */
const AT_ONCE = 8;
/** Returns the result of each unit that has containers, by its id. */
export async function compare(
  model: Model,
  runtime: ContainerRuntime,
  { units, containersOf, contentsOf, engine, digest, real, only }: CompareOptions,
): Promise<Map<string, Compared>> {
  const groups = new Map(units.length === 0 ? [] : model.groups.map((group) => [group.id, group]));
  const jobs: { of: Declared; container: RunningContainer; into: Compared }[] = [];
  const found = new Map<string, Compared>();
  for (const unit of units) {
    const containers = containersOf.get(unit.id);
    const group = unit.group === null ? undefined : groups.get(unit.group);
    if (containers === undefined || group === undefined || (only !== undefined && !only.has(unit.id))) {
      continue;
    }
    const into: Compared = { differences: [], remarks: [], gone: [], failures: [] };
    found.set(unit.id, into);
    const { service } = unit;
    if (service === null) continue;
    for (const container of containers) jobs.push({ of: { model, group, unit, service }, container, into });
  }
  const once = { real: remembering(real), source: sourcesOnce(), digest };
  let next = 0;
  const work = async () => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const { of: { group }, container } = job;
      const disk = { ...once, contents: contentsOf.get(group)! }; // it is the group of one of the units
      await compareOne(job, { runtime, engine: engine(container.backend), disk });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, jobs.length) }, work));
  for (const unit of units) {
    const into = found.get(unit.id);
    if (into === undefined) continue;
    const standing = (containersOf.get(unit.id)?.length ?? 0) - into.gone.length;
    into.differences.push(...replicasDrift(unit, standing));
    into.differences.sort((a, b) =>
      compareText(a.field, b.field) || compareText(a.container ?? "", b.container ?? "")
    );
  }
  return found;
}

async function compareOne(
  { of, container, into }: {
    readonly of: Declared;
    readonly container: RunningContainer;
    readonly into: Compared;
  },
  around: Parameters<typeof rememberedDifferences>[2],
): Promise<void> {
  try {
    const found = await rememberedDifferences(of, container, around);
    if (found === null) into.gone.push(container);
    for (const { row, isRemark, ...one } of found ?? []) {
      const difference = { ...one, container: container.name, isOpen: isOpenRow(row) };
      into[isRemark ? "remarks" : "differences"].push(difference);
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    into.failures.push(error.discreet);
  }
}

const compareText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;

function replicasDrift(unit: Unit, standing: number): UnitDifference[] {
  if (unit.service === null) return [];
  // A unit that runs without an active profile was started with `--profile`.
  const desired = unit.service.active ? desiredOf(unit) : unit.service.replicas;
  if (desired === null || desired === standing || standing === 0) return [];
  return [{
    field: "replicas",
    container: null,
    isOpen: true,
    declared: shownReplicas(unit) === null ? "(a variable)" : String(desired),
    seen: String(standing),
    at: valueAt(unit.value, "scale") ?? valueAt(unit.value, "deploy", "replicas") ?? unit.source,
  }];
}
