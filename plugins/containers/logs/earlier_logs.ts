/** The last lines of a log before a place in it, found from the end backwards although engines read forwards only. */
import type { LiveContainer } from "../backends/live_container.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { LogHorizon } from "./log_horizon.ts";
import type { Line } from "./lines.ts";
import { LogPosition } from "./log_position.ts";
import { searching } from "./log_search.ts";
import { LogSource } from "./log_source.ts";
import { compareLogTimes, type LogTime, ofMs, readLogTime } from "./log_time.ts";

/** Each stretch of time that is read is so many times as long as the one after it. */
const LONGER = 16;
/** Streams overtake each other by less. */
const SHORTEST_MS = 3_000;
/** The number of last lines that are read at once. */
const LAST_LINES = 1_000;
/** Podman reads a long log from its beginning to find its last lines: then the stretches before its end are read instead. */
const LAST_LINES_MS = 3_000;
/** The bytes of a first read that cost nothing of the budget, so that each answer goes on whatever else was read. */
const FREE_BYTES = 64 * 1024 * 1024;
/** Engines disagree about the ends of a stretch, and Podman's times are whole seconds: more is asked for, and left out. */
const BESIDE_S = 1;
const A_DAY_S = 86_400;

/** A line that was found. */
export interface EarlierLine {
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  readonly line: string;
  readonly cut: boolean;
  readonly cursor: string;
  /** Its time, or that of a later line before it: where it stands among lines of other logs. */
  readonly at: LogTime;
}

/** The budget of a search in a log. */
export class SearchBudget {
  #bytes: number;
  readonly #until: number;

  constructor(bytes: number, ms: number) {
    this.#bytes = bytes;
    this.#until = performance.now() + ms;
  }

  get isSpent(): boolean {
    return this.#bytes <= 0 || this.leftMs <= 0;
  }

  get leftMs(): number {
    return this.#until - performance.now();
  }

