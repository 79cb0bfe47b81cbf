/** The causes of incidents: only those that there is evidence of, and `unknown` without any. */
import type { Node, Unit } from "../../artifacts/artifact.ts";
import { entriesOf, listOf } from "../../artifacts/yaml/values.ts";
import { mayBeStopped, STOPPED_MS } from "../../core/condition.ts";
import type { Cause, CauseKind, IncidentKind } from "../../core/incidents.ts";
import type { ContainerEvent } from "../../core/container_event.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import { type HeardEvents, isActOn, type RecordedAct, UNHEALTHY } from "./evidence.ts";
import type { Judged } from "./judge.ts";

/** An act may be heard this long before its effect. */
const BEFORE_MS = 10_000;
/** An event that was heard this long before the last look may have come after its reading. */
const LOOK_MS = 1_000;
/** Engines tell events later than states, Podman by a quarter of a second: causes wait for them this long. */
const EVENT_MS = 2_000;
/** A row is read again once it has settled, and that takes a moment. */
const READ_MS = 2_000;
/** An effect may be heard this long before its act is on record: replicas have clocks of their own. */
const EARLY_MS = 500;

/** A subject as it was when it was last judged. */
export interface Before {
  readonly at: number;
  readonly unit: Unit | null;
  /** Ids of its containers, with the rows that were read. */
  readonly rows: ReadonlyMap<string, RunningContainer>;
}

export interface Surroundings {
  readonly now: number;
  readonly heard: HeardEvents;
  /** The acts of persons and applies around that time. */
  readonly acts: readonly RecordedAct[];
  /** The files of the workspace that changed since, and when. */
  readonly changedFiles: ReadonlyMap<string, number>;
  /** Null where it is not known: berth has only begun to watch. */
  readonly before: Before | null;
}

export interface Explained {
  readonly cause: Cause;
  readonly since: number;
  readonly atLatest: boolean;
  /** Further evidence may come within this time; zero where there is enough. */
  readonly waitMs: number;
}

/** The engines' words and the verbs of routes that may lead to a state. */
interface Effects {
  readonly events: ReadonlySet<string>;
  readonly verbs: ReadonlySet<string>;
  /** Of steps of an apply. */
  readonly steps: ReadonlySet<string>;
}

const ENDED: Effects = {
  events: new Set(["kill", "stop"]),
  verbs: new Set(["kill", "stop"]),
  steps: new Set(["stop", "swap", "restart", "remove"]),
};
const GONE: Effects = {
  events: new Set(["destroy", "create", "stop", "kill"]),
  verbs: new Set(["remove"]),
  steps: new Set(["create", "stop", "swap", "remove"]),
};
const CHANGED: Effects = {
  events: new Set(["update", "rename", "connect", "disconnect", "create", "destroy"]),
  verbs: new Set(["rename", "connect", "disconnect", "remove"]),
  steps: new Set(["create", "swap", "remove", "update"]),
};
/** Signals after which a program usually goes on. */
const HARMLESS_SIGNALS = new Set(["1", "10", "12", "17", "18", "23", "28", "HUP", "USR1", "USR2", "WINCH"]);

/** Returns the container that is broken by itself, or has ended; null where one is only missing. */
export const brokenOne = ({ containers }: Judged): RunningContainer | null =>
  containers.find(({ condition }) =>
    condition === "failed" || condition === "dead" || condition === "restarting" || condition === "unhealthy"
  ) ?? containers.find(({ state }) => state === "exited") ?? null;

/** Returns the first cause of the table that there is evidence of, and the kinds of all others. */
export function explain(
  judged: Judged & { readonly kind: IncidentKind },
  around: Surroundings,
): Explained {
  const { kind } = judged;
  const bad = kind === "broken" ? brokenOne(judged) : null;
  const effects = kind === "stopped" || bad !== null ? ENDED : kind === "differs" ? CHANGED : GONE;
  const event = lastActOf(judged, effects, bad, around);
  const started = whenOf(judged, bad, event, around);
  // An act explains a failed container only if an event shows it.
  const act = bad !== null && event === null ? null : recordedAct(judged, effects, around, started.since);
  const found: (Cause | null)[] = [
    act === null
      ? null
      : act.apply === null
      ? { kind: "berth", act: act.verb, by: act.by }
      : { kind: "apply", apply: act.apply, by: act.by },
    fileCause(judged, event, around),
    imageCause(judged, around),
    outsideCause(judged, event, around),
    bad === null ? null : endedCause(bad, around),
  ];
  const causes = found.filter((one) => one !== null);
  const [first = { kind: "unknown" }, ...others] = causes;
  const further = [...new Set(others.map(({ kind }) => kind))].filter((one): one is CauseKind =>
    one !== first.kind
  );
  const waitMs = around.before === null || event !== null ? 0 : waitOf(first.kind, judged, bad, around);
  return { cause: further.length === 0 ? first : { ...first, further }, ...started, waitMs };
}

