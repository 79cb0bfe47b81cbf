/** Keeps incidents in memory while the store takes nothing, and tells targets straight from there. */
import { isStoreAway } from "../../core/error.ts";
import {
  BERTH_SUBJECT,
  type Incident,
  type IncidentChange,
  type IncidentStore,
  subjectKey,
} from "../../core/incidents.ts";
import { mutedUntil, type MuteRecord, type MuteStore } from "../../core/mutes.ts";
import type { NoticeRecord, NoticeStore } from "../../core/notices.ts";
import { isQuiet } from "./quiet.ts";
import type { Moment } from "./book.ts";
import { delayOf, isFor, steadyAt } from "./tellings.ts";

/** A target that did not take a message gets the next one after this time. */
const RETRY_MS = 60_000;
/** A message that was due so long before the store went away was sent by then. */
const SENT_MS = 60_000;
/** Incidents that began and ended in one gap, and are written after it. */
const MOST_PAST = 1_000;
/** Another replica looks later than this one, and by a clock of its own. */
const CLOCKS_MS = 60_000;
/** Asks for the newest records, in which those of a gap may be. */
const SINCE = {
  ...{ state: null, kind: null, workspace: null, group: null, unit: null, before: null },
  limit: 10_000,
} as const;

export interface UnrecordedTimes {
  /** A store that is away for so long is told: a restart of a database is shorter. */
  readonly afterMs: number;
  /** One message of a target in this time at most. */
  readonly againMs: number;
  /** The interval of reading what is needed once the store is away. */
  readonly readMs: number;
}

const TIMES: UnrecordedTimes = { afterMs: 60_000, againMs: 600_000, readMs: 10_000 };

interface UnrecordedOptions {
  readonly notices: Pick<NoticeStore, "list">;
  readonly mutes: Pick<MuteStore, "list">;
  /** Sends a message at once. Returns true if the target took it. */
  readonly tell: (notice: NoticeRecord, gap: Incident, incidents: readonly Incident[]) => Promise<boolean>;
  readonly now: () => number;
  /** The time by a clock that never steps. */
  readonly steady: () => number;
  readonly times?: Partial<UnrecordedTimes> | undefined;
}

/** The finds of one look, some of which could not be recorded. */
export interface Found {
  /** The incidents that are open, by subject. */
  readonly open: ReadonlyMap<string, Incident>;
  /** Recorded incidents that end with this look. */
  readonly closed: readonly Incident[];
  /** Subjects whose incidents are recorded. */
  readonly recorded: ReadonlySet<string>;
  /** Subjects that are something else than what is recorded of them. */
  readonly changed: ReadonlySet<string>;
  /** Returns true where nobody can tell how its subject is. */
  readonly isUnsure: (incident: Incident) => boolean;
}

/** A target as it was told from memory: the kinds that it knows of, by incident; null for one whose end it knows. */
interface Told {
  readonly kinds: Map<string, Incident["kind"] | null>;
  isGapTold: boolean;
  nextAt: number;
}

export class Unrecorded implements AsyncDisposable {
  readonly #options: UnrecordedOptions;
  readonly #times: UnrecordedTimes;
  #gap: Incident | null = null;
  #begunAt = 0;
  /** Open incidents that are not recorded, by subject, with the id and time under which each was first seen. */
  readonly #seen = new Map<string, Incident>();
  /** The times at which incidents were opened, by their ids, on the clock that never steps. */
  readonly #opened = new Map<string, number>();
  /** Incidents that began and ended in the gap. */
  readonly #past: Incident[] = [];
  readonly #told = new Map<string, Told>();
  readonly #sending = new Map<string, Promise<void>>();
  #targets: readonly NoticeRecord[] = [];
  #mutes: readonly MuteRecord[] = [];
  #readAt = -Infinity;

