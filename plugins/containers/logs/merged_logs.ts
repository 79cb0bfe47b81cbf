/** Merges the logs of several containers in the order of their times. */
import type { ServiceError } from "../../../core/error.ts";
import { asServiceError } from "../../../http/declare/problem.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { EngineEvent } from "../../../engines/mirror/event_feed.ts";
import { pause } from "../../../core/pause.ts";
import type { Awaken } from "./awaken.ts";
import { DroppedLines } from "./dropped_lines.ts";
import type { GatheredLines, SourceLines } from "./gathered_lines.ts";
import type { Line } from "./lines.ts";
import { LogPosition } from "./log_position.ts";
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
/** With more collected than this, reading waits, and lines that a manager tells are left out. */
const MOST_PENDING = 512 * 1024;
/** With more collected than this of logs that managers tell, it is told at once: their reading does not wait. */
const TOLD_PENDING = MOST_PENDING / 2;

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
export interface LogStart {
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
  /** It could not be read before: `resumes` tells when it is. */
  readonly isAgain?: boolean;
}

/** The reading of one source. */
interface Reader {
  readonly source: string;
  readonly position: LogPosition;
  readonly signal: AbortSignal;
  readonly lines: SourceLines;
  readonly isAgain: boolean;
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
  readonly #holding = new Set<string>();
  #flushing: Promise<void> = Promise.resolve();
  /** The flush that has not begun yet. */
  #nextFlush: Promise<void> | null = null;
  #isTelling = false;
  #isTellingPlaces = false;
  /** Of the logs that managers tell and that are read. */
  readonly #dropped = new Set<DroppedLines>();

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

  /** Returns true while the past of a source is read. */
  readsPast(source: string): boolean {
    return this.#holding.has(source);
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
        this.#lines.forget?.(source);
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

  /** Tells how far sources were read, behind what is being sent: a reader may have been told no line of them. */
  tellPlaces(): void {
    if (this.#isTellingPlaces) return;
    this.#isTellingPlaces = true;
    this.#flushing = this.#flushing.then(async () => {
      this.#isTellingPlaces = false;
      // A reader that is cut off while the past is read is told all of it again
      await this.#lines.tellPlaces?.([...this.#members.keys()].filter((source) => !this.readsPast(source)));
    });
  }

  /** Stops reading a source. */
  remove(source: string): void {
    this.#members.get(source)?.ending.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    for (const { ending } of this.#members.values()) ending.abort();
    await Promise.all([...this.#members.values()].map(({ reading }) => reading));
    clearTimeout(this.#timer);
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
    this.#holding.add(source);
    let target: LiveContainer;
    let reader: Reader;
    try {
      target = await find();
      reader = {
        source,
        position,
        signal,
        lines: this.#lines.of(source, target, position, cursor !== undefined),
        isAgain: start.isAgain ?? false,
      };
      this.#viewer.joined?.(source, target);
      if (tail !== 0 || cursor !== undefined) {
        await this.#follow(target, reader, { ...wanted, tail, follow: false });
      }
    } finally {
      this.#release(source);
    }
    if (start.follow === false) return;
    await this.#follow(target, reader, { ...wanted, tail: tail === 0 ? 0 : null, follow: true });
  }

  async #follow(
    target: LiveContainer,
    { source, position, signal, lines, isAgain }: Reader,
    wanted: LogRequest,
  ): Promise<void> {
    const sought = this.#search === undefined ? lines : searching(this.#search, lines);
    const member = this.#members.get(source);
    // A manager keeps what is not read in its memory: its log is read on, or it is closed
    const dropped = target.managed === undefined ? null : new DroppedLines(lines);
    if (dropped !== null) this.#dropped.add(dropped);
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
          if (dropped !== null) {
            const time = position.timeOf(line.stream);
            if (this.#lines.size > MOST_PENDING) return dropped.drop(time);
            dropped.resume(time);
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
      isWaiting: isAgain,
    });
    if (member !== undefined) {
      member.log = log;
      if (member.isOver) log.readToEnd();
    }
    try {
      while (await log.read()) {
        if (dropped !== null) {
          await this.#readOn(log, dropped, wanted.follow);
          continue;
        }
        if (this.#lines.size > MOST_PENDING) await this.#flush();
        await this.#viewer.ready();
      }
    } finally {
      dropped?.end();
      if (dropped !== null) this.#dropped.delete(dropped);
      log.close();
    }
  }

  /** Waits for a moment in which the reader may take what was collected, and for its room alone where it stalls. */
  async #readOn(log: LogSource, dropped: DroppedLines, isFollowed: boolean): Promise<void> {
    if (isFollowed && dropped.ms > STALLED_MS && this.#lines.size > MOST_PENDING) {
      log.leaveOut();
      await this.#flush();
      await this.#viewer.ready();
    } else if (this.#isTelling && !dropped.isPending && this.#lines.size > TOLD_PENDING) await pause(0);
  }

  #schedule(): void {
    const { size } = this.#lines;
    if (size > TOLD_PENDING && this.#dropped.size > 0 && !this.#isTelling) return void this.#flush();
    if (this.#timer !== undefined || size === 0 && !this.#hasDropped) return;
    const isFull = size > MOST_PENDING;
    this.#timer = setTimeout(
      () => this.#flush(),
      this.#holding.size > 0 && !isFull ? HOLD_MS : this.#orderMs,
    );
  }

  get #hasDropped(): boolean {
    return this.#dropped.values().some(({ isPending }) => isPending);
  }

  /** The past of one container was read. */
  #release(source: string): void {
    this.#holding.delete(source);
    if (this.#holding.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule();
  }

  /** Sends what is collected by then, behind what is being sent. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#nextFlush ??= this.#flushing = this.#flushing.then(() => this.#tell());
  }

  async #tell(): Promise<void> {
    this.#nextFlush = null;
    this.#isTelling = true;
    for (const one of this.#dropped) one.sending();
    try {
      await this.#lines.tell();
    } finally {
      this.#isTelling = false;
    }
    this.#schedule();
  }
}

/** Returns true if a container may begin to log after this event. */
export function begins({ type, action }: EngineEvent): boolean {
  return type === "container" && (action === "start" || action === "create" || action === "restart");
}