/** Returns how long to wait for an event that would name another cause. */
function waitOf(
  cause: CauseKind,
  judged: Judged,
  bad: RunningContainer | null,
  around: Surroundings,
): number {
  if (cause === "unknown") return EVENT_MS;
  // Something else in the files of a unit that is written as before may have changed, or something outside.
  if (cause === "file") return isWrittenTheSame(judged, around) ? EVENT_MS : 0;
  if (cause !== "ended" || bad === null || bad.condition === "unhealthy") return 0;
  // Podman tells no stop: it was one if the engine does not start it again.
  if (mayBeStopped(bad)) return STOPPED_MS + READ_MS;
  return hasDied(bad, around) ? 0 : EVENT_MS;
}

/** Returns true if the end of the container was heard. */
const hasDied = (bad: RunningContainer | null, { heard, before, now }: Surroundings): boolean =>
  bad !== null &&
  heard.of(new Set([`${bad.backend} ${bad.id}`]), (before?.at ?? now) - BEFORE_MS).some(({ action }) =>
    action === "die"
  );

const rowsOf = ({ before }: Surroundings) => before?.rows ?? new Map<string, RunningContainer>();

/** The containers of now and before, as `engine id`. */
function keysOf({ containers }: Judged, around: Surroundings): ReadonlySet<string> {
  const all = [...containers, ...rowsOf(around).values()];
  return new Set(all.map(({ backend, id }) => `${backend} ${id}`));
}

const isDeclarationNew = ({ unit }: Judged, { before }: Surroundings) =>
  before !== null && before.unit !== unit;

/** The values of a node, without their places. */
function plainOf(node: Node): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return listOf(node).map(plainOf);
  return Object.fromEntries([...entriesOf(node)].map(([key, { value }]) => [key, plainOf(value)]));
}

/** Returns true if the unit is written as before: its file may have changed elsewhere. */
const isWrittenTheSame = ({ unit }: Judged, { before }: Surroundings): boolean =>
  unit !== null && before !== null && before.unit !== null &&
  JSON.stringify(plainOf(unit.value)) === JSON.stringify(plainOf(before.unit.value));

/** Returns the latest event of an act that may have led to the state; null where none was heard. */
function lastActOf(
  judged: Judged,
  { events }: Effects,
  bad: RunningContainer | null,
  around: Surroundings,
): ContainerEvent | null {
  const keys = bad === null ? keysOf(judged, around) : new Set([`${bad.backend} ${bad.id}`]);
  const last = around.before?.at ?? around.now;
  const heard = around.heard.of(keys, last - (bad === null ? LOOK_MS : BEFORE_MS));
  if (bad === null) {
    // A container that was there at the last look was made before it.
    const isOld = ({ action, id }: ContainerEvent) => action === "create" && rowsOf(around).has(id);
    return heard.findLast((event) => events.has(event.action) && !isOld(event)) ?? null;
  }
  if (bad.condition === "unhealthy") return null; // no act makes a health check fail
  // Only what came between the last start and the end explains the end.
  const died = heard.findLastIndex(({ action }) => action === "die");
  if (died < 0) return null;
  const started = heard.slice(0, died).findLastIndex(({ action }) => action === "start");
  const exitCode = heard[died]!.exitCode;
  const between = heard.slice(started + 1);
  return between.findLast((event, at) =>
    events.has(event.action) && event.heardAt >= heard[died]!.heardAt - BEFORE_MS &&
    (event.action === "stop" || at <= died && isDeadly(event, exitCode))
  ) ?? null;
}

/** An engine that does not say the signal leaves only the end itself. */
function isDeadly({ signal }: ContainerEvent, exitCode: number | null): boolean {
  return signal === null || !HARMLESS_SIGNALS.has(signal.replace(/^SIG/, "")) ||
    exitCode === 128 + Number(signal);
}

