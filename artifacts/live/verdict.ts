/** The verdicts: one word for the state of a unit, from the worst to the best. */
import * as z from "../../core/schema.ts";
import { type Condition, isWell } from "../../core/condition.ts";

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
] as const;
export const Verdict = z.enum(VERDICTS).meta({ id: "Verdict" });
export type Verdict = z.infer<typeof Verdict>;

/** The verdict of a container by itself: nothing is declared of it, or nothing was compared. */
export const VERDICT_OF: Readonly<Record<Condition, Verdict>> = {
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

/** The facts about a unit that are judged. */
interface Seen {
  /** A `LiveState`. */
  readonly state: string;
  readonly desired: number | null;
  readonly drift: readonly unknown[] | null;
  /** The reason why a part was not compared. */
  readonly notCompared: string | null;
  /** True if an engine that does not answer holds its containers, or may hold some. */
  readonly isLastKnown: boolean;
}

/** A unit that a profile leaves out and that nobody started is as it should be: null. */
export function verdictOf(
  { state, desired, drift, notCompared, isLastKnown }: Seen,
  isActive: boolean,
  containers: readonly { readonly condition: Condition }[],
): Verdict | null {
  if (state === "unknown") return "unknown";
  if (state === "absent" && (!isActive || desired === 0)) return null;
  if (isLastKnown) return "unknown";
  const wasNeverStarted = containers.every(({ condition }) => condition === "created");
  if (state === "absent" || wasNeverStarted) return "notStarted";
  const isStopped = containers.some(({ condition }) => condition === "stopped");
  if (containers.some(({ condition }) => !isWell(condition))) return "broken";
  if (state === "exited" && !isStopped) return "broken";
  if ((drift?.length ?? 0) > 0) return "differs";
  if (isStopped) return "stopped";
  if (state === "degraded") return "broken";
  if (notCompared !== null) return "unknown";
  if (state === "paused") return "paused";
  return state === "completed" ? "completed" : "asWritten";
}

/** Returns the worst verdict; null where there is none. */
export function worstOf(verdicts: readonly (Verdict | null)[]): Verdict | null {
  return VERDICTS.find((one) => verdicts.includes(one)) ?? null;
}
