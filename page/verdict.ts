/** How something is doing in one word, out of what the API says of it. */
import type { DagNode, UnitLive } from "../client/berth/workspaces.ts";

/** From the worst to the best, which is how lists are sorted. */
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
export type Verdict = (typeof VERDICTS)[number];

export type LiveContainer = UnitLive["containers"][number];

/** What is asked of a container to say how it is doing; the last two only where its list was read. */
export type Judged = Pick<LiveContainer, "state" | "health" | "exitCode"> & {
  readonly startedAt?: string | null;
  readonly restartCount?: number;
};

/** A unit that a profile leaves out and that nobody started is as it should be: null. */
export function verdictOf(
  { live, data }: Pick<DagNode, "live" | "data">,
  containers: readonly Judged[] = live?.containers ?? [],
): Verdict | null {
  if (!live || live.state === "unknown") return "unknown";
  if (live.state === "absent") return data.active === false || live.desired === 0 ? null : "notStarted";
  if (live.state === "exited" || containers.some(isBroken)) return "broken";
  if ((live.drift?.length ?? 0) > 0) return "differs";
  if (live.state === "degraded") return "broken";
  if (live.state === "paused") return "paused";
  return live.state === "completed" ? "completed" : "asWritten";
}

/** Restarting, unhealthy, dead, or ended with a code. */
export function isBroken(container: Judged): boolean {
  const { state, health, exitCode } = container;
  return state === "restarting" || state === "dead" || health === "unhealthy" || isFlapping(container) ||
    (state === "exited" && exitCode !== null && exitCode !== 0);
}

/** What the engine restarts over and over runs for a moment in between: that is not well either. */
export function isFlapping({ state, startedAt, restartCount = 0 }: Judged): boolean {
  return state === "running" && restartCount > 1 && Date.now() - Date.parse(startedAt ?? "") < FLAPPING_MS;
}

const FLAPPING_MS = 60_000;

/** How a container by itself is doing: what is declared of it has to be asked elsewhere. */
export function stateVerdict(container: Judged): Verdict {
  if (isBroken(container)) return "broken";
  switch (container.state) {
    case "running":
      return "asWritten";
    case "paused":
      return "paused";
    case "exited":
      return "completed";
    case "created":
      return "notStarted";
    default:
      return "unknown";
  }
}
