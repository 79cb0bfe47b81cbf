/** What was found of one group: its units beside their containers. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import type { Joined } from "../../artifacts/live/join.ts";
import type { Drift, UnitLive } from "../../artifacts/live/live.ts";
import { ofService, serviceDrift } from "./service_look.ts";
import { groupStateOf, shownDesired, stateOf } from "../../artifacts/live/state.ts";
import { verdictOf, worstOf } from "../../artifacts/live/verdict.ts";
import { locationOf } from "../../artifacts/position.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import { type Bundle, type Own, replicaNumber } from "./bundles.ts";
import type { Compared } from "./compare.ts";
import type { UnitDifference } from "./findings.ts";
import { unreadReason } from "./unread.ts";

/** A group, or the units that belong to none. The same object as before while nothing of it changed. */
export interface GroupLook {
  readonly group: Group | null;
  /** By the ids of its units, and its own. */
  readonly live: ReadonlyMap<string, UnitLive>;
  /** The same containers as lists show them, by the id of their unit. */
  readonly containers: ReadonlyMap<string, readonly RunningContainer[]>;
  readonly joined: readonly Joined[];
  readonly differences: ReadonlyMap<string, readonly UnitDifference[]>;
}

/** Judges every unit of the bundle. `compared` has the results of those that were compared. */
export function judged(
  { group, units, joined, services }: Bundle,
  byUnit: Map<string, Own>,
  compared: ReadonlyMap<string, Compared>,
  unheard: ReadonlyMap<string, string>,
  model: Model,
): GroupLook {
  const live = new Map<string, UnitLive>();
  const differences = new Map<string, readonly UnitDifference[]>();
  const unread = group === null ? null : unreadReason(group);
  for (const unit of units) {
    const result = compared.get(unit.id);
    if (result !== undefined) {
      leaveOut(result.gone, byUnit, unit.id);
      differences.set(unit.id, result.differences);
    }
    const own = byUnit.get(unit.id);
    const service = own === undefined ? services.get(unit.id) : undefined;
    if (service === undefined || group === null) {
      live.set(unit.id, liveOf(unit, own, result, { unheard, unread }));
      continue;
    }
    const drift = serviceDrift({ model, group, unit }, service);
    differences.set(unit.id, drift);
    const shown = service.known === null ? null : drift.map(shownDrift);
    live.set(unit.id, { ...ofService({ group, unit }, service, drift.length), drift: shown });
  }
  if (group?.standing === "main") live.set(group.id, ofGroup(group, live, joined, services));
  const containers = new Map([...byUnit].map(([id, { containers }]) => [id, containers]));
  return { group, live, containers, joined, differences };
}

function liveOf(
  unit: Unit,
  own: Own | undefined,
  result: Compared | undefined,
  { unheard, unread }: { readonly unheard: ReadonlyMap<string, string>; readonly unread: string | null },
): UnitLive {
  const containers = own?.containers ?? [];
  const silence = silenceOf(containers, unheard);
  const seen = {
    state: stateOf(unit, containers),
    desired: shownDesired(unit),
    drift: driftOf(result) ?? (own === undefined ? [] : null),
    notCompared: unread ?? silence ?? reasonOf(result),
  };
  const isActive = unit.service?.active ?? true;
  return {
    verdict: verdictOf({ ...seen, isLastKnown: silence !== null }, isActive, containers),
    ...seen,
    ...(result !== undefined && result.remarks.length > 0 && { remarks: result.remarks.map(shownDrift) }),
    match: own?.match ?? null,
    containers: containers.map(shown),
  };
}

/** Containers that have gone since they were listed count as if they had never been. */
function leaveOut(gone: readonly RunningContainer[], byUnit: Map<string, Own>, id: string): void {
  const own = byUnit.get(id);
  if (own === undefined || gone.length === 0) return;
  const containers = own.containers.filter((one) => !gone.includes(one));
  if (containers.length > 0) byUnit.set(id, { ...own, containers });
  else byUnit.delete(id);
}

/** Returns why nobody can tell how containers of a unit are now; null where every engine in question answers. */
function silenceOf(
  containers: readonly RunningContainer[],
  unheard: ReadonlyMap<string, string>,
): string | null {
  if (unheard.size === 0) return null;
  const [silent] = containers.filter(({ backend }) => unheard.has(backend));
  if (silent !== undefined) {
    return `Engine "${silent.backend}" cannot be asked (${unheard.get(silent.backend)}): this was seen last`;
  }
  return containers.length === 0
    ? `It may run on an engine that cannot be asked: ${[...unheard.keys()].join(", ")}`
    : null;
}

/** Null where nothing was compared. */
function driftOf(result: Compared | undefined): Drift[] | null {
  if (result === undefined || (result.failures.length > 0 && result.differences.length === 0)) return null;
  return result.differences.map(shownDrift);
}

/** The difference behind each drift, for telling values: nothing of it is in an answer by itself. */
const behind = new WeakMap<Drift, UnitDifference>();

export const differenceBehind = (drift: Drift): UnitDifference | null => behind.get(drift) ?? null;

function shownDrift(difference: UnitDifference): Drift {
  const { field, container, declared, seen, at, mount } = difference;
  const drift: Drift = {
    field,
    container,
    declared,
    actual: seen,
    location: locationOf(at),
    ...(mount !== undefined && { mount }),
  };
  behind.set(drift, difference);
  return drift;
}

function reasonOf(result: Compared | undefined): string | null {
  const [first, ...others] = result?.failures ?? [];
  if (first === undefined) return null;
  return others.length === 0 ? first : `${first}, and ${others.length} more like it`;
}

const shown = (container: RunningContainer): UnitLive["containers"][number] => ({
  id: container.id,
  name: container.name,
  number: replicaNumber(container),
  state: container.state,
  health: container.health,
  exitCode: container.exitCode,
  condition: container.condition,
  startedAt: container.startedAt,
  backend: container.backend,
});

function ofGroup(
  group: Group,
  live: ReadonlyMap<string, UnitLive>,
  joined: readonly Joined[],
  services: Bundle["services"],
): UnitLive {
  const [service] = services.values();
  const units = group.units.flatMap((unit) => live.get(unit.id) ?? []);
  return {
    verdict: worstOf(units.map(({ verdict }) => verdict)),
    state: groupStateOf(units),
    desired: units.reduce<number | null>(
      (sum, { desired }) => sum === null || desired === null ? null : sum + desired,
      0,
    ),
    match: joined[0]?.match ?? service?.match ?? null,
    containers: [],
    notCompared: units.find(({ notCompared }) => notCompared !== null)?.notCompared ?? null,
    // Null only where none of its units was compared.
    drift: units.every(({ drift }) => drift === null) ? null : units.flatMap(({ drift }) => drift ?? []),
  };
}
