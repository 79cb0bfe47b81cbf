/** Differences and units with the values of their variables, as far as they may be shown. */
import type { Group, Model, Unit } from "../artifacts/artifact.ts";
import type { Drift } from "../artifacts/live/live.ts";
import { resolvedAt, revealedAt } from "../artifacts/report/values.ts";
import { differenceBehind } from "../projects/drift/group_look.ts";

/** The group of a unit, and the whole model that it is in. */
interface Around {
  readonly group: Group;
  readonly model: Model;
}

/** The differences that resolved ones were made of. */
const origins = new WeakMap<Drift, Drift>();

export function driftWithValues(drift: Drift, around: Around | null): Drift {
  const difference = differenceBehind(drift);
  if (around === null || difference === null || !difference.isOpen || difference.isAbsent) return drift;
  const found = resolvedAt(difference.at, around.group, around.model);
  if (found === null) return drift;
  const made: Drift = { ...drift, ...found };
  origins.set(made, drift);
  return made;
}

export function imageWithValues(
  { service }: Unit,
  around: Around | null,
): Pick<Drift, "resolved" | "from"> {
  const at = service?.imageAt ?? null;
  return at === null || around === null ? {} : resolvedAt(at, around.group, around.model) ?? {};
}

/** Returns a unit with every value of its variables, for callers who may see secrets. */
export function revealedUnit<Shown extends { readonly id: string; readonly drift: Drift[] }>(
  unit: Shown,
  group: Group,
): Shown {
  const image = group.units.find(({ id }) => id === unit.id)?.service?.imageAt ?? null;
  return {
    ...unit,
    ...(image !== null && revealedAt(image, group)),
    drift: unit.drift.map((drift) => {
      const difference = differenceBehind(origins.get(drift) ?? drift);
      if (difference === null || difference.isAbsent) return drift;
      return { ...drift, ...revealedAt(difference.at, group) };
    }),
  };
}
