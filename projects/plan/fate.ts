/** Tells the units that depend on one what a plan does to it, and adds the waits for it. */

import type { Unit } from "../../artifacts/artifact.ts";
import type { Draft } from "./draft.ts";
import { applying } from "./needs.ts";
import type { Link } from "./order.ts";
import type { Scene } from "./scene.ts";

/** The changes of a unit's containers, which units that depend on it may have to follow. */
export interface Fate {
  /** The last steps of the unit itself: units that only need it started come after. */
  last: number[];
  /** The step that waits for each condition, which comes after all of those. */
  readonly waits: Map<string, number>;
  recreated: number | null;
  restarted: number | null;
  /** The steps one of which has to bring another image for that to happen; null: it happens. */
  ifChanged: readonly number[] | null;
  /** True if any of its containers is started: units that wait for its health wait again. */
  isStarted: boolean;
  /** True if that happens whatever the images are. */
  isSurelyStarted: boolean;
}

export const noFate = (): Fate => ({
  last: [],
  waits: new Map(),
  recreated: null,
  restarted: null,
  ifChanged: null,
  isStarted: false,
  isSurelyStarted: false,
});

/**
 * Adds a wait for each condition of the units that depend on this one, unless there is one already: each of them waits
 * for its own alone.
 */
export function addWaits(
  scene: Scene,
  draft: Draft,
  { unit, fate, dependants }: {
    readonly unit: Unit;
    readonly fate: Fate;
    /** Links to the unit from units that have steps. */
    readonly dependants: readonly Link[];
  },
): void {
  const { isStarted, isSurelyStarted, ifChanged, last, waits } = fate;
  if (!isStarted) return;
  const waiting = dependants.filter(({ condition }) => condition !== "service_started");
  for (const [condition, links] of Map.groupBy(waiting, (link) => link.condition)) {
    const isRequired = links.some(({ required }) => required);
    const known = draft.steps[(waits.get(condition) ?? 0) - 1];
    // An optional wait is not enough for a unit that requires the condition.
    if (known !== undefined && !(isRequired && known.optional)) continue;
    const step = draft.add({
      kind: "wait",
      target: `${unit.label}: ${condition}`,
      unit: unit.id,
      why: [{ code: "followsFrom", step: last.at(-1)!, how: "condition" }], // what is started has steps
      after: last,
      needs: [applying(scene)],
      ifChanged: isSurelyStarted ? null : ifChanged,
      ...(!isRequired && { optional: true }),
    });
    waits.set(condition, step);
  }
}

/** Adds the waits that a unit with these links needs and no other unit needed before. */
export function addMissingWaits(
  scene: Scene,
  draft: Draft,
  links: readonly Link[],
  fates: ReadonlyMap<string, Fate>,
): void {
  for (const [to, dependants] of Map.groupBy(links, (link) => link.to)) {
    const unit = scene.group.units.find(({ id }) => id === to);
    const fate = fates.get(to);
    if (unit !== undefined && fate !== undefined) addWaits(scene, draft, { unit, fate, dependants });
  }
}

/** Returns the steps that a dependant comes after. */
export function stepsBefore({ to, condition }: Link, fates: ReadonlyMap<string, Fate>): readonly number[] {
  const fate = fates.get(to);
  const wait = fate?.waits.get(condition);
  return wait === undefined ? fate?.last ?? [] : [wait];
}
