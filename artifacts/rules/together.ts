/** Whether units can be up at the same time, as far as profiles say. */

import type { Unit } from "../artifact.ts";

/**
 * True when the group's own profiles, or any single profile, enable all of them. Several profiles at once do not
 * count: files use profiles as alternatives (`cpu`, `gpu`), and those are never meant to be up together.
 */
export function enabledTogether(units: readonly Unit[]): boolean {
  if (units.every((unit) => unit.service === null || unit.service.active)) return true;
  const bound = units.filter((unit) => unit.service !== null && unit.service.profiles.length > 0);
  const first = bound[0];
  if (first === undefined) return true;
  return first.service!.profiles.some((profile) =>
    bound.every((unit) => unit.service!.profiles.includes(profile))
  );
}
