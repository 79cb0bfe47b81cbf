/** Tells a plan that brings newer images alone from one that does more, which takes a person. */
import type { PlanBody, Reason, Step } from "./plan_shape.ts";

const OF_IMAGES: ReadonlySet<Reason["code"]> = new Set(["newerImage", "followsFrom", "hook"]);

/** Returns the first step of an update that has another reason than a newer image, of those that count; null for none. */
export function besidesImages(steps: readonly Step[], counts: (step: Step) => boolean): Step | null {
  const pulls = new Set(steps.flatMap(({ n, digest }) => digest === undefined ? [] : [n]));
  return steps.filter(counts).find(({ why, after }) =>
    why.some((reason) =>
      !OF_IMAGES.has(reason.code) &&
      // The tag stands for another image already where another project pulled it.
      !(reason.code === "field" && reason.field === "image" && after.some((before) => pulls.has(before)))
    )
  ) ?? null;
}

/** Returns the first of the chosen steps that replaces a container without a way back; null for none. */
export function withoutWayBack(
  { steps, warnings }: Pick<PlanBody, "steps" | "warnings">,
  chosen: readonly number[],
): Step | null {
  const units = new Set(
    warnings.filter(({ code }) => code === "project/removes-itself").map(({ subject }) => subject),
  );
  return steps.find(({ n, kind, unit }) =>
    kind === "container.swap" && units.has(unit) && chosen.includes(n)
  ) ?? null;
}
