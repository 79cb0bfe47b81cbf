/** Merges the logs of several containers in the order of their times. */
import type { ServiceError } from "../../../core/error.ts";
import { asServiceError } from "../../../http/declare/problem.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { EngineEvent } from "../../../engines/mirror/event_feed.ts";
import type { Awaken } from "./awaken.ts";
import type { GatheredLines, SourceLines } from "./gathered_lines.ts";
import type { Line } from "./lines.ts";
import { type Gap, LogPosition } from "./log_position.ts";
import { searching } from "./log_search.ts";
import type { LogRequest } from "./log_request.ts";
import { LogSource } from "./log_source.ts";
import { compareLogTimes, type LogTime, readLogTime } from "./log_time.ts";

/** Lines that come within this time are sorted. */
const ORDER_MS = 30;
const MOST_CONTAINERS = 256;
/** The milliseconds that new lines wait for the past lines of another container, to be sorted with them. */
const HOLD_MS = 1_000;
/** A manager's log that is followed is closed when its reader has taken nothing for so long. */
const STALLED_MS = 2_000;
/** With more lines than this collected, reading waits. */
const MOST_PENDING = 512 * 1024;

/** A reader of merged logs. */
interface LogViewer {
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
  /** A source is being read. */
  joined?(source: string, target: LiveContainer): void;
  /** A source cannot be read for now, and is tried again. */
  waits?(source: string, reason: ServiceError): void;
  /** A source is read again after `waits`. */
  resumes?(source: string): void;
  /** Nothing more comes of a source: it was removed, or the reason why it could not be read. */
  left?(source: string, reason: ServiceError | "removed"): void;
}

/** The position from which a log is read. */
interface LogStart {
  /** The number of earlier lines that come first; null for all. */
  readonly tail: number | null;
  /** Of those only the ones from then on. */
  readonly since?: LogTime | null;
  /** Behind this line instead. */
  readonly cursor?: string | undefined;
  /** False for what is there now. */
  readonly follow?: boolean;
  /** Only lines up to then. */
  readonly until?: LogTime | null;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
}

/** The reading of one source. */
interface Reader {
  readonly source: string;
  readonly position: LogPosition;
  readonly signal: AbortSignal;
  readonly lines: SourceLines;
}

interface Member {
  readonly ending: AbortController;
  readonly reading: Promise<void>;
  /** The log that is read; null before it was found. */
  log: LogSource | null;
  /** Nothing more is written to it. */
  isOver: boolean;
}

