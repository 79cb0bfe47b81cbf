/** A unit that runs as a service of a swarm: its tasks and its definition beside its declaration. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import type { LiveState, UnitLive } from "../../artifacts/live/live.ts";
import { desiredOf, shownDesired } from "../../artifacts/live/state.ts";
import { rollbackOf, type UnitService } from "../../artifacts/live/stacks.ts";
import { isPausedUpdate, type KnownService, type RunningService } from "../../core/running_services.ts";
import { notComparedWithService, serviceDifferences, unreadFiles } from "../fields/service_table.ts";
import type { UnitDifference } from "./findings.ts";

/** Returns how a unit differs from the service that it runs as; none where nothing is known of the service. */
export function serviceDrift(
  { model, group, unit }: { readonly model: Model; readonly group: Group; readonly unit: Unit },
  { known }: UnitService,
): UnitDifference[] {
  const { service } = unit;
  if (known === null || service === null) return [];
  return serviceDifferences({ model, group, unit, service }, known)
    .map((one) => ({ ...one, container: null }))
    .sort((one, other) => one.field < other.field ? -1 : 1);
}

/** Judges the unit by its service, without its drift. Where no manager is known, nothing is known but that it runs. */
export function ofService(
  { group, unit }: { readonly group: Group; readonly unit: Unit },
  { name, known, match, isHidden }: UnitService,
  differences: number,
): Omit<UnitLive, "drift"> {
  const nothing = { desired: shownDesired(unit), match, containers: [] };
  if (known === null) {
    const notCompared = `It runs as the service "${name}" of a swarm, ` +
      (isHidden
        ? "and comparing with it needs the permission services:read"
        : "and berth knows no manager of it that answers for it alone");
    return { ...nothing, verdict: "unknown", state: "unknown", notCompared };
  }
  const { service, cluster } = known;
  const { id, desired, running, mode, staleSince } = service;
  const state = stateOf(unit, service);
  const paused = pausedOf(known);
  const notCompared = staleSince !== null
    ? `Its swarm "${cluster}" has not answered since ${staleSince}: this was seen last`
    : paused ?? notComparedOf({ group, unit }, known);
  const isBad = state === "degraded" || paused !== null;
  return {
    ...nothing,
    verdict: staleSince !== null
      ? "unknown"
      : isBad
      ? "broken"
      : differences > 0
      ? "differs"
      : notCompared === null
      ? "asWritten"
      : "unknown",
    state: staleSince === null ? state : "unknown",
    service: { id, name, cluster, mode, desired, running, staleSince, rolledBack: rollbackOf(service) },
    notCompared,
  };
}

/** The definition is the new one, and tasks of the one before run on: nothing else says that the update did not happen. */
function pausedOf({ service: { update, tasks }, cluster }: KnownService): string | null {
  if (update === null || !isPausedUpdate(update.state)) return null;
  if (tasks.every(({ current, desired }) => current || !desired)) return null;
  return `Its swarm "${cluster}" paused the update, so that tasks of another definition run: ${update.message}`;
}

/** Keys that no row stands for, and contents that nobody can read. */
function notComparedOf(
  of: { readonly group: Group; readonly unit: Unit },
  { service: { name }, definition }: KnownService,
): string | null {
  const keys = notComparedWithService(of.unit, definition);
  if (keys.length > 0) {
    return `It runs as the service "${name}" of a swarm, and these are not compared with services: ${
      keys.join(", ")
    }`;
  }
  const files = unreadFiles(of);
  return files.length === 0 ? null : `A swarm does not tell what these hold: ${files.join(", ")}`;
}

function stateOf(unit: Unit, { desired, running, mode }: RunningService): LiveState {
  if (mode.endsWith("Job") && (running > 0 || desired === null)) return running > 0 ? "running" : "unknown";
  if (mode.endsWith("Job")) return desired === 0 ? "completed" : "degraded";
  if (running === 0 && desired === 0) return "absent";
  return running >= (desired ?? desiredOf(unit) ?? 1) ? "running" : "degraded";
}
