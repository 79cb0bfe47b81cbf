/** Rules about what is declared and never used. */

import type { Group } from "../artifact.ts";
import type { RuleCode } from "./catalog.ts";
import type { Say } from "./say.ts";

const CODES: Readonly<Record<string, RuleCode>> = {
  network: "unused/network",
  volume: "unused/volume",
  secret: "unused/secret",
  config: "unused/config",
};

/** The resources of one group. A file that only declares resources is for others to use. */
export function checkUnused(group: Group, say: Say): void {
  if (group.incomplete || group.units.length === 0) return;
  const used = new Set<string>();
  for (const unit of group.units) {
    for (const reference of unit.references) if (reference.target !== null) used.add(reference.target);
  }
  // A mount with a variable that is not set may mean any volume, or the one that it begins with.
  const unsure = group.units.flatMap((unit) => unit.service?.mounts ?? []).filter((mount) => mount.unknown);
  const mayMean = (name: string) =>
    unsure.some(({ source }) => source === null || source === "" || source === name);
  for (const { kind, id, key, at, implicit } of group.resources) {
    const code = CODES[kind];
    if (kind === "volume" && mayMean(key)) continue;
    if (code === undefined || implicit || used.has(id) || (kind === "network" && key === "default")) continue;
    say(code, at, `The ${kind} "${key}" is never used`, { subject: id });
  }
}
