/** The English words for why something is not as it should be, and since when. */

const DONE: Readonly<Record<string, string>> = {
  stop: "stopped",
  kill: "killed",
  remove: "removed",
  destroy: "removed",
  create: "made",
  rename: "renamed",
  connect: "connected with a network",
  disconnect: "disconnected from a network",
};

export const causes = {
  since: (time: string, atLatest: boolean) => atLatest ? `since ${time} at the latest` : `since ${time}`,
  apply: (by: string) => by === "" ? "by an apply" : `by an apply of ${by}`,
  berth: (act: string, by: string) =>
    `${DONE[act] ?? "changed"} through berth${by === "" ? "" : ` by ${by}`}`,
  file: (place: string, by: string) => `${place} changed${by === "" ? "" : ` by ${by}`}`,
  image: "the name of its image means another image now",
  outside: (act: string) => `${DONE[act] ?? "changed"} outside berth`,
  unhealthy: "its health check fails",
  outOfMemory: (limit: string) => limit === "" ? "out of memory" : `out of memory at its limit of ${limit}`,
  killed: (limit: string) => limit === "" ? "killed (137)" : `killed (137), limit ${limit}`,
  ended: (code: number | undefined) =>
    code === undefined ? "ended by itself" : `ended by itself with ${code}`,
  engine: (reason: string) => reason === "" ? "the engine does not answer" : reason,
  firstWatch: (units: string, bad: string) =>
    `berth began to watch ${units} units; ${bad} incidents were there already`,
  watchBegan: "berth began to watch",
  unrecorded: (reason: string) => `nothing could be recorded: ${reason}`,
  unknown: "cause unknown",
} as const;
