/** Works out the state of a unit or a group from its containers. */

import type { RunningContainer } from "../../core/runtime.ts";
import type { Unit } from "../artifact.ts";
import { isFilled, valueAt } from "../yaml/values.ts";
import type { LiveState } from "./live.ts";

/** Returns the number of containers that a unit should have; null while a variable in it is not known. */
export function desiredOf(unit: Unit): number | null {
  if (unit.service === null) return unit.container === null ? 0 : 1;
  return unit.service.active ? unit.service.replicas : 0;
}

/** The same to be shown: null also where it comes from the value of a variable. */
export function shownReplicas(unit: Unit): number | null {
  const isFromVariable = isFilled(valueAt(unit.value, "scale")) ||
    isFilled(valueAt(unit.value, "deploy", "replicas"));
  return isFromVariable ? null : unit.service?.replicas ?? null;
}

/** `desiredOf` to be shown. */
export function shownDesired(unit: Unit): number | null {
  return desiredOf(unit) === unit.service?.replicas ? shownReplicas(unit) : desiredOf(unit);
}

/** The state of a unit. A job that ended well and is not told to restart is `completed`, not a failure. */
export function stateOf(unit: Unit, containers: readonly RunningContainer[]): LiveState {
  if (containers.length === 0) return "absent";
  const running = containers.filter(({ state }) => state === "running");
  if (running.length > 0) {
    const desired = desiredOf(unit) ?? running.length;
    const well = running.length >= desired && running.every(({ health }) => health !== "unhealthy");
    return well ? "running" : "degraded";
  }
  if (containers.some(({ state }) => state === "restarting" || state === "dead" || state === "removing")) {
    return "degraded";
  }
  if (containers.some(({ state }) => state === "paused")) return "paused";
  const endedWell = containers.every(({ state, exitCode }) => state === "exited" && exitCode === 0);
  const restarts = unit.service?.restart === "always" || unit.service?.restart === "unless-stopped";
  return endedWell && !restarts ? "completed" : "exited";
}

/** The state of a group from those of its units that should run. */
export function groupStateOf(units: readonly { state: LiveState; desired: number | null }[]): LiveState {
  const wanted = units.filter(({ desired, state }) => desired !== 0 || state !== "absent");
  const states = new Set(wanted.map(({ state }) => state));
  if (states.size === 0) return "absent";
  if (states.size === 1) return [...states][0]!;
  states.delete("completed");
  return states.size === 1 && states.has("running") ? "running" : "degraded";
}
