/** One declared project beside what runs of it, remembered while nothing of it changes. */
import type { Group, Model, Unit } from "../artifacts/artifact.ts";
import { locationOf } from "../artifacts/position.ts";
import { maskDeclared } from "../core/secrets.ts";
import type { GroupLook } from "../projects/drift/group_look.ts";
import { type ComparedProject, containerOf, MOST_DIFFERENCES, type OverviewUnit } from "./compared.ts";
import { driftWithValues, imageWithValues } from "./compared_values.ts";
import type { OpenNow } from "./incident_rows.ts";

/** The parts of a project that are not in its look. */
interface Surroundings {
  readonly workspace: ComparedProject["workspace"];
  readonly whole: Model;
  readonly open: OpenNow;
  /** True if the caller may see values of variables. */
  readonly mayResolve: boolean;
}

interface Remembered {
  readonly from: readonly unknown[];
  readonly project: ComparedProject;
}

/** Callers may see values, or not. */
const MOST_VIEWS = 4;
const remembered = new WeakMap<GroupLook, readonly Remembered[]>();

/** Returns the project. Without a look, nothing is known of what runs. */
export function projectOf(group: Group, look: GroupLook | undefined, around: Surroundings): ComparedProject {
  if (look === undefined) return madeOf(group, look, around);
  const { workspace, whole, open, mayResolve } = around;
  const marks = group.units.map(({ id }) => open.ofUnit(workspace.id, id, look.containers.get(id) ?? []));
  const from = [workspace.id, workspace.name, mayResolve ? whole : null, ...marks];
  const all = remembered.get(look) ?? [];
  const known = all.find((one) => one.from.every((it, at) => it === from[at]));
  if (known !== undefined) return known.project;
  const project = madeOf(group, look, around);
  remembered.set(look, [{ from, project }, ...all].slice(0, MOST_VIEWS));
  return project;
}

function madeOf(group: Group, look: GroupLook | undefined, around: Surroundings): ComparedProject {
  const ofUnits = group.units.flatMap(({ id }) => look?.containers.get(id) ?? []);
  const joined = look?.joined.flatMap(({ running }) => running.containers) ?? [];
  return {
    workspace: around.workspace,
    group,
    units: unitsOf(group.units, group, look, around),
    containers: [...new Set([...ofUnits, ...joined])],
  };
}

/** Returns those of the units that somebody should know of. */
export function unitsOf(
  units: readonly Unit[],
  group: Group | null,
  look: GroupLook | undefined,
  { workspace, whole, open, mayResolve }: Surroundings,
): OverviewUnit[] {
  const around = group !== null && mayResolve ? { group, model: whole } : null;
  return units.flatMap((unit): OverviewUnit[] => {
    const runs = look?.live.get(unit.id);
    const verdict = runs === undefined ? "unknown" : runs.verdict;
    if (verdict === null) return [];
    const drift = runs?.drift ?? [];
    const containers = look?.containers.get(unit.id) ?? [];
    return [{
      workspace: workspace.id,
      id: unit.id,
      name: unit.name,
      group: group?.name ?? null,
      verdict,
      state: runs?.state ?? null,
      desired: runs?.desired ?? null,
      image: imageOf(unit),
      ...imageWithValues(unit, around),
      location: locationOf(unit.source),
      containers: containers.map(containerOf),
      ...(runs?.service !== undefined && { service: runs.service }),
      differences: drift.length,
      drift: drift.slice(0, MOST_DIFFERENCES).map((one) => driftWithValues(one, around)),
      notCompared: runs?.notCompared ?? null,
      incident: look === undefined ? null : open.ofUnit(workspace.id, unit.id, containers),
    }];
  });
}

function imageOf({ service }: Unit): string | null {
  const written = service?.writtenImage ?? null;
  return written === null ? null : maskDeclared(written);
}
