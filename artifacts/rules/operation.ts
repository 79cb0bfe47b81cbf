/** Hints about running a unit well; all silent until a workspace asks for them. */

import type { Unit } from "../artifact.ts";
import { entryOf, valueAt } from "../yaml/values.ts";
import type { Say } from "./say.ts";

/** The codes of this file: where none is wanted, nothing here needs to run. */
export const OPERATION_CODES = [
  "ops/no-healthcheck",
  "ops/no-restart",
  "ops/no-limits",
  "sec/port-on-all-interfaces",
] as const;

/** Checks the operation of one unit. */
export function checkOperation(unit: Unit, say: Say): void {
  const { service, value, label, id: subject } = unit;
  if (service === null || value.kind !== "mapping") return;
  if (service.healthcheck === null) {
    say("ops/no-healthcheck", unit.source, `"${label}" has no healthcheck`, { subject });
  }
  if (entryOf(value, "restart") === null && valueAt(value, "deploy", "restart_policy") === null) {
    say("ops/no-restart", unit.source, `"${label}" has no restart policy`, { subject });
  }
  if (
    valueAt(value, "mem_limit") === null && valueAt(value, "deploy", "resources", "limits", "memory") === null
  ) {
    say("ops/no-limits", unit.source, `"${label}" has no memory limit`, { subject });
  }
  for (const port of service.ports) {
    if (port.invalid !== null || port.unknown || (port.hostIp !== null && port.hostIp !== "0.0.0.0")) {
      continue;
    }
    say("sec/port-on-all-interfaces", port.at, `"${port.written}" is published on all interfaces`, {
      subject,
    });
  }
}
