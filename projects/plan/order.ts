/** In which order units are brought up: what a unit depends on comes before it. */

import type { Group, Unit } from "../../artifacts/artifact.ts";

/** One unit waits for, shares with, or takes from another. */
export interface Link {
  readonly from: string;
  readonly to: string;
  readonly kind: "depends_on" | "link" | "namespace" | "volumes_from";
  readonly condition: string;
  readonly restart: boolean;
  /** False where the unit starts even if the other one does not become what it waits for. */
  readonly required: boolean;
}

const KINDS: readonly string[] = ["depends_on", "link", "namespace", "volumes_from"];

/** Every dependency between units of the group, by their ids. */
export function linksOf(group: Group): Link[] {
  const ids = new Set(group.units.map(({ id }) => id));
  return group.units.flatMap((unit) =>
    unit.references.flatMap(({ kind, target, condition = "service_started", restart = false, required }) =>
      target !== null && ids.has(target) && target !== unit.id && KINDS.includes(kind)
        ? [{
          from: unit.id,
          to: target,
          kind: kind as Link["kind"],
          condition,
          restart,
          required: required !== false,
        }]
        : []
    )
  );
}

/** The units with all that they need, in an order that works; null where they wait for each other in a circle. */
export function ordered(group: Group, wanted: readonly Unit[], links: readonly Link[]): Unit[] | null {
  const units = new Map(group.units.map((unit) => [unit.id, unit]));
  const state = new Map<string, "open" | "done">();
  const result: Unit[] = [];
  const byUnit = Map.groupBy(links, ({ from }) => from);
  // With a stack of its own: a chain may be as long as a file allows.
  for (const first of wanted) {
    const stack: { unit: Unit; next: number }[] = [{ unit: first, next: 0 }];
    if (state.has(first.id)) continue;
    state.set(first.id, "open");
    while (stack.length > 0) {
      const top = stack.at(-1)!; // it is not empty
      const link = (byUnit.get(top.unit.id) ?? [])[top.next++];
      if (link === undefined) {
        state.set(top.unit.id, "done");
        result.push(top.unit);
        stack.pop();
        continue;
      }
      const seen = state.get(link.to);
      if (seen === "open") return null;
      if (seen === "done") continue;
      state.set(link.to, "open");
      stack.push({ unit: units.get(link.to)!, next: 0 }); // links lead to units of the group
    }
  }
  return result;
}

/** Returns the units, in their order, and behind them those that share something of these kinds with one of them. */
export function withSharers(
  { units: all }: Group,
  units: readonly Unit[],
  links: readonly Link[],
  kinds: readonly Link["kind"][],
): Unit[] {
  const found = new Set(units);
  const byId = new Map(all.map((unit) => [unit.id, unit]));
  const to = Map.groupBy(links.filter(({ kind }) => kinds.includes(kind)), (link) => link.to);
  for (const unit of found) {
    for (const { from } of to.get(unit.id) ?? []) found.add(byId.get(from)!); // links lead to units of the group
  }
  return [...found];
}
