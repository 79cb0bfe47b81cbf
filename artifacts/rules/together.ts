/** Tells which units can be up at the same time, as far as profiles say. */

import type { Service, Unit } from "../artifact.ts";

const profiles = new WeakMap<Service, ReadonlySet<string>>();

/** The profiles of a service, to be searched. */
export function profilesOf(service: Service): ReadonlySet<string> {
  let own = profiles.get(service);
  if (own === undefined) profiles.set(service, own = new Set(service.profiles));
  return own;
}

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
    bound.every((unit) => profilesOf(unit.service!).has(profile))
  );
}
