/** The unit that a service of a swarm is declared as, with all its differences from its file. */
import { useRef } from "preact/hooks";
import { PROJECT } from "../../client/berth/projects.ts";
import type { SwarmService } from "../../client/berth/services.ts";
import { readUnit, seenUnit, type Unit } from "./overview.ts";
import type { Row } from "./projects.ts";
import { type Resource, useResource } from "./resource.ts";
import { useRows } from "./rows.ts";
import { client, may } from "./session.ts";

export interface DeclaredService {
  readonly unit: Unit;
  readonly project: Pick<Row, "id" | "name">;
  /** True if the caller may plan the project. */
  readonly mayPlan: boolean;
}

/** Projects that are read in search of one service: the first is the right one but for stacks that berth.yaml names. */
const MOST_PROJECTS = 20;

/**
 * Reads the unit of a service, and again whenever the row of a project that may declare it is another one. Null where
 * no project declares it; nothing is read for callers without `artifacts:read`.
 */
export function useDeclared(service: SwarmService): Resource<DeclaredService | null> {
  const rows = useRows(may("artifacts:read") ? "projects" : null, "projects").value.value?.items;
  const candidates = candidatesOf(rows ?? [], service);
  const latest = useRef(candidates);
  latest.current = candidates;
  return useResource(
    rows === undefined ? null : `declared ${service.id}`,
    (signal) => readDeclared(latest.current, service.id, signal),
    { live: false, revision: candidates.map(({ id, revision }) => `${id} ${revision}`).join("\n") },
  );
}

/** Returns the declared projects that run in a swarm, the one with the name of the stack first. */
function candidatesOf(rows: readonly Row[], { stack }: SwarmService): readonly Row[] {
  return rows.filter(({ swarm, workspace }) => swarm !== null && workspace !== null)
    .sort((one, other) => Number(other.project === stack) - Number(one.project === stack))
    .slice(0, MOST_PROJECTS);
}

async function readDeclared(
  candidates: readonly Row[],
  service: string,
  signal: AbortSignal,
): Promise<DeclaredService | null> {
  for (const { id, name } of candidates) {
    const { units, acts } = (await client.get(PROJECT, { params: { id }, signal })).json();
    const told = units.find((one) => one.service?.id === service);
    if (told === undefined) continue;
    const unit = seenUnit(told);
    // A project tells the first ones of a unit.
    const rest = told.differences > told.drift.length
      ? seenUnit({ ...told, drift: await driftOf(told, signal) }).differences.slice(told.drift.length)
      : [];
    return {
      unit: { ...unit, differences: [...unit.differences, ...rest] },
      project: { id, name },
      mayPlan: acts.some(({ act, allowed }) => act === "plan" && allowed),
    };
  }
  return null;
}

const driftOf = async ({ workspace, name }: Pick<Unit, "workspace" | "name">, signal: AbortSignal) =>
  (await readUnit(workspace, name, signal)).live?.drift ?? [];
