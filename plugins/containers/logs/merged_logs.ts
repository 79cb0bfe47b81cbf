/** Merges the logs of several containers in the order of their times. */
import type { ServiceError } from "../../../core/error.ts";
import { asServiceError } from "../../../http/declare/problem.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { EngineEvent } from "../../../engines/mirror/event_feed.ts";
import type { Awaken } from "./awaken.ts";
import type { LineSink } from "./lines.ts";
import { type Gap, LogPosition } from "./log_position.ts";
import { searching } from "./log_search.ts";
import { type LogRequest, LogSource } from "./log_source.ts";
import type { LogTime } from "./log_time.ts";
import type { JsonText } from "../../../core/json_text.ts";

/** Lines that come within this time are sorted. */
const ORDER_MS = 30;
const MOST_CONTAINERS = 256;
/** The milliseconds that new lines wait for the past lines of another container, to be sorted with them. */
const HOLD_MS = 1_000;
/** The longest frame, far below the limit of a socket's queue. */
const FRAME_CHARACTERS = 64 * 1024;
/** With more lines than this collected, reading waits. */
const PENDING_CHARACTERS = 512 * 1024;

/** A reader of merged logs. */
interface LogViewer {
  /**
   * Takes lines and gaps as `write` made them, how far each of their sources is with them, and the places of the lines
   * with which reading began.
   */
  frame(
    messages: readonly JsonText[],
    cursors: ReadonlyMap<string, string>,
    firsts: ReadonlyMap<string, string>,
  ): void;
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
  /** Returns the writer of a container's lines. */
  write(target: LiveContainer): LineWriter;
  /** A source is being read. */
  joined?(source: string, target: LiveContainer): void;
  /** A source cannot be read for now, and is tried again. */
  waits?(source: string, reason: ServiceError): void;
  /** A source is read again after `waits`. */
  resumes?(source: string): void;
  /** Nothing more comes of a source: it was removed, or the reason why it could not be read. */
  left?(source: string, reason: ServiceError | "removed"): void;
}

export interface LineWriter {
  line(
    line: {
      readonly time: string;
      readonly stream: "stdout" | "stderr";
      readonly text: string;
      readonly cut: boolean;
    },
  ): JsonText;
  gap(gap: Gap): JsonText;
}

/** The position from which a log is read. */
interface LogStart {
  /** The number of earlier lines that come first; null for all. */
  readonly tail: number | null;
  /** Of those only the ones from then on. */
  readonly since?: LogTime | null;
  /** Behind this line instead. */
  readonly cursor?: string | undefined;
}

interface Collected {
  readonly source: string;
  /** Of the line, or of a later one of its source before it: lines of one source stay in order. */
  readonly time: string;
  readonly text: JsonText;
  /** Null for what is no line. */
  readonly cursor: string | null;
  /** Reading its log began here. */
  readonly isFirst: boolean;
}

interface Member {
  readonly ending: AbortController;
  readonly reading: Promise<void>;
}

const decoder = new TextDecoder();
const CR = 13;

