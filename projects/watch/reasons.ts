/** The causes that one look finds: what it reads for them is read once. */
import type { ApplyRecord } from "../../core/applies.ts";
import { isStoreAway, ServiceError } from "../../core/error.ts";
import type { Cause, IncidentKind, IncidentState, IncidentSubject } from "../../core/incidents.ts";
import type { Moment } from "./book.ts";
import { brokenOne, explain, type Explained, type Surroundings } from "./causes.ts";
import { actsIn, type HeardEvents, type RecordedAct } from "./evidence.ts";
import type { Judged } from "./judge.ts";
import type { WatcherOptions } from "./watch_options.ts";

/** A unit waits this long at most for an apply of its group. */
const APPLY_MS = 15 * 60_000;
const MOST_APPLIES = 20;
const MOST_ENTRIES = 4_000;
/** A step of an apply may take this long, and what it left is judged after it. */
const ACTS_MS = APPLY_MS + 60_000;
/** A file that was saved through berth was written at about this time. */
const SAVED_MS = 10_000;

export class Reasons {
  readonly #applies = new Map<string, Promise<readonly ApplyRecord[]>>();
  #acts: Promise<readonly RecordedAct[] | null> | null = null;

  constructor(
    private readonly options: WatcherOptions & { readonly heard: HeardEvents },
    private readonly now: Moment,
  ) {}

  /** Returns true while an apply changes the group: what it leaves is judged. */
  async isHeld(subject: IncidentSubject): Promise<boolean> {
    const { at } = this.now;
    return (await this.#appliesOf(subject)).some(({ state, createdAt }) =>
      state === "running" && at - createdAt < APPLY_MS
    );
  }

  async stateOf(
    judged: Judged & { readonly kind: IncidentKind },
    known: Pick<Surroundings, "before" | "changedFiles">,
  ): Promise<{ readonly state: IncidentState; readonly waitMs: number }> {
    const { kind, fields, subject } = judged;
    if (subject.kind === "engine" || subject.kind === "workspace") {
      return { state: { kind, fields, ...this.#ofWhole(subject) }, waitMs: 0 };
    }
    const { at: now } = this.now;
    const { heard } = this.options;
    const acts = await this.#actsNow();
    // Without the acts of people nothing is evidence.
    if (acts === null) {
      return { state: { kind, fields, since: now, atLatest: true, cause: { kind: "unknown" } }, waitMs: 0 };
    }
    const explained = explain(judged, { now, heard, acts, ...known });
    const { since, atLatest, waitMs } = explained;
    return {
      state: { kind, fields, since, atLatest, cause: await this.#completed(judged, explained) },
      waitMs,
    };
  }

  #ofWhole({ kind, engine }: IncidentSubject): Pick<IncidentState, "cause" | "since" | "atLatest"> {
    const { at } = this.now;
    if (kind === "workspace") return { cause: { kind: "unknown" }, since: at, atLatest: true };
    const known = this.options.runtime()?.backends().find(({ name }) => name === engine);
    const since = known?.since === undefined ? at : Math.min(at, Date.parse(known.since));
    return {
      cause: { kind: "engine", ...(known?.reason !== undefined && { reason: known.reason.slice(0, 300) }) },
      since,
      atLatest: known?.since === undefined,
    };
  }

  /** Adds what has to be asked for: the limit of a container that was killed, and who saved a file. */
  async #completed(judged: Judged, { cause, since }: Pick<Explained, "cause" | "since">): Promise<Cause> {
    const bad = brokenOne(judged);
    if (cause.kind === "ended" && cause.exitCode === 137 && bad !== null) {
      const limit = await this.#memoryLimit(bad.id, bad.backend);
      return limit === null ? cause : { ...cause, memoryLimit: limit };
    }
    const { workspace } = judged.subject;
    if (cause.kind !== "file" || cause.file === undefined || workspace === null) return cause;
    const { file } = cause;
    const [version] = await unlessAway(() => this.options.versions.newest(workspace, [file], 1), []);
    const isSaved = version !== undefined && Math.abs(version.at - since) < SAVED_MS;
    return isSaved ? { ...cause, by: version.by } : cause;
  }

  async #memoryLimit(id: string, engine: string): Promise<number | null> {
    try {
      return (await this.options.runtime()?.inspect(id, engine))?.memoryLimitBytes ?? null;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return null; // the ending is told without it
    }
  }

  /** Returns null while the store is away. */
  #actsNow(): Promise<readonly RecordedAct[] | null> {
    const { at } = this.now;
    // Entries of other replicas carry the time of their own clocks.
    const entries = () => this.options.audit.between(at - ACTS_MS, at + ACTS_MS, MOST_ENTRIES);
    return this.#acts ??= unlessAway(entries, null).then((found) => found && actsIn(found));
  }

  #appliesOf({ workspace, group }: IncidentSubject): Promise<readonly ApplyRecord[]> {
    if (workspace === null || group === null) return Promise.resolve([]);
    const key = JSON.stringify([workspace, group]);
    let found = this.#applies.get(key);
    if (found === undefined) {
      const query = { workspace, group, before: null, limit: MOST_APPLIES, state: null };
      // No apply goes on while its journal is away.
      this.#applies.set(key, found = unlessAway(() => this.options.applies.list(query), []));
    }
    return found;
  }
}

/** Returns something else while the store is away. */
async function unlessAway<T, Other>(read: () => Promise<T>, other: Other): Promise<T | Other> {
  try {
    return await read();
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    return other;
  }
}
