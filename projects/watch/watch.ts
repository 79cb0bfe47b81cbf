/** One watch: the incidents since this replica took its turn, changed by each look. */
import type { Model } from "../../artifacts/artifact.ts";
import { isWell } from "../../core/condition.ts";
import { isStoreAway } from "../../core/error.ts";
import {
  type Incident,
  type IncidentChange,
  type IncidentSubject,
  subjectKey,
} from "../../core/incidents.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import { IncidentBook, type Moment } from "./book.ts";
import type { Before, Surroundings } from "./causes.ts";
import { containerKey, type HeardEvents } from "./evidence.ts";
import { judge, type Judged, judgeUndeclared } from "./judge.ts";
import { Reasons } from "./reasons.ts";
import { firstWatch, judgeEngine, judgeWorkspace } from "./whole.ts";
import { withTellings } from "./tellings.ts";
import { withStarts } from "./started.ts";
import type { Found } from "./unrecorded.ts";
import type { WatcherOptions } from "./watch_options.ts";

interface WatchOptions extends WatcherOptions {
  readonly heard: HeardEvents;
  readonly wellMs: number;
}

/** A subject as it was judged last. */
interface Remembered extends Before {
  at: number;
  readonly judged: Judged;
}

interface Known {
  readonly at: number;
  readonly keys: ReadonlySet<string>;
  readonly workspaces: ReadonlySet<string>;
}

export class Watch {
  readonly #options: WatchOptions;
  readonly #book: IncidentBook;
  readonly #before = new Map<string, Remembered>();
  /** Subjects of which nothing is left to do while the same is found of them. */
  readonly #done = new Set<Judged>();
  readonly #files = new Map<string, ReadonlyMap<string, string>>();
  /** The files of each workspace that changed: when that was noticed, and when they were written. */
  readonly #changed = new Map<string, Map<string, { readonly noticed: number; readonly at: number }>>();
  /** The subjects at the last look, and the workspaces whose units were among them. */
  #known: Known = { at: 0, keys: new Set(), workspaces: new Set() };
  /** Subjects whose events may still be on their way, and since when. */
  readonly #early = new Map<string, Moment>();
  /** Endings since the last look that was recorded, by container. */
  #endings = new Map<string, number>();
  /** Endings of subjects that are held, and when each was held last: after a while of being well they are over. */
  readonly #owed = new Map<string, { readonly count: number; mono: number }>();
  /** Notes of a look for the next one, made once its finds are recorded: else all is judged anew. */
  #recorded: (() => void)[] = [];
  /** Units that were unknown when berth began to watch them, and were not judged since. */
  readonly #unjudged = new Set<string>();
  readonly #registered = new Map<string, number>();
  /** The workspaces whose units were among the subjects of any look: one that comes back is not new. */
  readonly #everJudged = new Set<string>();
  readonly #begunAt: number;
  #isFirstEver: boolean;
  #isHeld = false;

  private constructor(options: WatchOptions, book: IncidentBook, isFirstEver: boolean) {
    this.#options = options;
    this.#book = book;
    this.#isFirstEver = isFirstEver;
    this.#begunAt = options.now();
  }

  /** Throws `store_unavailable`. */
  static async begin(options: WatchOptions): Promise<Watch> {
    const { store, wellMs } = options;
    const book = new IncidentBook(wellMs, await store.open());
    return new Watch(options, book, !await store.wasWatched());
  }

  /** True if a look is needed although nothing changes. */
  get isWaiting(): boolean {
    return this.#book.isWaiting || this.#isHeld;
  }

