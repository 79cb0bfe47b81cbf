/** The dependencies of a unit, from the label that Compose writes. */

import type { Place } from "../../artifacts/artifact.ts";
import { type Declared, nodeAt, type Row, row } from "./field.ts";

interface Dependency {
  readonly condition: string | null;
  readonly required: boolean;
  readonly implicit: boolean;
  readonly restart: boolean;
  readonly at: Place;
}

type Dependencies = ReadonlyMap<string, Dependency>;

export function dependenciesOf({ group, unit }: Declared): Dependencies {
  const declared = new Map<string, Dependency>();
  const active = new Map(group.units.map((other) => [other.id, other.service?.active === true]));
  for (const { kind, target, condition, required, implicit, restart, at } of unit.references) {
    if (target === null || !active.has(target)) continue;
    if (!["depends_on", "link", "namespace", "volumes_from"].includes(kind)) continue;
    const name = target.slice(`unit:${group.name}.`.length);
    if (declared.get(name)?.implicit === false) continue;
    declared.set(name, {
      condition: condition ?? null,
      required: required !== false && active.get(target) === true,
      implicit,
      restart: restart === true,
      at,
    });
  }
  return declared;
}

/** `db:service_healthy:true,redis:service_started:false`; older ones hold names alone, the oldest have no such label. */
export const DEPENDS_ON = "com.docker.compose.depends_on";

export const dependencies: Row = row<Dependencies>({
  key: "dependsOn",
  covers: ["depends_on"],
  change: "none",
  declared: (of) => ({ value: dependenciesOf(of), at: nodeAt(of, "depends_on") ?? of.unit.source }),
  ask: () => {}, // a label, which is written with the others of Compose
  compare: (declared, { labels }) => {
    const label = labels[DEPENDS_ON];
    if (declared === null || label === undefined) return [];
    const running = new Map(
      label.split(",").filter((part) => part !== "").map((part) => {
        const [name, condition] = part.split(":");
        return [name!, condition ?? null];
      }),
    );
    const found = [];
    for (const [name, condition] of running) {
      const other = declared.value.get(name);
      const field = `dependsOn.${name}`;
      if (other === undefined) {
        found.push({
          field,
          declared: "(none)",
          seen: condition ?? "(some)",
          at: declared.at,
          isAbsent: true as const,
        });
      } else if (condition !== null && other.condition !== null && condition !== other.condition) {
        found.push({ field, declared: other.condition, seen: condition, at: other.at });
      }
    }
    for (const [name, { condition, required, implicit, at }] of declared.value) {
      if (running.has(name) || !required || implicit) continue;
      found.push({ field: `dependsOn.${name}`, declared: condition ?? "(some)", seen: "(none)", at });
    }
    return found;
  },
});