  spend(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** The budget of a first look, which has the time of this one at most, and bytes of its own. */
  first(mostMs = Infinity): SearchBudget {
    return new SearchBudget(FREE_BYTES, Math.min(this.leftMs, mostMs));
  }
}

interface EarlierWish {
  /** Only lines before this cursor's, or up to this time. */
  readonly before: string | null;
  readonly until: LogTime | null;
  readonly since: LogTime | null;
  readonly search: string | undefined;
  readonly most: number;
  readonly budget: SearchBudget;
  readonly signal: AbortSignal;
}

export interface Earlier {
  /** In the order of the log. */
  readonly lines: readonly EarlierLine[];
  /** Everything from then on was looked at; null for all of the log, or all since `since`. */
  readonly lookedFrom: LogTime | null;
}

/** Throws `engine_timeout` where not even the last stretch can be read. */
export async function earlierLines(target: LiveContainer, wish: EarlierWish): Promise<Earlier> {
  const { since, most, budget } = wish;
  const end = wish.before === null ? wish.until : new LogHorizon(wish.before).latest;
  // Clocks of engines may be ahead.
  const latest = end ?? { seconds: Math.floor(Date.now() / 1000) + A_DAY_S, nanos: 0 };
  // Engines find the last lines of all fast, and those say how many there are in a stretch of time.
  const asked = Math.max(LAST_LINES, 2 * most);
  const whole = { from: since, to: latest, isFirst: true, tail: asked };
  const last = await readStretch(
    target,
    wish,
    whole,
    most,
    budget.first(Math.min(LAST_LINES_MS, budget.leftMs / 2)),
  );
  const isWhole = last !== null && last.seen < asked;
  if (last !== null && (isWhole || last.lines.length >= most && !last.isCut)) {
    const [first] = last.lines;
    return { lines: last.lines, lookedFrom: isWhole || first === undefined ? null : first.at };
  }
  const isSure = last !== null && !last.isCut;
  /** Returns what was found, or what the last lines alone say, whichever looked further back. */
  const furthest = (lines: readonly EarlierLine[], lookedFrom: LogTime): Earlier =>
    isSure && last.first !== null && compareLogTimes(last.first, lookedFrom) < 0
      ? { lines: last.lines, lookedFrom: last.first }
      : { lines, lookedFrom };
  let at = end ?? ofMs(Date.now());
  let to = latest;
  let isFirst = true;
  let found: EarlierLine[] = [];
  let ms = last === null ? SHORTEST_MS : Math.max(SHORTEST_MS, last.spanMs / asked * 2 * most);
  for (;; ms *= LONGER) {
    const from = backBy(at, ms);
    const isLast = from.seconds <= 0 || since !== null && compareLogTimes(from, since) <= 0;
    const stretch = { from: isLast ? since : from, to, isFirst, tail: null };
    const read = await readStretch(
      target,
      wish,
      stretch,
      most - found.length,
      isFirst ? budget.first() : budget,
    );
    if (read === null) {
      const answer = furthest(found, to);
      if (answer.lookedFrom !== latest) return answer;
      throw engineError(
        "engine_timeout",
        `Cannot read the earlier logs of container "${target.name}": its last lines could not be read in time`,
      );
    }
    found = [...read.lines, ...found];
    if (isLast) return { lines: found, lookedFrom: null };
    if (found.length >= most) return { lines: found, lookedFrom: from };
    if (budget.isSpent) return furthest(found, from);
    at = to = from;
    isFirst = false;
  }
}

interface Stretch {
  readonly from: LogTime | null;
  /** Not in it, but for the first one. */
  readonly to: LogTime;
  readonly isFirst: boolean;
  /** Of so many last lines of the log; null for all. */
  readonly tail: number | null;
}

interface ReadStretch {
  /** The last ones that are wanted. */
  readonly lines: EarlierLine[];
  /** The number of lines that were read, and the time in which they were written. */
  readonly seen: number;
  readonly first: LogTime | null;
  readonly spanMs: number;
  /** The place of the cursor is not sure: of lines with one time only some were read. */
  readonly isCut: boolean;
}

/** Null where it could not be read to its end with this budget. */
async function readStretch(
  target: LiveContainer,
  { before, search, signal }: EarlierWish,
  { from, to, isFirst, tail }: Stretch,
  most: number,
  budget: SearchBudget,
): Promise<ReadStretch | null> {
  const position = new LogPosition({ bounded: from !== null || tail !== null });
  const horizon = isFirst && before !== null ? new LogHorizon(before) : null;
  const kept: EarlierLine[] = [];
  const ending = new AbortController();
  const keep = {
    line: ({ stream, bytes, from, to: end, cut }: Line) => {
      kept.push({
        time: position.timeOf(stream),
        stream: stream === 2 ? "stderr" : "stdout",
        line: decoder.decode(bytes.subarray(from, end > from && bytes[end - 1] === CR ? end - 1 : end)),
        cut,
        cursor: position.toString(),
        at,
      });
      if (kept.length > most * 2 + SLACK) kept.splice(0, kept.length - most - 1);
    },
  };
  let at: LogTime = { seconds: 0, nanos: 0 };
  const sought = search === undefined ? keep : searching(search, keep);
  let seen = 0;
  let first: LogTime | null = null;
  let last: LogTime | null = null;
  const source = new LogSource({
    target,
    query: {
      follow: false,
      tail,
      since: from === null ? null : { ...from, seconds: Math.max(0, from.seconds - BESIDE_S) },
      until: tail === null ? { ...to, seconds: to.seconds + BESIDE_S } : null,
      stdout: true,
      stderr: true,
    },
    position,
    listener: {
      line: (line) => {
        budget.spend(line.to - line.from);
        seen++;
        const time = readLogTime(position.timeOf(line.stream));
        first ??= time;
        last = time;
        if (time !== null && compareLogTimes(time, at) > 0) at = time;
        if (time === null || from !== null && compareLogTimes(time, from) < 0) return;
        const order = compareLogTimes(time, to);
        if (horizon !== null ? !horizon.isBefore(line) : isFirst ? order > 0 : order >= 0) return;
        sought.line(line);
      },
      gap: () => {},
      taken: () => {
        if (budget.isSpent) ending.abort();
      },
    },
    signal: AbortSignal.any([signal, ending.signal]),
  });
  const late = setTimeout(() => ending.abort(), Math.max(0, budget.leftMs)); // also where nothing comes
  try {
    while (await source.read()); // the listener takes the lines
  } catch (error) {
    if (ending.signal.aborted && !signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(late);
    source.close();
  }
  if (ending.signal.aborted) return null; // the end may be that of its connection
  return {
    lines: kept.slice(-most),
    seen,
    first,
    spanMs: Math.max(1, msOf(last) - msOf(first)),
    isCut: horizon?.isCut ?? false,
  };
}

function msOf(time: LogTime | null): number {
  return time === null ? 0 : time.seconds * 1000 + time.nanos / 1e6;
}

const decoder = new TextDecoder();
const CR = 13;
/** Kept lines are cut back to what is wanted only now and then. */
const SLACK = 64;

function backBy({ seconds, nanos }: LogTime, ms: number): LogTime {
  return { seconds: Math.floor(seconds - ms / 1000), nanos };
}
