/** Rules about the conditions of dependencies: those that cannot come true. */

import type { Group, Reference, Unit } from "../artifact.ts";
import type { Say } from "./say.ts";

/** Conditions of one group's dependencies. */
export function checkConditions(group: Group, say: Say): void {
  const units = new Map(group.units.map((unit) => [unit.id, unit]));
  for (const unit of group.units) {
    for (const reference of unit.references) {
      const target = reference.target === null ? undefined : units.get(reference.target);
      if (reference.kind !== "depends_on" || target === undefined || target.service === null) continue;
      checkCondition(unit, reference, target, say);
    }
  }
}

function checkCondition(unit: Unit, reference: Reference, target: Unit, say: Say): void {
  const { healthcheck, restart } = target.service!;
  const beside = {
    subject: unit.id,
    related: [{ message: `"${target.label}" is defined here`, at: healthcheck?.at ?? target.source }],
  };
  if (reference.condition === "service_healthy" && healthcheck === null) {
    say(
      "graph/healthy-without-healthcheck",
      reference.at,
      `"${unit.label}" waits for "${target.label}" to be healthy, but "${target.label}" has no healthcheck (its image may have one)`,
      beside,
    );
  }
  if (reference.condition === "service_healthy" && healthcheck?.disabled === true) {
    say(
      "graph/healthcheck-disabled",
      reference.at,
      `"${unit.label}" waits for "${target.label}" to be healthy, but its healthcheck is disabled`,
      beside,
    );
  }
  const restarts = restart === "always" || restart === "unless-stopped";
  if (reference.condition === "service_completed_successfully" && restarts) {
    say(
      "graph/completed-but-restarts",
      reference.at,
      `"${unit.label}" waits for "${target.label}" to complete, but "${target.label}" always restarts`,
      beside,
    );
  }
}