  constructor(options: UnrecordedOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sending.values());
  }

  /** The open incident of berth while something is not recorded; null while all is. */
  get gap(): Incident | null {
    return this.#gap;
  }

  /** Reads who is to be told, as long as that can be read. */
  async prepare(): Promise<void> {
    if (this.#gap === null && performance.now() - this.#readAt < this.#times.readMs) return;
    const { notices, mutes, now } = this.#options;
    try {
      [this.#targets, this.#mutes] = await Promise.all([notices.list(), mutes.list(now())]);
      this.#readAt = performance.now();
    } catch (error) {
      if (!isStoreAway(error)) throw error; // until it is back, what was read last holds
    }
  }

  /** Returns the incident with the id and time under which it was first seen. */
  named(incident: Incident): Incident {
    const { id, openedAt } = this.#seen.get(subjectKey(incident.subject)) ?? incident;
    return { ...incident, id, openedAt };
  }

  /** Notes that nothing could be written. `isFirst`: this watch has not written before, so that it may be so for longer. */
  note({ message }: Error, found: Found, isFirst: boolean, now: Moment): void {
    if (this.#gap === null) this.#begunAt = now.mono;
    this.#gap ??= gapOf(message, isFirst, now);
    this.#see(found, now);
    if (now.mono - this.#begunAt < this.#times.afterMs) return;
    for (const target of this.#targets) this.#tell(target, this.#gap, found, now);
  }

  #see({ open, recorded, isUnsure }: Found, { at }: Moment): void {
    for (const [key, one] of open) if (!recorded.has(key)) this.#seen.set(key, this.named(one));
    for (const [key, one] of this.#seen) {
      if (open.has(key) || isUnsure(one)) continue;
      this.#seen.delete(key);
      if (this.#past.length >= MOST_PAST) continue;
      this.#past.push({ ...one, closedAt: Math.max(at, one.openedAt), end: "well" });
    }
  }

  #tell(target: NoticeRecord, gap: Incident, found: Found, now: Moment): void {
    const told = this.#told.get(target.id) ?? { kinds: new Map(), isGapTold: false, nextAt: 0 };
    this.#told.set(target.id, told);
    if (this.#sending.has(target.id) || now.mono < told.nextAt) return;
    if (target.quiet !== null && isQuiet(target.quiet, now.at)) return;
    const mutes = this.#mutes.filter(({ until }) => until > now.at);
    const due = [...found.open].map(([key, one]) => [key, this.named(one)] as const).filter(([key, one]) => {
      const openedAt = this.#opened.get(one.id) ?? steadyAt(one.openedAt, now);
      this.#opened.set(one.id, openedAt);
      const dueAt = openedAt + delayOf(target, one);
      // One that was due before was told, or waits in the outbox.
      const isNew = found.changed.has(key) || dueAt > this.#begunAt - SENT_MS;
      return isNew && dueAt <= now.mono && !one.atFirst && isFor(target, one) &&
        mutedUntil(one, mutes) === null;
    }).map(([, one]) => one);
    const over = this.#closed(found).filter(({ id }) => (told.kinds.get(id) ?? null) !== null);
    const isNews = (isFor(target, gap) && !told.isGapTold) || over.length > 0 ||
      due.some(({ id, kind }) => told.kinds.get(id) !== kind);
    if (!isNews) return;
    const sending = this.#options.tell(target, gap, [...due, ...over]).catch(() => false).then((isTaken) => {
      told.nextAt = this.#options.steady() + (isTaken ? this.#times.againMs : RETRY_MS);
      if (!isTaken) return;
      told.isGapTold = true;
      for (const { id } of over) told.kinds.set(id, null);
      for (const { id, kind } of due) told.kinds.set(id, kind);
    }).finally(() => this.#sending.delete(target.id));
    this.#sending.set(target.id, sending);
  }

  #closed({ closed }: Found): readonly Incident[] {
    return [...this.#past, ...closed];
  }

  /** Adds to a look what has to be written with it: the gap itself, and what began and ended in it. */
  completed(changes: readonly IncidentChange[], found: Found, now: Moment): readonly IncidentChange[] {
    if (this.#gap === null) return changes;
    this.#see(found, now);
    const known = changes.map((change) => {
      const to = change.incident.closedAt === null ? [] : this.#waitingFor(change.incident);
      return to.length === 0 ? change : { ...change, outbox: outboxOf(to) };
    });
    const unsure = [...this.#seen].filter(([key]) => !found.open.has(key)).map(([, one]) => recordOf(one));
    return [...known, ...unsure, ...this.#own(now)];
  }

  /** Writes what no other replica knows, where another one watches by now and judges all else. Throws `store_unavailable`. */
  async leave(store: Pick<IncidentStore, "write" | "list">): Promise<void> {
    if (this.#gap === null) return;
    const known = await store.list({ ...SINCE, since: this.#gap.openedAt - CLOCKS_MS });
    const past = this.#past.filter((one) => !known.some((other) => isSame(one, other)));
    this.#past.splice(0, Infinity, ...past);
    await store.write(this.#own({ at: this.#options.now(), mono: this.#options.steady() }));
    this.written();
  }

  /** All is recorded again. */
  written(): void {
    this.#gap = null;
    this.#seen.clear();
    this.#opened.clear();
    this.#told.clear();
    this.#past.length = 0;
  }

  #own(now: Moment): IncidentChange[] {
    const gap = this.#gap!; // there is one
    const past = this.#past.map((one) => ({
      ...recordOf(one),
      outbox: outboxOf(this.#waitingFor(one)),
    }));
    const over: Incident = { ...gap, closedAt: Math.max(now.at, gap.openedAt), end: "well" };
    const to = [...this.#told].filter(([, { isGapTold }]) => isGapTold).map(([notice]) => notice);
    return [...past, { ...recordOf(over), outbox: outboxOf(to) }];
  }

  /** Returns the targets that were told of an incident, and not of its end. */
  #waitingFor({ id }: Incident): string[] {
    return [...this.#told].filter(([, { kinds }]) => (kinds.get(id) ?? null) !== null).map(([notice]) =>
      notice
    );
  }
}

const outboxOf = (notices: readonly string[]): NonNullable<IncidentChange["outbox"]> => ({
  to: notices.map((notice) => ({ notice, dueAt: 0 })),
  soonerAt: null,
  isWorse: false,
});

/** Returns true if another replica has recorded the same. */
const isSame = (past: Incident, other: Incident): boolean =>
  subjectKey(past.subject) === subjectKey(other.subject) &&
  other.openedAt <= past.closedAt! + CLOCKS_MS && // it is over
  (other.closedAt ?? Infinity) >= past.openedAt - CLOCKS_MS;

function recordOf(incident: Incident): IncidentChange {
  const { openedAt, kind, since, atLatest, cause, fields } = incident;
  return { incident, line: { at: openedAt, kind, since, atLatest, cause, fields } };
}

function gapOf(reason: string, atLatest: boolean, { at }: Moment): Incident {
  return {
    id: crypto.randomUUID(),
    subject: { ...BERTH_SUBJECT, container: "store" },
    kind: "berth",
    since: at,
    atLatest,
    cause: { kind: "unrecorded", reason },
    fields: [],
    openedAt: at,
    closedAt: null,
    end: null,
    endings: 0,
    atFirst: false,
    lines: 1,
  };
}

/** Returns the incidents of a store with the gap among them: it is open while nothing says so in the store. */
export function withGap(store: IncidentStore, gapNow: () => Incident | null): IncidentStore {
  return {
    ...store,
    open: async () => [...gapNow() === null ? [] : [gapNow()!], ...await store.open()],
    list: async (query) => {
      const { state, kind, workspace, group, unit, before, limit } = query;
      const gap = gapNow();
      const found = await store.list(query);
      const isAsked = gap !== null && state !== "closed" && (kind ?? gap.kind) === gap.kind &&
        before === null && workspace === null && group === null && unit === null;
      return isAsked ? [gap, ...found].slice(0, limit) : found;
    },
    get: (id) => gapNow()?.id === id ? Promise.resolve(gapNow()) : store.get(id),
    lines: async (id) => {
      const gap = gapNow();
      if (gap?.id !== id) return await store.lines(id);
      const { openedAt: at, kind, since, atLatest, cause, fields } = gap;
      return [{ seq: 1, at, kind, since, atLatest, cause, fields }];
    },
    // A gap begins without a write, and ends with one.
    revision: async () => await store.revision() + (gapNow() === null ? 0 : 0.5),
  };
}
