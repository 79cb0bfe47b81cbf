/** Which targets are to be told of a change, and when. */
import { Reach } from "../../core/access.ts";
import {
  type Cause,
  type Incident,
  type IncidentChange,
  type IncidentKind,
  scopesOf,
} from "../../core/incidents.ts";
import type { NoticeRecord } from "../../core/notices.ts";
import type { Moment } from "./book.ts";

/** What people do on purpose is told when it may have been forgotten. */
const ON_PURPOSE_MS = 3_600_000;

/** From the worst. */
const RANKS: readonly IncidentKind[] = [
  "broken",
  "engine",
  "workspace",
  "berth",
  "differs",
  "stopped",
  "notStarted",
];

/** Adds what targets are to be told. An incident that was there at the first watch is told once it changes. */
export function withTellings(
  change: IncidentChange,
  before: Incident | null,
  notices: readonly NoticeRecord[],
  now: Moment,
): IncidentChange {
  const { incident } = change;
  if (isFirstWatch(incident)) {
    const to = notices.map(({ id }) => ({ notice: id, dueAt: 0 }));
    return { ...change, outbox: { to, soonerAt: null, isWorse: false } };
  }
  if (incident.closedAt !== null || notices.length === 0) return change;
  const isNews = before === null ? !incident.atFirst : before.kind !== incident.kind;
  const isSooner = before !== null && isOnPurpose(before) && !isOnPurpose(incident);
  const isWorse = before !== null && RANKS.indexOf(incident.kind) < RANKS.indexOf(before.kind);
  if (!isNews && !isSooner) return change;
  const begun = before === null ? incident.openedAt : change.line?.at ?? incident.openedAt;
  const steady = steadyAt(begun, now);
  const to = notices.filter((notice) => isFor(notice, incident))
    .map((notice) => ({ notice: notice.id, dueAt: steady + delayOf(notice, incident) }));
  const isLater = before !== null && isNews && isOnPurpose(incident) && !isOnPurpose(before);
  const outbox = { to: isNews ? to : [], soonerAt: isSooner ? steady : null, isWorse };
  return { ...change, outbox: isLater ? { ...outbox, isLater } : outbox };
}

const isHuman = ({ kind, further = [] }: Cause): boolean =>
  [kind, ...further].every((one) => one === "file" || one === "berth");

const isOnPurpose = ({ kind, cause }: Incident): boolean => kind === "stopped" || isHuman(cause);

/** Returns a time of the wall by the clock that never steps. One that is still to come is taken for now. */
export const steadyAt = (at: number, now: Moment): number => now.mono - Math.max(0, now.at - at);

/** Returns the longest time for which a target is not told of an incident that is open. */
export const mostDelayOf = ({ afterS }: NoticeRecord): number => Math.max(afterS * 1_000, ON_PURPOSE_MS);

/** Returns the time for which an incident is open before the target is told of it. */
export const delayOf = ({ afterS }: NoticeRecord, incident: Incident): number =>
  Math.max(afterS * 1_000, isOnPurpose(incident) ? ON_PURPOSE_MS : 0);

/** Returns true for the record of the first watch, of which a target is told first. */
export const isFirstWatch = ({ cause }: Incident): boolean => cause.kind === "firstWatch";

/** Returns true if the target is told of such incidents. */
export function isFor({ id, tells, on }: NoticeRecord, incident: Incident): boolean {
  const { kind, subject } = incident;
  if (!tells.includes(kind) || subject.kind === "berth" && subject.container === targetOf(id)) return false;
  return on.length === 0 || new Reach(on).has(scopesOf(incident));
}

/** Returns the mark of the incident that says that a target does not take its messages: others are told of it. */
export const targetOf = (notice: string): string => `notice ${notice}`;
