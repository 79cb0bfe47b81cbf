/** Hints about running a unit well; all silent until a workspace asks for them. */

import type { Unit } from "../artifact.ts";
import type { Say } from "./say.ts";
import { at, entryOf } from "./values.ts";

/** What can be said of one unit. */
export function checkOperation(unit: Unit, say: Say): void {
  const { service, value, label, id: subject } = unit;
  if (service === null || value.kind !== "mapping") return;
  if (service.healthcheck === null) {
    say("ops/no-healthcheck", unit.source, `"${label}" declares no healthcheck`, { subject });
  }
  if (entryOf(value, "restart") === null && at(value, "deploy", "restart_policy") === null) {
    say("ops/no-restart", unit.source, `"${label}" declares no restart policy`, { subject });
  }
  if (at(value, "mem_limit") === null && at(value, "deploy", "resources", "limits", "memory") === null) {
    say("ops/no-limits", unit.source, `"${label}" declares no memory limit`, { subject });
  }
}
