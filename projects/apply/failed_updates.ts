/** The newer images of an apply whose containers went back to the old ones. */
import type { Step } from "../plan/plan_shape.ts";
import type { StepProgress } from "./journal.ts";

/** A digest that a unit did not run with. */
export interface FailedDigest {
  /** The unit's id. */
  readonly unit: string;
  readonly digest: string;
}

/** Returns the digests that were pulled, and whose containers were made and did not start or stay healthy. */
export function failedUpdates(
  steps: readonly Step[],
  progress: ReadonlyMap<number, Pick<StepProgress, "state">>,
): FailedDigest[] {
  return steps.flatMap(({ n, digest }) => {
    if (digest === undefined || progress.get(n)?.state !== "done") return [];
    return steps.flatMap(({ n: swap, kind, unit, ifChanged = [] }) =>
      kind === "container.swap" && unit !== null && ifChanged.includes(n) &&
        progress.get(swap)?.state === "failed"
        ? [{ unit, digest }]
        : []
    );
  });
}
