/**
 * The parts that every log view shares: its lines, earlier ones on request, its state, and a notice of new
 * lines.
 */
import { type Signal, signal } from "@preact/signals";
import { type EarlierLine, type EarlierLines, LOGS } from "../../client/berth/logs.ts";
import { type Line, Lines, type Moved } from "./lines.ts";
import { type Problem, problemOf } from "./problem.ts";
import { client } from "./session.ts";

export interface Source {
  /** Unique among those of one log. */
  readonly key: string;
  readonly name: string;
  readonly backend: string;
}

/** Lines that the engine has lost, between these two times. */
export interface Gap {
  readonly after: string;
  readonly before: string | null;
}

/** From where a log is read: so many last lines, or what was written since then. */
export interface From {
  readonly tail?: number;
  readonly since?: string;
}

/** A single line: whose, and its cursor. */
export interface LinePlace {
  readonly source: string;
  readonly cursor: string;
}

/** The number of earlier lines of one request, and of requests in a row that return none. */
const EARLIER = 500;
const TRIES = 4;
/** As many logs are read backwards together. */
export const MOST_BACKWARDS = 16;
const THE_BEGINNING = "1970-01-01T00:00:00Z";

/** The time without a refusal after which a log counts as read that says nothing. */
const CALM_MS = 5_000;

