/** Plans how a project is brought up: each unit after its dependencies, and nothing that need not change. */

import type { Unit } from "../../artifacts/artifact.ts";
import type { Draft } from "./draft.ts";
import { addWaits, type Fate } from "./fate.ts";
import type { Link } from "./order.ts";
import type { PlanRequest } from "./plan_shape.ts";
import { leftover } from "./removal.ts";
import { Resources } from "./resources.ts";
import { declaredOf, type Scene } from "./scene.ts";
import { UnitWork } from "./unit_work.ts";

/** Writes the steps of every unit, which come in an order that works; answers how many containers stay as they are. */
export function planUp(
  scene: Scene,
  units: readonly Unit[],
  links: readonly Link[],
  { request, newer }: { readonly request: PlanRequest; readonly newer: ReadonlyMap<string, string> },
  draft: Draft,
): number {
  const resources = new Resources(scene, draft, { ...request, newer });
  const fates = new Map<string, Fate>();
  const from = Map.groupBy(links, (link) => link.from);
  const to = Map.groupBy(links, (link) => link.to);
  const stops = new Map<string, number>();
  const planned = new Set(units.map(({ id }) => id));
  let unchanged = 0;
  const works = units.flatMap((unit) => {
    const of = declaredOf(scene.model, scene.group, unit);
    const links = from.get(unit.id) ?? [];
    return of === null ? [] : [new UnitWork(scene, of, request, draft, resources, links, fates)];
  });
  for (const work of works) work.replaceNetworks();
  for (const work of works) {
    const { unit } = work.of;
    work.stopLeftovers(stops);
    unchanged += work.plan();
    const dependants = (to.get(unit.id) ?? []).filter(({ from }) => planned.has(from));
    addWaits(scene, draft, { unit, fate: work.fate, dependants });
    fates.set(unit.id, work.fate);
  }
  for (const unit of units) {
    // Podman removes no container whose namespaces another one shares: that one is made anew first.
    const sharers = (to.get(unit.id) ?? []).filter(({ kind }) => kind === "namespace");
    const after = sharers.flatMap(({ from }) => fates.get(from)?.last ?? []);
    for (const left of scene.leftovers.get(unit.label) ?? []) {
      const stopped = stops.get(left.id);
      draft.add({
        ...leftover(scene, left),
        kind: "container.remove",
        after: stopped === undefined ? after : [stopped, ...after],
      });
    }
  }
  return unchanged;
}