export class MergedLogs implements AsyncDisposable {
  readonly #viewer: LogViewer;
  readonly #awaken: Awaken;
  readonly #signal: AbortSignal;
  readonly #search: string | undefined;
  readonly #members = new Map<string, Member>();
  #pending: Collected[] = [];
  #pendingCharacters = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Containers whose past is still being read. */
  #holding = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly viewer: LogViewer;
    readonly awaken: Awaken;
    /** Only lines that hold this text, in any case. */
    readonly search?: string | undefined;
    /** Ends all reading. */
    readonly signal: AbortSignal;
  }) {
    this.#viewer = options.viewer;
    this.#awaken = options.awaken;
    this.#search = options.search;
    this.#signal = options.signal;
  }

  /** The sources that are read. */
  get sources(): Iterable<string> {
    return this.#members.keys();
  }

  has(source: string): boolean {
    return this.#members.has(source);
  }

  /** Adds a source, unless it is there already. `find` may fail: the container may be gone by then. */
  add(source: string, find: () => Promise<LiveContainer>, start: LogStart): void {
    if (this.#members.has(source) || this.#members.size >= MOST_CONTAINERS) return;
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
    this.#members.set(source, { ending, reading });
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
    { tail, since = null, cursor }: LogStart,
    signal: AbortSignal,
  ): Promise<void> {
    const position = cursor === undefined
      ? new LogPosition({ bounded: tail !== null || since !== null })
      : LogPosition.parse(cursor);
    const reader = { source, position, signal, begun: cursor !== undefined };
    this.#holding++;
    let target: LiveContainer;
    try {
      target = await find();
      this.#viewer.joined?.(source, target);
      if (tail !== 0 || cursor !== undefined) {
        await this.#follow(target, reader, { tail, since, follow: false });
      }
    } finally {
      this.#release();
    }
    await this.#follow(target, reader, { tail: tail === 0 ? 0 : null, since, follow: true });
  }

  async #follow(
    target: LiveContainer,
    reader: {
      readonly source: string;
      readonly position: LogPosition;
      readonly signal: AbortSignal;
      /** A line of it was read already. */
      begun: boolean;
    },
    wanted: Pick<LogRequest, "tail" | "since" | "follow">,
  ): Promise<void> {
    const { source, position, signal } = reader;
    const writer = this.#viewer.write(target);
    let latest = "";
    const collect = (time: string, text: JsonText, cursor: string | null) => {
      if (time > latest) latest = time;
      this.#collect({ source, time: latest, text, cursor, isFirst: cursor !== null && !reader.begun });
      reader.begun ||= cursor !== null;
    };
    const lines: LineSink = {
      line: ({ stream, bytes, from, to: end, cut }) => {
        const to = bytes[end - 1] === CR ? end - 1 : end; // a terminal ends its lines with both
        const time = position.timeOf(stream);
        const text = decoder.decode(bytes.subarray(from, Math.max(from, to)));
        const name = stream === 2 ? "stderr" : "stdout";
        collect(time, writer.line({ time, stream: name, text, cut }), position.toString());
      },
    };
    const sought = this.#search === undefined ? lines : searching(this.#search, lines);
    const log = new LogSource({
      target,
      query: { ...wanted, until: null, stdout: true, stderr: true },
      position,
      listener: {
        line: sought.line.bind(sought),
        gap: (gap) => collect(gap.after, writer.gap(gap), null),
        waits: (reason) => this.#viewer.waits?.(source, reason),
        resumes: () => this.#viewer.resumes?.(source),
      },
      signal,
      awaken: this.#awaken,
    });
    try {
      while (await log.read()) {
        if (this.#pendingCharacters > PENDING_CHARACTERS) await this.#flush();
        await this.#viewer.ready();
      }
    } finally {
      log.close();
    }
  }

  #collect(one: Collected): void {
    this.#pending.push(one);
    this.#pendingCharacters += one.text.length;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#pending.length === 0) return;
    const isFull = this.#pendingCharacters > PENDING_CHARACTERS;
    this.#timer ??= setTimeout(() => this.#flush(), this.#holding > 0 && !isFull ? HOLD_MS : ORDER_MS);
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
    return this.#flushing = this.#flushing.then(() => this.#tell());
  }

  async #tell(): Promise<void> {
    const lines = this.#pending;
    this.#pending = [];
    this.#pendingCharacters = 0;
    // A stable sort, so that lines of one time keep their order
    lines.sort((a, b) => a.time < b.time ? -1 : a.time > b.time ? 1 : 0);
    let frame: JsonText[] = [];
    let cursors = new Map<string, string>();
    let firsts = new Map<string, string>();
    let characters = 0;
    for (const { text, source, cursor, isFirst } of lines) {
      if (frame.length > 0 && characters + text.length > FRAME_CHARACTERS) {
        this.#viewer.frame(frame, cursors, firsts);
        frame = [];
        cursors = new Map();
        firsts = new Map();
        characters = 0;
        await this.#viewer.ready();
      }
      frame.push(text);
      if (cursor !== null) cursors.set(source, cursor);
      if (cursor !== null && isFirst) firsts.set(source, cursor);
      characters += text.length;
    }
    if (frame.length > 0) this.#viewer.frame(frame, cursors, firsts);
  }
}

/** Returns true if a container may begin to log after this event. */
export function begins({ type, action }: EngineEvent): boolean {
  return type === "container" && (action === "start" || action === "create" || action === "restart");
}
