/** Containers that an apply which is over left aside: an engine may do late what nobody waits for any more. */

import { asideFor } from "../../core/applies.ts";
import type { RunningContainer } from "../../core/runtime.ts";

/**
 * Splits containers into those that stand for their units and those that are left beside them. An old one stands for
 * its unit where nobody else has its number; a new one never does, for nobody knows whether it is sound.
 */
export function withoutLeftovers(containers: readonly RunningContainer[]): {
  readonly standing: readonly RunningContainer[];
  readonly left: readonly RunningContainer[];
} {
  const placeOf = ({ compose, labels }: RunningContainer) =>
    `${labels["com.docker.compose.container-number"] ?? ""} ${compose?.service}`;
  const isOld = ({ name }: RunningContainer) => name.slice(0, -8).endsWith(".old-");
  const aside = containers.filter(({ name }) => asideFor(name) !== null);
  const taken = new Set(containers.filter(({ name }) => asideFor(name) === null).map(placeOf));
  const left = new Set<RunningContainer>();
  // Of several old ones the one that runs serves.
  const rank = ({ state }: RunningContainer) => state === "running" ? 0 : 1;
  for (const one of aside.sort((a, b) => rank(a) - rank(b))) {
    if (isOld(one) && !taken.has(placeOf(one))) taken.add(placeOf(one));
    else left.add(one);
  }
  return { standing: containers.filter((one) => !left.has(one)), left: [...left] };
}
