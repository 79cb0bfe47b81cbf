/** Checks that a container still reads the file or folder that its mount names: a replaced one is another file. */

import type { BindSource } from "../../core/bind_source.ts";
import { type InspectedContainer, STARTED_WITHIN_MS } from "../../core/runtime.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import { textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { EngineView } from "./engine_view.ts";
import { type Difference, type Row, row } from "./field.ts";
import type { MountState } from "../../artifacts/live/mount_reading.ts";
import { type Wanted, type Wants, wantsOf } from "./mounts.ts";

/** The facts of one mount. */
interface Facts {
  /** Null where it cannot be told. */
  readonly now: BindSource | "absent" | null;
  /** The identity at the start of the container, if berth was there. */
  readonly atStart: string | undefined;
  readonly startedAt: number;
  readonly clock: number;
}

/** Returns null while the container certainly reads what is there. */
export function stateOfMount(
  { now, atStart, startedAt, clock }: Facts,
): { readonly state: MountState; readonly at: number | null } | null {
  if (now === null) return { state: "unknown", at: null };
  if (now === "absent") return { state: "deleted", at: null };
  // A time that is still to come was taken by another clock.
  const bornAt = now.bornAt !== null && now.bornAt <= clock ? now.bornAt : null;
  const isBornSince = bornAt !== null && bornAt > startedAt;
  if (atStart !== undefined) {
    if (atStart !== now.identity) return { state: "replaced", at: isBornSince ? bornAt : now.changedAt };
    // The start was told a moment late: a file that was born meanwhile is not the one that was mounted.
    if (isBornSince && bornAt < startedAt + STARTED_WITHIN_MS) return { state: "replaced", at: bornAt };
    const isNewer = !now.isFolder && now.writtenAt > startedAt && now.writtenAt <= clock;
    return isNewer ? { state: "changedSince", at: now.writtenAt } : null;
  }
  if (isBornSince) return { state: "replaced", at: bornAt };
  if (bornAt === null) return { state: "unknown", at: null };
  return now.changedAt + SECOND_MS > startedAt ? { state: "maybeReplaced", at: now.changedAt } : null;
}

const SECOND_MS = 1_000;

/** Reads `x-berth: { reload: restart }` of the mount's long form. */
const reloadOf = ({ at }: Wanted): string | null =>
  "kind" in at ? textOf(valueAt(at as Parameters<typeof valueAt>[0], "x-berth", "reload")) : null;

/** Not a field of its own: the same mounts, compared with the disk. A restart mounts what is there now. */
export const mountSourcesNow: Row = row<Wants>({
  key: "mountSources",
  covers: [],
  change: "restart",
  declared: wantsOf,
  ask: () => {},
  compare: (declared, container, view) =>
    declared!.value.mounts.flatMap((wanted) => readingOf(wanted, container, view)), // always declared
});

function readingOf(wanted: Wanted, container: InspectedContainer, view: EngineView): Difference[] {
  const { startedAt, state, mounts, sourcesAtStart } = container;
  if (startedAt === null || (state !== "running" && state !== "paused")) return [];
  const mount = mounts.find((one) => one.type === "bind" && cleanPath(one.target) === wanted.target);
  const now = mount && view.sourceAt(mount.source);
  if (mount === undefined || now === undefined) return [];
  const started = Date.parse(startedAt);
  const atStart = sourcesAtStart?.get(mount.source);
  const found = stateOfMount({ now, atStart, startedAt: started, clock: Date.now() });
  const reload = reloadOf(wanted);
  if (found === null || (found.state === "changedSince" && reload === "ignore")) return [];
  const isRemark = !["replaced", "deleted"].includes(found.state) &&
    !(found.state === "changedSince" && reload === "restart");
  const replacedAt = found.at === null ? null : new Date(found.at).toISOString();
  return [{
    field: `mounts.${wanted.name}`,
    declared: wanted.shown,
    seen: WORDS[found.state](replacedAt),
    at: wanted.at,
    mount: { state: found.state, replacedAt, startedAt },
    ...(isRemark && { isRemark: true as const }),
  }];
}

const WORDS: Readonly<Record<MountState, (at: string | null) => string>> = {
  replaced: (at) => `the one from before ${at}, when it was replaced`,
  deleted: () => "one that was deleted",
  changedSince: (at) => `the same one, which was written to at ${at}, after the start`,
  maybeReplaced: (at) => `maybe one from before ${at}, when something was changed`,
  unknown: () => "(nothing tells whether it was replaced)",
};
