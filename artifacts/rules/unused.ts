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
  for (const { kind, id, key, at, implicit } of group.resources) {
    const code = CODES[kind];
    if (code === undefined || implicit || used.has(id) || (kind === "network" && key === "default")) continue;
    say(code, at, `The ${kind} "${key}" is never used`, { subject: id });
  }
}
