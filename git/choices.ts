/** Files in the way of a commit: the choices of a person, and those of a sync that was interrupted. */
import { ServiceError } from "../core/error.ts";
import type { Syncing, SyncRequest } from "../core/source.ts";
import { type Decision, notBehind } from "./changes.ts";
import { isHalfWritten } from "./in_place.ts";

/** Paths that are named in one refusal. */
const MOST_TOLD = 20;

export type Choices = Pick<SyncRequest, "keep" | "overwrite">;

interface Chosen {
  /** Without a conflict. */
  readonly decisions: readonly Decision[];
  /** The ids of contents that are overwritten, by their paths. */
  readonly overwritten: Readonly<Record<string, string>>;
}

interface Begun {
  readonly syncing: Syncing | null;
  /** Returns the bytes at a path now; null where it is no file. */
  readonly bytesAt: (path: string) => Promise<Uint8Array | null>;
  readonly contents: (ids: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Resolves conflicts as they were said to be. Throws `source_conflict` with those that nobody has decided. */
export async function chosen(
  decisions: readonly Decision[],
  { keep, overwrite }: Choices,
  begun: Begun,
): Promise<Chosen> {
  const { syncing } = begun;
  const kept = new Set([...keep, ...syncing?.keep ?? []]);
  const wanted = new Set(overwrite);
  const overwritten: Record<string, string> = {};
  const open: Decision[] = [];
  const result: Decision[] = [];
  const behind: Decision[] = [];
  for (const one of decisions) {
    const { path, act, now, to } = one;
    const id = "id" in now ? now.id : null;
    if (one.behind !== undefined) behind.push(one);
    else if (act !== "conflict") {
      result.push(kept.has(path) && keep.includes(path) ? { ...one, act: "nothing" } : one);
    } else if (kept.has(path)) result.push({ ...one, act: "nothing" });
    else if (id !== null && (wanted.has(path) || wasToBeOverwritten(path, id, syncing))) {
      overwritten[path] = id;
      result.push({ ...one, act: to === null ? "delete" : "write" });
    } else if (await wasBeingWritten(one, begun)) result.push({ ...one, act: "write" });
    else open.push(one);
  }
  const goes = new Set(result.filter(({ act }) => act === "delete").map(({ path }) => path));
  for (const one of behind) {
    if (kept.has(one.path)) result.push({ ...one, act: "nothing" });
    else if (goes.has(one.behind!)) result.push({ ...one, act: "write" });
    else open.push({ ...one, act: "conflict", why: notBehind(one.behind!) });
  }
  if (open.length > 0) throw conflicts(open);
  return { decisions: result, overwritten };
}

/** Returns true also for one that was being written in place by then: its text is kept once more. */
function wasToBeOverwritten(path: string, id: string, syncing: Syncing | null): boolean {
  const before = syncing?.overwrite[path];
  return before !== undefined && (before === id || syncing?.inPlace.includes(path) === true);
}

/** True for a file that a sync was writing in place when it was interrupted. */
async function wasBeingWritten(
  { path, from, to, now }: Decision,
  { syncing, bytesAt, contents }: Begun,
): Promise<boolean> {
  if (syncing?.inPlace.includes(path) !== true || now.kind !== "file" || from === null || to === null) {
    return false;
  }
  const seen = await bytesAt(path);
  const both = await contents([from.id, to.id]);
  return seen !== null && isHalfWritten(seen, both.get(to.id)!, both.get(from.id)!);
}

function conflicts(open: readonly Decision[]): ServiceError {
  const files = open.length === 1 ? `"${open[0]!.path}" is` : `${open.length} files are`;
  return new ServiceError(
    "source_conflict",
    `Cannot sync: ${files} in the way, and nothing was written: choose keep or overwrite for each`,
    { errors: open.slice(0, MOST_TOLD).map(({ path, why = "" }) => ({ path, message: why })) },
  );
}
