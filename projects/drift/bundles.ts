/** The groups of a workspace, each with its units and the containers that may be of them. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import type { Joined } from "../../artifacts/live/join.ts";
import type { Match } from "../../artifacts/live/live.ts";
import {
  serviceOf,
  type Stacks,
  stacksOf,
  stacksOfGroup,
  type UnitService,
} from "../../artifacts/live/stacks.ts";
import type { RunningServices } from "../../core/running_services.ts";
import type { RunningContainer } from "../../core/runtime.ts";

/** A group, or null for the units that belong to none, with what was found to run of it. */
export interface Bundle {
  readonly group: Group | null;
  readonly units: readonly Unit[];
  readonly joined: readonly Joined[];
  /** Containers of the running projects, and those that units name. */
  readonly rows: readonly RunningContainer[];
  /** The services of a swarm that units may run as, by the ids of the units. */
  readonly services: ReadonlyMap<string, UnitService>;
}

/** The containers of one unit. */
export interface Own {
  readonly containers: readonly RunningContainer[];
  readonly match: Match;
}

type Part = Pick<Bundle, "group" | "units">;
const parts = new WeakMap<Model, readonly Part[]>();

export function bundlesOf(
  model: Model,
  joined: readonly Joined[],
  containers: readonly RunningContainer[],
  services: RunningServices["items"] = [],
): Bundle[] {
  let own = parts.get(model);
  if (own === undefined) parts.set(model, own = partsOf(model));
  const byGroup = Map.groupBy(joined, ({ group }) => group);
  const named = new Set(model.units.flatMap(({ container }) => container ?? []));
  const byName = new Map(
    (named.size === 0 ? [] : containers).flatMap((one) => named.has(one.name) ? [[one.name, one]] : []),
  );
  const stacks = stacksOf(containers, services);
  return own.map(({ group, units }) => {
    const joined = group === null ? [] : byGroup.get(group) ?? [];
    const rows = joined.flatMap(({ running }) => running.containers);
    if (byName.size > 0) {
      rows.push(...units.flatMap(({ container }) => byName.get(container ?? "") ?? []));
    }
    return { group, units, joined, rows, services: servicesOf(model, { group, units }, stacks) };
  });
}

const NO_SERVICE: ReadonlyMap<string, UnitService> = new Map();

function servicesOf(
  { settings }: Model,
  { group, units }: Part,
  stacks: Stacks,
): ReadonlyMap<string, UnitService> {
  const own = group === null ? [] : stacksOfGroup(settings, group, stacks);
  if (own.length === 0) return NO_SERVICE;
  return new Map(units.flatMap((unit) => {
    const service = serviceOf(unit, own, stacks);
    return service === null ? [] : [[unit.id, service]];
  }));
}

/** All groups that have units or are drawn, and the units without a group. */
function partsOf(model: Model): Part[] {
  const byGroup = Map.groupBy(model.units, ({ group }) => group);
  const groups = model.groups.filter(({ id, standing }) => standing === "main" || byGroup.has(id));
  return [
    ...groups.map((group) => ({ group, units: byGroup.get(group.id) ?? [] })),
    { group: null, units: byGroup.get(null) ?? [] },
  ];
}

/** Returns the containers of each unit that has any, by its id. */
export function assign({ group, units, joined, rows }: Bundle): Map<string, Own> {
  const byUnit = new Map<string, { readonly containers: RunningContainer[]; readonly match: Match }>();
  const add = (id: string, container: RunningContainer, match: Match) => {
    const own = byUnit.get(id);
    if (own) own.containers.push(container);
    else byUnit.set(id, { containers: [container], match });
  };
  const known = new Set(units.map((unit) => unit.id));
  for (const { running, match } of joined) {
    for (const container of running.containers) {
      const id = `unit:${group!.name}.${container.compose!.service}`; // joined projects have a group, and labels
      if (known.has(id)) add(id, container, match);
    }
  }
  for (const unit of units) {
    const container = unit.container === null
      ? undefined
      : rows.findLast(({ name }) => name === unit.container);
    if (container !== undefined) add(unit.id, container, { by: "containerName", confidence: "certain" });
  }
  for (const { containers } of byUnit.values()) {
    containers.sort((a, b) =>
      (replicaNumber(a) ?? 0) - (replicaNumber(b) ?? 0) || (a.name < b.name ? -1 : 1)
    );
  }
  return byUnit;
}

export const replicaNumber = ({ labels }: RunningContainer): number | null => {
  const number = Number(labels["com.docker.compose.container-number"] ?? "");
  return Number.isInteger(number) && number > 0 ? number : null;
};
