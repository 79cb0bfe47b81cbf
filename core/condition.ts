/** The condition of a container by itself, in one word. */
import { z } from "zod";

/** Conditions that are not well. */
const NOT_WELL = ["restarting", "unhealthy", "dead", "failed"] as const;

export const Condition = z.enum([
  ...NOT_WELL,
  "running",
  "paused",
  "completed",
  "created",
  "unknown",
]).meta({ id: "ContainerCondition" });
export type Condition = z.infer<typeof Condition>;

interface Judged {
  /** The engine's state, in the words of `ContainerState`. */
  readonly state: string;
  readonly health: string | null;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly restartCount: number;
  readonly startedAt: string | null;
}

/**
 * A container in a restart loop runs for a moment in between: it counts as restarting until it has run for
 * this long.
 */
const SETTLED_MS = 60_000;

/** Returns the milliseconds until it counts as running, if it stays up; 0 unless it is in a restart loop. */
export function settlesInMs({ state, restartCount, startedAt }: Judged, nowMs: number): number {
  if (state !== "running" || restartCount < 2 || startedAt === null) return 0;
  return Math.min(SETTLED_MS, Math.max(0, Date.parse(startedAt) + SETTLED_MS - nowMs));
}

export function conditionOf(container: Judged, nowMs: number): Condition {
  const { state, health, exitCode, reason } = container;
  if (state === "restarting" || settlesInMs(container, nowMs) > 0) return "restarting";
  if (state === "dead") return "dead";
  if (health === "unhealthy") return "unhealthy";
  switch (state) {
    case "exited":
      return exitCode === null || exitCode === 0 ? "completed" : "failed";
    case "created": // a start that failed leaves a reason
      return reason === null ? "created" : "failed";
    case "running":
    case "paused":
      return state;
    default:
      return "unknown";
  }
}

export function isWell(condition: Condition): boolean {
  return !(NOT_WELL as readonly Condition[]).includes(condition);
}
