/** The API's words for how something is doing: in which order they stand, and which sign each has. */
import type { ContainerCondition, Verdict } from "../client/berth/models.ts";

export type { ContainerCondition, Verdict };

/** From the worst to the best, which is how lists are sorted. */
export const VERDICTS = [
  "broken",
  "differs",
  "stopped",
  "notStarted",
  "undeclared",
  "unknown",
  "paused",
  "completed",
  "asWritten",
] as const satisfies readonly Verdict[];

/** A container as its engine reports it, without its declaration. */
export interface Seen {
  readonly state: string;
  readonly condition: ContainerCondition;
  readonly exitCode: number | null;
  readonly health: string | null;
  readonly restartCount: number;
}

/** The sign of a container by itself: nothing was compared. */
export const SIGN_OF: Readonly<Record<ContainerCondition, Verdict>> = {
  restarting: "broken",
  unhealthy: "broken",
  dead: "broken",
  failed: "broken",
  running: "asWritten",
  paused: "paused",
  stopped: "stopped",
  completed: "completed",
  created: "notStarted",
  unknown: "unknown",
};
