/** The condition of a container by itself, in one word. */
import * as z from "./schema.ts";

/** Conditions that are not well. */
const NOT_WELL = ["restarting", "unhealthy", "dead", "failed"] as const;

export const Condition = z.enum([
  ...NOT_WELL,
  "running",
  "paused",
  "stopped",
  "completed",
  "created",
  "unknown",
]).meta({ id: "ContainerCondition" });
export type Condition = z.infer<typeof Condition>;

/** The end of a container that is stopped. */
export const Stopped = z.object({
  since: z.string().nullable().describe("When it ended"),
  byHand: z.boolean().describe("True if the engine told that somebody stopped it; false where nobody knows"),
}).meta({ id: "ContainerStop" });

export interface Judged {
  /** The engine's state, in the words of `ContainerState`. */
  readonly state: string;
  readonly health: string | null;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly restartCount: number;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly ending: Ending;
}

/** The facts that tell a container that was stopped from one that ended by itself. */
export interface Ending {
  /** True if the engine starts it again whenever it ends by itself: `always` and `unless-stopped`. */
  readonly keepsRunning: boolean;
  /** True if its memory ran out. */
  readonly oomKilled: boolean;
  /** True if the engine told that somebody stopped it after its last start. */
  readonly byHand: boolean;
}

/**
 * A container in a restart loop runs for a moment in between: it counts as restarting until it has run for
 * this long.
 */
const SETTLED_MS = 60_000;
/** Between two starts by its engine a container may look ended for a moment. One that stays so was stopped. */
export const STOPPED_MS = 10_000;

/**
 * Returns the milliseconds until its condition changes although nothing happens: it counts as running after a restart
 * loop, or as stopped.
 */
export function settlesInMs(container: Judged, nowMs: number): number {
  const { state, restartCount, startedAt, finishedAt } = container;
  const isLooping = state === "running" && restartCount >= 2;
  if (isLooping && startedAt !== null) return leftOf(SETTLED_MS, startedAt, nowMs);
  return mayBeStopped(container) && finishedAt !== null ? leftOf(STOPPED_MS, finishedAt, nowMs) : 0;
}

/** Returns true if the container was stopped unless its engine starts it again. */
export const mayBeStopped = (container: Pick<Judged, "state" | "reason" | "ending">): boolean =>
  container.state === "exited" && container.ending.keepsRunning && !container.ending.byHand &&
  endedPlainly(container);

/** The clock of an engine may be another one: it is never waited for longer than `ms`. */
const leftOf = (ms: number, since: string, nowMs: number) =>
  Math.min(ms, Math.max(0, Date.parse(since) + ms - nowMs));

const endedPlainly = ({ reason, ending }: Pick<Judged, "reason" | "ending">) =>
  reason === null && !ending.oomKilled;

export function conditionOf(container: Judged, nowMs: number): Condition {
  const { state, health, reason } = container;
  // Docker calls everything unhealthy that has a health check and does not run.
  if (state === "exited") return endedAs(container, nowMs);
  if (state === "restarting" || settlesInMs(container, nowMs) > 0) return "restarting";
  if (state === "dead") return "dead";
  if (health === "unhealthy") return "unhealthy";
  switch (state) {
    case "created": // a start that failed leaves a reason
      return reason === null ? "created" : "failed";
    case "running":
    case "paused":
      return state;
    default:
      return "unknown";
  }
}

/** An exit code does not tell who ended it: a program that is told to stop may end with any. */
function endedAs(container: Judged, nowMs: number): Condition {
  const { exitCode, finishedAt, ending: { keepsRunning, byHand, oomKilled } } = container;
  const staysEnded = keepsRunning && finishedAt !== null && settlesInMs(container, nowMs) === 0;
  if (endedPlainly(container) && (byHand || staysEnded)) return "stopped";
  return !oomKilled && (exitCode === null || exitCode === 0) ? "completed" : "failed";
}

export function isWell(condition: Condition): boolean {
  return !(NOT_WELL as readonly Condition[]).includes(condition);
}
