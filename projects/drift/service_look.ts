/** A unit that runs as a service of a swarm: its tasks beside its declaration. */

import type { Unit } from "../../artifacts/artifact.ts";
import type { LiveState, UnitLive } from "../../artifacts/live/live.ts";
import { desiredOf, shownDesired } from "../../artifacts/live/state.ts";
import type { UnitService } from "../../artifacts/live/stacks.ts";
import type { RunningService } from "../../core/running_services.ts";

/** Judges the unit by its service. Where no manager is known, nothing is known but that it runs. */
export function ofService(unit: Unit, { name, known }: UnitService): UnitLive {
  const nothing = {
    desired: shownDesired(unit),
    match: null,
    containers: [],
    drift: null,
  };
  if (known === null) {
    const notCompared =
      `It runs as the service "${name}" of a swarm, and berth knows no manager of it that answers for it alone`;
    return { ...nothing, verdict: "unknown", state: "unknown", notCompared };
  }
  const { service, cluster } = known;
  const { id, desired, running, mode, staleSince } = service;
  const state = stateOf(unit, service);
  return {
    ...nothing,
    verdict: staleSince === null && state === "degraded" ? "broken" : "unknown",
    state: staleSince === null ? state : "unknown",
    service: { id, name, cluster, mode, desired, running, staleSince },
    notCompared: staleSince === null
      ? `It runs as the service "${name}" of a swarm, and berth does not compare services yet`
      : `Its swarm "${cluster}" has not answered since ${staleSince}: this was seen last`,
  };
}

function stateOf(unit: Unit, { desired, running, mode }: RunningService): LiveState {
  if (mode.endsWith("Job")) return running > 0 ? "running" : "completed";
  const least = desiredOf(unit) ?? desired ?? running;
  if (running === 0 && desired === 0) return "absent";
  return running >= Math.min(least, desired ?? least) ? "running" : "degraded";
}
