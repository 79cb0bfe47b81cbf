/** The open incidents, and how they change by what was judged. */
import {
  type Cause,
  type Incident,
  type IncidentChange,
  type IncidentEnd,
  type IncidentState,
  subjectKey,
} from "../../core/incidents.ts";
import type { Judged } from "./judge.ts";

interface Open {
  incident: Incident;
  /** When it became well again: on the clock that never steps, and on the wall. */
  well: { readonly mono: number; readonly at: number } | null;
  /** True if it was found well by the first look after berth was away. */
  wasAway: boolean;
}

/** One moment, on the clock of the wall and on one that never steps, both in milliseconds since 1970. */
export interface Moment {
  readonly at: number;
  readonly mono: number;
}

export class IncidentBook {
  readonly #open = new Map<string, Open>();

  /** An incident ends once its subject has been well for `wellMs`, so that flapping is one incident. */
  constructor(private readonly wellMs: number, open: readonly Incident[]) {
    for (const incident of open) {
      this.#open.set(subjectKey(incident.subject), { incident, well: null, wasAway: true });
    }
  }

  /** Returns the open incident of a subject. */
  of(key: string): Incident | null {
    return this.#open.get(key)?.incident ?? null;
  }

  keys(): IterableIterator<string> {
    return this.#open.keys();
  }

  /** Returns true if what was judged says something new, which has to be explained. */
  isNews({ subject, kind, fields }: Judged, endings: number): boolean {
    if (kind === null || kind === "unknown") return false;
    const known = this.#open.get(subjectKey(subject))?.incident;
    if (known === undefined || known.kind !== kind || endings > 0) return true;
    return JSON.stringify(known.fields) !== JSON.stringify(fields);
  }

  /** Returns the change by which a subject has this state. */
  bad(judged: Judged, state: IncidentState, now: Moment, endings: number, atFirst: boolean): IncidentChange {
    const key = subjectKey(judged.subject);
    const open = this.#open.get(key);
    if (open === undefined) {
      const incident: Incident = {
        ...state,
        id: crypto.randomUUID(),
        subject: judged.subject,
        ...elsewhereOf(judged),
        openedAt: now.at,
        closedAt: null,
        end: null,
        endings,
        atFirst,
        lines: 1,
      };
      return { incident, line: { at: now.at, ...state } };
    }
    const { elsewhere: _, ...incident } = open.incident;
    // A known cause stays, although its evidence is gone by now.
    const cause = state.cause.kind === "unknown" && state.kind === incident.kind
      ? incident.cause
      : state.cause;
    const next = { ...state, cause };
    const isLine = incident.kind !== next.kind || !isSameCause(incident.cause, cause) ||
      JSON.stringify(incident.fields) !== JSON.stringify(next.fields);
    return {
      incident: {
        ...incident,
        ...elsewhereOf(judged), // who sees it follows where its containers are from by now
        ...next,
        since: incident.kind === next.kind ? incident.since : next.since,
        atLatest: incident.kind === next.kind ? incident.atLatest : next.atLatest,
        endings: incident.endings + endings,
        lines: incident.lines + (isLine ? 1 : 0),
      },
      line: isLine ? { at: now.at, ...next } : null,
    };
  }

  /** Notes that the subject is not well after all. */
  stillBad(key: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    open.well = null;
    open.wasAway = false;
  }

  /** Notes that nobody can tell how the subject is: the time of being well begins anew after it. */
  unsure(key: string): void {
    const open = this.#open.get(key);
    if (open !== undefined) open.well = null;
  }

  /** Notes that the subject is well. Returns the change that closes its incident, once that has lasted. */
  well(key: string, now: Moment): IncidentChange | null {
    const open = this.#open.get(key);
    if (open === undefined) return null;
    open.well ??= { mono: now.mono, at: now.at };
    if (now.mono - open.well.mono < this.wellMs) return null;
    return this.#closed(open, open.wasAway ? "away" : "well", open.well.at);
  }

  /** Returns the change that closes the incident of a subject that is gone. */
  gone(key: string, now: Moment): IncidentChange | null {
    const open = this.#open.get(key);
    return open === undefined ? null : this.#closed(open, "undeclared", now.at);
  }

  /** Returns true if an incident waits for its end. */
  get isWaiting(): boolean {
    return [...this.#open.values()].some(({ well }) => well !== null);
  }

  /** Takes a change over, once it is in the store. */
  wrote({ incident }: IncidentChange): void {
    const key = subjectKey(incident.subject);
    if (incident.closedAt !== null) {
      this.#open.delete(key);
      return;
    }
    const open = this.#open.get(key);
    if (open === undefined) this.#open.set(key, { incident, well: null, wasAway: false });
    else open.incident = incident;
  }

  #closed({ incident }: Open, end: IncidentEnd, at: number): IncidentChange {
    const closedAt = Math.max(at, incident.openedAt);
    return { incident: { ...incident, closedAt, end }, line: null };
  }
}

const elsewhereOf = ({ elsewhere }: Judged): Pick<Incident, "elsewhere"> =>
  elsewhere === undefined ? {} : { elsewhere };

const isSameCause = (one: Cause, other: Cause): boolean =>
  one.kind === other.kind && one.act === other.act && one.exitCode === other.exitCode &&
  one.apply === other.apply && one.outOfMemory === other.outOfMemory && one.unhealthy === other.unhealthy;