export class MergedLogs implements AsyncDisposable {
  readonly #viewer: LogViewer;
  readonly #lines: GatheredLines;
  readonly #awaken: Awaken;
  readonly #signal: AbortSignal;
  readonly #search: string | undefined;
  readonly #orderMs: number;
  readonly #members = new Map<string, Member>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Containers whose past is still being read. */
  #holding = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly viewer: LogViewer;
    readonly lines: GatheredLines;
    readonly awaken: Awaken;
    /** Only lines that hold this text, in any case. */
    readonly search?: string | undefined;
    /** Ends all reading. */
    readonly signal: AbortSignal;
    /** Lines that come within this time are sorted. */
    readonly orderMs?: number;
  }) {
    this.#viewer = options.viewer;
    this.#lines = options.lines;
    this.#awaken = options.awaken;
    this.#search = options.search;
    this.#signal = options.signal;
    this.#orderMs = options.orderMs ?? ORDER_MS;
  }

  /** The sources that are read. */
  get sources(): Iterable<string> {
    return this.#members.keys();
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  has(source: string): boolean {
    return this.#members.has(source);
  }

  /**
   * Adds a source, unless it is there already; returns false where there is no room for one more. `find` may fail: the
   * container may be gone by then.
   */
  add(source: string, find: () => Promise<LiveContainer>, start: LogStart): boolean {
    if (this.#members.has(source)) return true;
    if (this.#members.size >= MOST_CONTAINERS) return false;
    const ending = new AbortController();
    const leave = () => ending.abort();
    this.#signal.addEventListener("abort", leave);
    const reading = this.#read(source, find, start, ending.signal)
      .then(() => "removed" as const, asServiceError) // it or its engine is gone, which has its own event
      .then(async (reason) => {
        await this.#flush(); // its last lines come before its end
        this.#signal.removeEventListener("abort", leave);
        this.#members.delete(source);
        if (!ending.signal.aborted) this.#viewer.left?.(source, reason);
      });
    this.#members.set(source, { ending, reading, log: null, isOver: false });
    return true;
  }

  /** Nothing more is written to a source: it ends with what is there. */
  end(source: string): void {
    const member = this.#members.get(source);
    if (member === undefined || member.isOver) return;
    member.isOver = true;
    member.log?.readToEnd();
  }

  /** Resolves when every source that is read now has ended, and its lines were told. */
  async ended(): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ reading }) => reading));
  }

  /** Stops reading a source. */
  remove(source: string): void {
    this.#members.get(source)?.ending.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    for (const { ending } of this.#members.values()) ending.abort();
    await Promise.all([...this.#members.values()].map(({ reading }) => reading));
  }

  async #read(
    source: string,
    find: () => Promise<LiveContainer>,
    start: LogStart,
    signal: AbortSignal,
  ): Promise<void> {
    const { tail, since = null, cursor, until = null, stdout = true, stderr = true } = start;
    const wanted = { since, until, stdout, stderr };
    const position = cursor === undefined
      ? new LogPosition({ bounded: tail !== null || since !== null })
      : LogPosition.parse(cursor);
    this.#holding++;
    let target: LiveContainer;
    let reader: Reader;
    try {
      target = await find();
      reader = {
        source,
        position,
        signal,
        lines: this.#lines.of(source, target, position, cursor !== undefined),
      };
      this.#viewer.joined?.(source, target);
      if (tail !== 0 || cursor !== undefined) {
        await this.#follow(target, reader, { ...wanted, tail, follow: false });
      }
    } finally {
      this.#release();
    }
    if (start.follow === false) return;
    await this.#follow(target, reader, { ...wanted, tail: tail === 0 ? 0 : null, follow: true });
  }

  async #follow(
    target: LiveContainer,
    { source, position, signal, lines }: Reader,
    wanted: LogRequest,
  ): Promise<void> {
    const sought = this.#search === undefined ? lines : searching(this.#search, lines);
    const member = this.#members.get(source);
    // A manager keeps what is not read in its memory: its log is read on, or it is closed
    const drops = target.managed === undefined ? null : new Dropped();
    const { until } = wanted;
    const isLater = (line: Line) =>
      until !== null && compareLogTimes(readLogTime(position.timeOf(line.stream)) ?? until, until) > 0;
    const log = new LogSource({
      target,
      query: wanted,
      position,
      listener: {
        line: (line) => {
          if (isLater(line)) return;
          if (drops !== null) {
            const time = position.timeOf(line.stream);
            if (this.#lines.size > MOST_PENDING) return drops.drop(time);
            const gap = drops.resume(time);
            if (gap !== null) lines.gap(gap);
          }
          sought.line(line);
          this.#schedule();
        },
        gap: (gap) => {
          lines.gap(gap);
          this.#schedule();
        },
        waits: (reason) => this.#viewer.waits?.(source, reason),
        resumes: () => this.#viewer.resumes?.(source),
      },
      signal,
      awaken: this.#awaken,
    });
    if (member !== undefined) {
      member.log = log;
      if (member.isOver) log.readToEnd();
    }
    try {
      while (await log.read()) {
        if (drops !== null) {
          if (wanted.follow && drops.ms > STALLED_MS && this.#lines.size > MOST_PENDING) {
            log.leaveOut();
            await this.#flush();
            await this.#viewer.ready();
          }
          continue;
        }
        if (this.#lines.size > MOST_PENDING) await this.#flush();
        await this.#viewer.ready();
      }
      const gap = drops?.end() ?? null;
      if (gap !== null) lines.gap(gap);
    } finally {
      log.close();
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#lines.size === 0) return;
    const isFull = this.#lines.size > MOST_PENDING;
    this.#timer = setTimeout(() => this.#flush(), this.#holding > 0 && !isFull ? HOLD_MS : this.#orderMs);
  }

  /** The past of one container was read. */
  #release(): void {
    if (--this.#holding > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#flushing = this.#flushing.then(() => this.#lines.tell());
  }
}

/** Lines that were left out, because their reader was slow. */
class Dropped {
  #after: string | null = null;
  #latest = "";
  #since = 0;

  drop(time: string): void {
    if (this.#after === null) this.#since = performance.now();
    this.#after ??= this.#latest || time;
  }

  /** The milliseconds since lines are left out; 0 while they are not. */
  get ms(): number {
    return this.#after === null ? 0 : performance.now() - this.#since;
  }

  /** Returns the gap before a line that is told. */
  resume(time: string): Gap | null {
    const after = this.#after;
    this.#after = null;
    this.#latest = time;
    return after === null ? null : { after, before: time };
  }

  /** Returns the gap at the end. */
  end(): Gap | null {
    return this.#after === null ? null : { after: this.#after, before: null };
  }
}

/** Returns true if a container may begin to log after this event. */
export function begins({ type, action }: EngineEvent): boolean {
  return type === "container" && (action === "start" || action === "create" || action === "restart");
}
