/** The steps of a plan that may be done with nobody present: what a person stopped never starts, and nothing is removed. */
import type { Step } from "./plan_shape.ts";

/** A unit as it is now, by its id. */
export interface PushedUnit {
  /** True for one that the push adds, or of which a container runs or has ended by itself. */
  readonly isTaken: boolean;
}

interface PushSteps {
  /** The numbers of the steps. */
  readonly steps: readonly number[];
  /** The first step that a taken unit needs and does not get, as it comes after one that a push may not cause. */
  readonly held: Step | null;
}

const REMOVES: ReadonlySet<Step["kind"]> = new Set([
  "container.remove",
  "container.stop",
  "network.remove",
  "volume.remove",
  "service.remove",
  "secret.remove",
  "config.remove",
]);

/** Units that are not named belong to nobody, and their steps are done only for others. */
export function pushSteps(steps: readonly Step[], units: ReadonlyMap<string, PushedUnit>): PushSteps {
  const left = new Set<number>();
  const isTaken = ({ unit }: Step) => unit === null || units.get(unit)?.isTaken === true;
  // An image is brought once, for the first of the units that need it.
  const needed = new Set(steps.filter(isTaken).flatMap(({ after }) => after));
  let held: Step | null = null;
  for (const step of steps) {
    const isOwn = isTaken(step) || (step.kind.startsWith("image.") && needed.has(step.n));
    const isLeft = !isOwn || REMOVES.has(step.kind);
    // Steps come in an order that works one by one.
    const follows = step.after.some((before) => left.has(before)) ||
      (step.within !== undefined && left.has(step.within));
    if (isLeft || follows) left.add(step.n);
    if (!isLeft && follows && step.unit !== null && held === null) held = step;
  }
  return { steps: steps.filter(({ n }) => !left.has(n)).map(({ n }) => n), held };
}