/** Returns the best evidence of when it began. */
function whenOf(
  judged: Judged,
  bad: RunningContainer | null,
  event: ContainerEvent | null,
  around: Surroundings,
): { readonly since: number; readonly atLatest: boolean } {
  const { now, before, changedFiles, heard } = around;
  const known = (at: number) => ({ since: Math.min(at, now), atLatest: false });
  const { kind } = judged;
  if (bad !== null && bad.condition !== "unhealthy") {
    const died = heard.of(new Set([`${bad.backend} ${bad.id}`]), now - BEFORE_MS)
      .findLast(({ action }) => action === "die");
    if (died !== undefined) return known(died.heardAt);
    if (bad.finishedAt !== null) return known(Date.parse(bad.finishedAt));
  }
  if (kind === "stopped") {
    const since = judged.containers.find(({ stopped }) => stopped !== null)?.stopped?.since ?? null;
    if (since !== null) return known(Date.parse(since));
  }
  if (bad?.condition === "unhealthy") {
    const told = heard.of(new Set([`${bad.backend} ${bad.id}`]), before?.at ?? now)
      .findLast(({ action }) => action === UNHEALTHY);
    if (told !== undefined) return known(told.heardAt);
  }
  if (event !== null) return known(event.heardAt);
  const isFile = (kind === "differs" || kind === "notStarted") && isDeclarationNew(judged, around);
  const changed = isFile ? Math.max(...changedAt(judged, changedFiles)) : -Infinity;
  if (before !== null && changed > -Infinity) return known(changed);
  const made = newContainer(judged, around);
  if (made !== null && kind === "differs") return known(Date.parse(made.createdAt));
  return { since: now, atLatest: true };
}

function changedAt({ fields }: Judged, changed: Surroundings["changedFiles"]): number[] {
  const named = fields.flatMap(({ file }) => file === undefined ? [] : changed.get(file) ?? []);
  return named.length > 0 ? named : [...changed.values()];
}

/** Returns a container that was not there before; null where that is not known. */
function newContainer({ containers }: Judged, around: Surroundings): RunningContainer | null {
  if (around.before === null) return null;
  const rows = rowsOf(around);
  return containers.find(({ id }) => !rows.has(id)) ?? null;
}

/** Returns the act through berth that led to the state; that of an apply comes first. */
function recordedAct(
  judged: Judged,
  { verbs, steps }: Effects,
  around: Surroundings,
  at: number,
): RecordedAct | null {
  const named = [...judged.containers, ...rowsOf(around).values()];
  const fits = around.acts.filter((act) =>
    (act.apply === null ? verbs : steps).has(act.verb) && act.from - EARLY_MS <= at && at <= act.to &&
    named.some(({ id, name, backend }) => isActOn(act, { id, name, engine: backend }))
  );
  return fits.find(({ apply }) => apply !== null) ?? fits[0] ?? null;
}

function fileCause(judged: Judged, event: ContainerEvent | null, around: Surroundings): Cause | null {
  const { kind, fields } = judged;
  if (kind !== "differs" && kind !== "notStarted" || !isDeclarationNew(judged, around)) return null;
  const { changedFiles } = around;
  if (changedFiles.size === 0) return null;
  if (event !== null && isWrittenTheSame(judged, around)) return null;
  // A container that is gone was removed by somebody: no edit does that.
  if (kind === "notStarted" && rowsOf(around).size > judged.containers.length) return null;
  const field = fields.find(({ file }) => file !== undefined && changedFiles.has(file));
  const [file] = changedFiles.keys();
  return { kind: "file", file: field?.file ?? file!, ...(field?.line !== undefined && { line: field.line }) };
}

function imageCause(judged: Judged, around: Surroundings): Cause | null {
  const { kind, fields } = judged;
  const { before } = around;
  if (kind !== "differs" || before === null || isDeclarationNew(judged, around)) return null;
  const isImage = fields.some(({ field }) => field === "image");
  const rows = rowsOf(around);
  const isSameImage = judged.containers.every(({ id, imageId }) => rows.get(id)?.imageId === imageId);
  return isImage && isSameImage ? { kind: "image" } : null;
}

function outsideCause(judged: Judged, event: ContainerEvent | null, around: Surroundings): Cause | null {
  const { kind } = judged;
  if (event !== null) {
    const signal = event.signal === null ? {} : { signal: event.signal };
    return { kind: "outside", act: event.action, ...(event.action === "kill" && signal) };
  }
  // An engine starts it again unless somebody stopped it, even where it tells no event of that.
  if (kind === "stopped") return { kind: "outside", act: "stop" };
  const isMade = kind === "differs" && newContainer(judged, around) !== null;
  return isMade ? { kind: "outside", act: "create" } : null;
}

function endedCause(bad: RunningContainer, { heard, now }: Surroundings): Cause {
  if (bad.condition === "unhealthy") return { kind: "ended", unhealthy: true };
  const events = heard.of(new Set([`${bad.backend} ${bad.id}`]), now - BEFORE_MS);
  const died = events.findLastIndex(({ action }) => action === "die");
  const exitCode = bad.exitCode ?? events[died]?.exitCode ?? null;
  // A child that ran out of memory is no proof for the main process, unless that was killed.
  const isTold = events.slice(0, died + 1).some(({ action }) => action === "oom") && exitCode === 137;
  return {
    kind: "ended",
    ...(exitCode !== null && { exitCode }),
    ...((bad.ending.oomKilled && exitCode === 137 || isTold) && { outOfMemory: true as const }),
    ...(bad.reason !== null && { reason: bad.reason.slice(0, 300) }),
  };
}
