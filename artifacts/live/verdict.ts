/** How a unit is doing in one word, from the worst to the best. */
import { z } from "zod";
import type { RunningContainer } from "../../core/runtime.ts";
import type { UnitLive } from "./live.ts";

export const VERDICTS = [
  "broken",
  "differs",
  "notStarted",
  "undeclared",
  "unknown",
  "paused",
  "completed",
  "asWritten",
] as const;
export const Verdict = z.enum(VERDICTS).meta({ id: "Verdict" });
export type Verdict = z.infer<typeof Verdict>;

/** A unit that a profile leaves out and that nobody started is as it should be: null. */
export function verdictOf(
  { state, desired, drift }: UnitLive,
  isActive: boolean,
  containers: readonly RunningContainer[],
  nowMs: number,
): Verdict | null {
  if (state === "unknown") return "unknown";
  if (state === "absent") return !isActive || desired === 0 ? null : "notStarted";
  if (state === "exited" || containers.some((one) => isBroken(one, nowMs))) return "broken";
  if ((drift?.length ?? 0) > 0) return "differs";
  if (state === "degraded") return "broken";
  if (state === "paused") return "paused";
  return state === "completed" ? "completed" : "asWritten";
}

/** What the engine restarts over and over runs for a moment in between: that is not well either. */
const FLAPPING_MS = 60_000;

/** Restarting, unhealthy, dead, or ended with a code. */
function isBroken(container: RunningContainer, nowMs: number): boolean {
  const { state, health, exitCode, restartCount, startedAt } = container;
  const isFlapping = state === "running" && restartCount > 1 &&
    nowMs - Date.parse(startedAt ?? "") < FLAPPING_MS;
  return state === "restarting" || state === "dead" || health === "unhealthy" || isFlapping ||
    (state === "exited" && exitCode !== null && exitCode !== 0);
}