  /**
   * Judges everything. `overtaken`: another replica has written, and all of it is to be read anew. `away`: the store
   * takes nothing, and all is to be judged anew.
   */
  async look(): Promise<"recorded" | "overtaken" | "away"> {
    const now: Moment = { at: this.#options.now(), mono: this.#options.steady() };
    for (const [key, count] of this.#options.heard.takeEndings()) {
      this.#endings.set(key, (this.#endings.get(key) ?? 0) + count);
    }
    const { judged: all, gone, keys } = await this.#judgeAll(now);
    const judged = await withStarts(all, this.#options.ownership);
    this.#options.endings.know(judged);
    const changes: IncidentChange[] = [];
    const explained = new Reasons(this.#options, now);
    this.#isHeld = false;
    this.#recorded = [];
    for (const [key, { mono }] of this.#owed) {
      if (now.mono - mono > this.#options.wellMs) this.#owed.delete(key);
    }
    for (const one of judged) {
      if (this.#isDone(one, now)) continue;
      const change = await this.#changeOf(one, explained, now);
      if (change !== null) changes.push(change);
    }
    for (const key of gone) {
      const change = this.#book.gone(key, now);
      if (change !== null) changes.push(change);
      this.#forget(key);
    }
    if (this.#isFirstEver) changes.push(firstWatch(judged, now));
    const end = await this.#write(changes, judged, now);
    if (end === "away") return end;
    this.#noteKnown(judged, keys, now);
    this.#endings.clear();
    for (const note of this.#recorded) note();
    if (end === "recorded") this.#isFirstEver = false;
    return end;
  }

  /** Returns what is not well with these changes. */
  #foundBy(judged: readonly Judged[], changes: readonly IncidentChange[]): Found {
    const recorded = new Set(this.#book.keys());
    const open = new Map([...recorded].map((key) => [key, this.#book.of(key)!])); // it is one of the book's keys
    const changed = new Set<string>();
    for (const { incident } of changes) {
      const key = subjectKey(incident.subject);
      if (open.has(key) && open.get(key)!.kind !== incident.kind) changed.add(key);
      if (incident.closedAt === null) open.set(key, incident);
      else open.delete(key);
    }
    const unsure = new Set(
      judged.filter(({ kind }) => kind === "unknown").map(({ subject }) => subjectKey(subject)),
    );
    const unheard = this.#options.runtime()?.unheard() ?? new Map<string, string>();
    const isUnsure = ({ subject }: Incident) =>
      unsure.has(subjectKey(subject)) || subject.kind === "container" && unheard.has(subject.engine!);
    const closed = changes.map(({ incident }) => incident).filter(({ closedAt }) => closedAt !== null);
    return { open, closed, recorded, changed, isUnsure };
  }

  async #write(
    found: readonly IncidentChange[],
    judged: readonly Judged[],
    now: Moment,
  ): Promise<"recorded" | "overtaken" | "away"> {
    const { store, notices, unrecorded } = this.#options;
    if (found.length === 0 && unrecorded.gap === null) return "recorded";
    const state = this.#foundBy(judged, found);
    try {
      const targets = await notices.list();
      const named = found.map((one) =>
        this.#book.of(subjectKey(one.incident.subject)) === null
          ? { ...one, incident: unrecorded.named(one.incident) }
          : one
      );
      const told = named.map((one) =>
        withTellings(one, this.#book.of(subjectKey(one.incident.subject)), targets, now)
      );
      const changes = unrecorded.completed(told, state, now);
      const written = new Set(await store.write(changes));
      unrecorded.written();
      this.#options.written?.();
      for (const change of changes) if (written.has(change.incident.id)) this.#book.wrote(change);
      return changes.every(({ incident }) => written.has(incident.id)) ? "recorded" : "overtaken";
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      unrecorded.note(error as Error, state, this.#known.at === 0, now);
      return "away";
    }
  }

  /** Returns the state of every subject, and the keys of open incidents whose subjects are gone. */
  async #judgeAll(
    now: Moment,
  ): Promise<{ readonly judged: Judged[]; readonly gone: string[]; readonly keys: ReadonlySet<string> }> {
    const { registry, own } = this.#options;
    const runtime = this.#options.runtime();
    const judged: Judged[] = [];
    const declared = new Set<string>();
    const read = new Set<string>();
    for (const { workspace: { id, path }, model } of await registry.models()) {
      await this.#noteFiles(id, path, model, now);
      const units = await judge(id, model, runtime, await own(id));
      for (const { containers } of units) for (const one of containers) declared.add(containerKey(one));
      judged.push(...units);
      read.add(id);
    }
    const known = await registry.list();
    this.#registered.clear();
    for (const { id, createdAt } of known) this.#registered.set(id, Date.parse(createdAt));
    for (const id of this.#everJudged) if (!this.#registered.has(id)) this.#everJudged.delete(id);
    judged.push(...known.map(judgeWorkspace));
    const containers = await runtime?.containers() ?? [];
    judged.push(...await this.#undeclared(containers, declared));
    const engines = (runtime?.backends() ?? []).filter(({ state }) => state !== "unsupported");
    judged.push(...engines.map(({ name, state }) => judgeEngine(name, state === "up")));
    const keys = new Set(judged.map(({ subject }) => subjectKey(subject)));
    const unread = new Set(known.filter(({ id }) => !read.has(id)).map(({ id }) => id));
    const unheard = runtime?.unheard() ?? new Map<string, string>();
    const gone: string[] = [];
    for (const key of this.#book.keys()) {
      const { subject } = this.#book.of(key)!; // it is one of the book's keys
      if (keys.has(key) || subject.kind === "berth") continue;
      const isUnsure = subject.kind === "unit"
        ? unread.has(subject.workspace!)
        : subject.kind === "container" && unheard.has(subject.engine!);
      if (isUnsure) this.#book.unsure(key);
      else gone.push(key);
    }
    return { judged, gone, keys };
  }

  async #noteFiles(id: string, root: string, { files }: Model, now: Moment): Promise<void> {
    const hashes = new Map(files.map(({ path, hash }) => [path, hash]));
    const before = this.#files.get(id);
    this.#files.set(id, hashes);
    const changed = this.#changed.get(id) ??
      new Map<string, { readonly noticed: number; readonly at: number }>();
    this.#changed.set(id, changed);
    if (before === undefined) return;
    for (const path of new Set([...before.keys(), ...hashes.keys()])) {
      if (before.get(path) === hashes.get(path)) continue;
      changed.set(path, {
        noticed: now.at,
        at: Math.min(now.at, await writtenAt(`${root}/${path}`) ?? now.at),
      });
    }
  }

  /** Returns the containers that no file declares and that are not put aside, where they are broken or were. */
  async #undeclared(
    containers: readonly RunningContainer[],
    declared: ReadonlySet<string>,
  ): Promise<Judged[]> {
    const found = containers.filter((one) => !declared.has(containerKey(one))).map((one) =>
      judgeUndeclared(one, !isWell(one.condition))
    ).filter(({ kind, subject }) => kind !== null || this.#book.of(subjectKey(subject)) !== null);
    if (found.length === 0) return [];
    const aside = new Set(
      (await this.#options.ignored.list()).map(({ engine, kind, name }) => `${engine} ${kind} ${name}`),
    );
    return found.map((one) => {
      const { engine, project, container } = one.subject;
      const name = project === null ? `container ${container}` : `project ${project}`;
      return aside.has(`${engine} ${name}`) ? { ...one, kind: null } : one;
    });
  }

  async #changeOf(
    judged: Judged,
    reasons: Reasons,
    now: Moment,
  ): Promise<IncidentChange | null> {
    const key = subjectKey(judged.subject);
    const { kind } = judged;
    const isKnown = this.#book.of(key) !== null;
    if (kind === "unknown") { // the engine or the workspace has an incident
      this.#book.unsure(key);
      const { subject } = judged;
      if (subject.kind === "unit" && this.#isNewlyWatched(subject)) {
        this.#recorded.push(() => this.#unjudged.add(key));
      }
      return null;
    }
    if (kind === null) {
      this.#early.delete(key);
      this.#unjudged.delete(key);
      this.#remember(key, judged, now);
      if (isKnown) return this.#book.well(key, now);
      this.#done.add(judged);
      return null;
    }
    this.#book.stillBad(key);
    const ended = judged.containers.reduce(
      (sum, one) => sum + (this.#endings.get(containerKey(one)) ?? 0),
      this.#owed.get(key)?.count ?? 0,
    );
    const hold = () => {
      this.#isHeld = true;
      const owed = this.#owed.get(key);
      if (owed !== undefined) owed.mono = now.mono;
      this.#recorded.push(() => this.#owed.set(key, { count: ended, mono: now.mono }));
      return null;
    };
    if (!this.#book.isNews(judged, ended)) {
      this.#remember(key, judged, now);
      this.#done.add(judged);
      return null;
    }
    if (await reasons.isHeld(judged.subject)) return hold();
    const bad = { ...judged, kind };
    const { state, waitMs } = await reasons.stateOf(bad, this.#surroundings(key, judged));
    const early = this.#early.get(key) ?? now;
    if (now.mono - early.mono < waitMs) {
      this.#early.set(key, early);
      return hold();
    }
    this.#recorded.push(() => {
      this.#early.delete(key);
      this.#owed.delete(key);
      this.#unjudged.delete(key);
      this.#remember(key, judged, now);
    });
    const since = state.atLatest ? Math.min(early.at, state.since) : state.since;
    const isOld = state.atLatest || since < this.#begunAt;
    const atFirst = this.#isNewlyWatched(judged.subject) || isOld && this.#unjudged.has(key);
    return this.#book.bad(bad, { ...state, since }, now, ended, atFirst);
  }

  /** Returns true for what berth has never watched before: a folder that was registered since, or everything. */
  #isNewlyWatched(subject: IncidentSubject): boolean {
    const { kind, workspace } = subject;
    if (this.#isFirstEver || workspace === null) return this.#isFirstEver;
    if (kind === "workspace" && this.#before.has(subjectKey(subject))) return false; // it was well
    return !this.#everJudged.has(workspace) && (this.#registered.get(workspace) ?? 0) >= this.#begunAt;
  }

  #surroundings(key: string, { subject }: Judged): Pick<Surroundings, "before" | "changedFiles"> {
    const { workspace } = subject;
    const { at, keys, workspaces } = this.#known;
    // A unit that is new in its files was not there before, and had no containers.
    const isNew = workspace !== null && workspaces.has(workspace) && !keys.has(key);
    const before = this.#before.get(key) ??
      (isNew ? { at, unit: null, rows: new Map<string, RunningContainer>() } : null);
    const all = workspace === null ? undefined : this.#changed.get(workspace);
    const since = before?.at ?? Infinity;
    const changed = [...all ?? []].filter(([, { noticed }]) => noticed > since);
    return { before, changedFiles: new Map(changed.map(([path, { at }]) => [path, at])) };
  }

  /** Returns true if the same was found as before, and nothing was left to do of that. */
  #isDone(judged: Judged, now: Moment): boolean {
    if (!this.#done.has(judged)) return false;
    const endings = this.#endings;
    if (endings.size > 0 && judged.containers.some((one) => endings.has(containerKey(one)))) return false;
    this.#before.get(subjectKey(judged.subject))!.at = now.at; // what is done was remembered
    return true;
  }

  #remember(key: string, judged: Judged, now: Moment): void {
    const { unit, containers } = judged;
    this.#forget(key);
    this.#before.set(key, {
      at: now.at,
      unit,
      rows: new Map(containers.map((one) => [one.id, one])),
      judged,
    });
  }

  #forget(key: string): void {
    const before = this.#before.get(key);
    if (before !== undefined) this.#done.delete(before.judged);
    this.#before.delete(key);
  }

  #noteKnown(judged: readonly Judged[], keys: ReadonlySet<string>, { at }: Moment): void {
    const workspaces = new Set(
      judged.flatMap(({ subject: { kind, workspace } }) => kind === "unit" ? [workspace!] : [] // every unit has one
      ),
    );
    this.#known = { at, keys, workspaces };
    for (const id of workspaces) this.#everJudged.add(id);
  }
}

/** Returns when a file was written; null where it is gone. */
async function writtenAt(path: string): Promise<number | null> {
  try {
    return (await Deno.lstat(path)).mtime?.getTime() ?? null;
  } catch {
    return null;
  }
}
