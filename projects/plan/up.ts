/** Plans how a project is brought up: each unit after its dependencies, and nothing that need not change. */

import type { Unit } from "../../artifacts/artifact.ts";
import type { Draft } from "./draft.ts";
import { addMissingWaits, addWaits, type Fate } from "./fate.ts";
import { type Link, ordered, withSharers } from "./order.ts";
import type { PlanRequest } from "./plan_shape.ts";
import { followsOf } from "./reasons.ts";
import { leftover } from "./removal.ts";
import { Resources } from "./resources.ts";
import { declaredOf, type Scene } from "./scene.ts";
import { UnitWork } from "./unit_work.ts";

interface UpOptions {
  readonly request: PlanRequest;
  readonly newer: ReadonlyMap<string, string>;
  /** Blocks the plan for what is wrong with a unit that has to follow others; `isMade`: by a new container. */
  readonly check: (follower: Unit, isMade: boolean) => void;
}

interface Upped {
  /** The number of containers that stay as they are. */
  readonly unchanged: number;
  /** The units that nobody asked for, and that lose what they share with others unless they follow. */
  readonly followers: readonly Unit[];
}

/** Writes the steps of every unit, which come in an order that works, and of those that have to follow one of them. */
export function planUp(
  scene: Scene,
  units: readonly Unit[],
  links: readonly Link[],
  { request, newer, check }: UpOptions,
  draft: Draft,
): Upped {
  const resources = new Resources(scene, draft, { ...request, newer });
  const fates = new Map<string, Fate>();
  const from = Map.groupBy(links, (link) => link.from);
  const to = Map.groupBy(links, (link) => link.to);
  const stops = new Map<string, number>();
  let unchanged = 0;
  const worksOf = (units: readonly Unit[], asked: PlanRequest) =>
    units.flatMap((unit) => {
      const of = declaredOf(scene.model, scene.group, unit);
      const links = from.get(unit.id) ?? [];
      return of === null ? [] : [new UnitWork(scene, of, asked, draft, resources, links, fates)];
    });
  const works = worksOf(units, request);
  for (const work of works) work.replaceNetworks();
  const others = mayFollow(scene, units, links, resources);
  for (const { id } of others) resources.followers.add(id);
  const planned = new Set(units.map(({ id }) => id));
  const followers: Unit[] = [];
  for (const work of [...works, ...worksOf(others, { ...request, recreate: "changed", rerun: [] })]) {
    const { unit } = work.of;
    work.takeOver();
    if (resources.followers.has(unit.id)) {
      fates.set(unit.id, work.fate);
      if (!work.mustFollow) continue;
      check(unit, followsOf(work.links, fates).recreate.length > 0);
      followers.push(unit);
      addMissingWaits(scene, draft, work.links.filter(({ to }) => planned.has(to)), fates);
      planned.add(unit.id);
    }
    work.stopLeftovers(stops);
    unchanged += work.plan();
    const dependants = (to.get(unit.id) ?? []).filter(({ from }) => planned.has(from));
    addWaits(scene, draft, { unit, fate: work.fate, dependants });
    fates.set(unit.id, work.fate);
  }
  for (const unit of [...units, ...followers]) {
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
  return { unchanged, followers };
}

/**
 * Returns the other units that a plan may touch, in an order that works: those that share namespaces or volumes with
 * its own, and with containers that start again as their network is replaced.
 */
function mayFollow(
  { group, members }: Scene,
  units: readonly Unit[],
  links: readonly Link[],
  { startedAgain }: Resources,
): readonly Unit[] {
  const again = group.units.filter(({ label }) =>
    members.get(label)?.some(({ container: { id } }) => startedAgain.has(id))
  );
  const found = withSharers(group, [...units, ...again], links, ["namespace", "volumes_from"]);
  const others = new Set(found.filter((unit) => !units.includes(unit)));
  if (others.size === 0) return [];
  return (ordered(group, found, links) ?? found).filter((unit) => others.has(unit));
}