export abstract class LogFeed {
  readonly state: Signal<"reading" | "following" | "waiting" | "ended"> = signal("reading");
  /** The reason for its end: `removed`, or null if a problem says it. */
  readonly reason: Signal<string | null> = signal(null);
  readonly problem: Signal<Problem | null> = signal(null);
  /** Counts up when there are further lines, at most once a frame. */
  readonly version: Signal<number> = signal(0);
  readonly lines: Lines = new Lines(() => this.#tell());
  /** The sources of the lines, by the number that a line holds; empty for a single source. */
  readonly sources: Source[] = [];
  /** The state of earlier lines: `full` if there is no room for them. */
  readonly earlier: Signal<"maybe" | "reading" | "none" | "full" | "many"> = signal("maybe");
  #isTold = false;
  #isRefused = false;
  /** The places where earlier lines of a source end. */
  readonly #firsts = new Map<string, string>();
  #until: string | null = null;
  /** The line that was asked for, while it has not come: it is the first of its source behind this one. */
  #target: { readonly source: string; readonly after: EarlierLine | null } | null = null;

  /** Follows until the signal; a lost connection is taken up again. */
  abstract follow(ending: AbortSignal): Promise<void>;
  /** The keys of all whose lines are shown. */
  abstract get keys(): readonly string[];
  /** The number that lines of this source have. */
  protected abstract sourceOf(key: string): number;

  protected gap(gap: Gap, source = 0): void {
    this.lines.add(Date.parse(gap.after), "gap", source, JSON.stringify(gap));
  }

  /** Tells why it cannot be read for now; null where the connection is lost. */
  protected waits(problem: Problem | null): void {
    this.state.value = "waiting";
    this.#isRefused = problem !== null;
    // Another try for the same reason tells nothing new, but its request.
    if (problem === null || problem.title !== this.problem.peek()?.title) this.problem.value = problem;
  }

  /** Tells that it is read, by what came. */
  protected heard(): void {
    if (this.#isRefused) this.problem.value = null;
    this.#isRefused = false;
    this.state.value = "following";
  }

  /** Tells that it is read: at once, or after a refusal when no other one comes for a while. */
  protected asks(): { readonly end: () => void } {
    if (!this.#isRefused) this.heard();
    const calm = setTimeout(() => this.heard(), CALM_MS);
    return { end: () => clearTimeout(calm) };
  }

  /** Reading a source began with the line of this cursor. */
  protected begins(key: string, cursor: string): void {
    if (!this.#firsts.has(key)) this.#firsts.set(key, cursor);
  }

  /** Reads lines before those that are held; null where there are none, or no room. */
  async readEarlier(signal: AbortSignal): Promise<Moved | null> {
    if (this.earlier.value === "reading" || this.earlier.value === "none") return null;
    if (this.keys.length > MOST_BACKWARDS) {
      this.earlier.value = "many";
      return null;
    }
    this.earlier.value = "reading";
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        const { items, next } = await this.#ask(signal);
        if (signal.aborted) break;
        const moved = items.length === 0
          ? null
          : this.lines.addBefore(items.map((item) => this.#lineOf(item)));
        if (items.length > 0 && moved === null) {
          this.earlier.value = "full";
          return null;
        }
        this.#until = next?.until ?? null;
        for (const place of next?.before ?? []) {
          const blank = place.indexOf(" ");
          this.#firsts.set(place.slice(0, blank), place.slice(blank + 1));
        }
        this.earlier.value = next === null ? "none" : "reading";
        if (moved !== null || next === null) {
          if (next !== null) this.earlier.value = "maybe";
          return moved;
        }
      }
      this.earlier.value = "maybe";
    } catch (error) {
      if (!signal.aborted) this.problem.value = problemOf(error);
      this.earlier.value = "maybe";
    }
    return null;
  }

  async #ask(signal: AbortSignal) {
    const container = this.keys;
    const before = container.flatMap((key) => {
      const first = this.#firsts.get(key);
      return first === undefined ? [] : [`${key} ${first}`];
    });
    // A source without a line since the first one that is shown has earlier lines only.
    const first = this.lines.at(this.lines.first);
    const until = this.#until ?? (first === null ? null : isoOf(first.time));
    const query = {
      container,
      limit: EARLIER,
      ...(before.length > 0 && { before }),
      ...(until !== null && before.length < container.length && { until }),
    };
    return (await client.get(LOGS, { query, signal })).json();
  }

  #lineOf({ source, time, stream, line }: EarlierLine) {
    return { time: Date.parse(time), kind: stream, source: this.sourceOf(source), text: line };
  }

  /** From where the log has to be read so that the line is in it. */
  protected async fromOf({ source, cursor }: LinePlace, signal: AbortSignal): Promise<From> {
    const query = { container: [source], before: [`${source} ${cursor}`], limit: 1 };
    const [after = null] = (await client.get(LOGS, { query, signal })).json().items;
    this.#target = { source, after };
    return { since: after?.time ?? THE_BEGINNING };
  }

  /** The number of the line that was asked for, once it is there: it is told once. */
  takeTarget(): number | null {
    if (this.#target === null || this.lines.length === 0) return null;
    const { source, after } = this.#target;
    const own = this.sourceOf(source);
    let isBehind = after === null;
    for (let number = this.lines.first; number < this.lines.end; number++) {
      const line = this.lines.at(number)!; // it is held
      if (line.source !== own || line.kind === "gap") continue;
      if (isBehind) {
        this.#target = null;
        return number;
      }
      isBehind = isSame(line, after!);
    }
    return null;
  }

  /** The place of a line, for a link to it; null where it is no longer in its log. */
  async placeOf({ number, time, kind, source, text }: Line, signal: AbortSignal): Promise<LinePlace | null> {
    const key = this.sources[source]?.key ?? this.keys[0];
    if (key === undefined || Number.isNaN(time)) return null;
    const query = { container: [key], since: isoOf(time), until: isoOf(time + 1), limit: 1_000 };
    const same: EarlierLine[] = [];
    let next: EarlierLines["next"] | null = null;
    do { // an answer may be a part: only all of them tell that it is gone
      const answer = (await client.get(LOGS, { query: { ...query, ...next }, signal }))
        .json() as EarlierLines;
      same.unshift(...answer.items.filter((item) => item.stream === kind && isSame({ time, text }, item)));
      next = answer.next;
    } while (next !== null);
    // Of equal lines at one time, the one that has as many before it.
    let before = 0;
    for (let other = number - 1; other >= this.lines.first; other--) {
      const line = this.lines.at(other)!; // it is held
      if (line.time < time) break;
      if (line.source === source && line.kind === kind && line.time === time && line.text === text) before++;
    }
    const found = same[before];
    return found === undefined ? null : { source: found.source, cursor: found.cursor };
  }

  #tell(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    requestAnimationFrame(() => {
      this.#isTold = false;
      this.version.value++;
    });
  }
}

function isSame(line: Pick<Line, "time" | "text">, item: Pick<EarlierLine, "time" | "line">): boolean {
  return line.time === Date.parse(item.time) && line.text === item.line.replaceAll("\n", "\u240a");
}

export function isoOf(time: number): string {
  return Number.isNaN(time) ? "" : new Date(time).toISOString();
}
