/** Merges the logs of several containers in the order of their times. */
import type { EngineEvent } from "../mirror/event_feed.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { Stream } from "../frames/frames.ts";
import { LogPosition } from "./log_position.ts";
import type { Awaken } from "./awaken.ts";
import { type LogRequest, LogSource } from "./log_source.ts";

/** Lines that come within this time are sorted. */
const ORDER_MS = 30;
const MOST_CONTAINERS = 256;
/** How long new lines wait for the past lines of another container, to be sorted with them. */
const HOLD_MS = 1_000;
/** The longest frame, far below the limit of a socket's queue. */
const FRAME_CHARACTERS = 64 * 1024;
/** With more lines than this collected, reading waits. */
const PENDING_CHARACTERS = 512 * 1024;

export interface LogViewer {
  frame(messages: readonly string[]): void;
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
}

interface Collected {
  readonly time: string;
  readonly text: string;
}

const decoder = new TextDecoder();
const CR = 13;

export class MergedLogs implements AsyncDisposable {
  readonly #viewer: LogViewer;
  readonly #tail: number;
  readonly #awaken: Awaken;
  readonly #signal: AbortSignal;
  readonly #members = new Map<string, Promise<void>>();
  #pending: Collected[] = [];
  #pendingCharacters = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Containers whose past is still being read. */
  #holding = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly viewer: LogViewer;
    readonly tail: number;
    readonly awaken: Awaken;
    /** Ends all reading. */
    readonly signal: AbortSignal;
  }) {
    this.#viewer = options.viewer;
    this.#tail = options.tail;
    this.#awaken = options.awaken;
    this.#signal = options.signal;
  }

  has(id: string): boolean {
    return this.#members.has(id);
  }

  /** Adds a container, unless it is there already. `find` may fail: the container may be gone by then. */
  add(id: string, find: () => Promise<LiveContainer>, tail: number | null = this.#tail): void {
    if (this.#members.has(id) || this.#members.size >= MOST_CONTAINERS) return;
    const reading = this.#read(find, tail)
      .catch(() => {}) // it or its engine is gone, which has its own event
      .finally(() => this.#members.delete(id));
    this.#members.set(id, reading);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.all(this.#members.values());
  }

  async #read(find: () => Promise<LiveContainer>, tail: number | null): Promise<void> {
    const position = new LogPosition({ bounded: tail !== null });
    this.#holding++;
    let target: LiveContainer;
    try {
      target = await find();
      if (tail !== 0) await this.#follow(target, position, { tail, follow: false });
    } finally {
      this.#release();
    }
    await this.#follow(target, position, { tail: tail === 0 ? 0 : null, follow: true });
  }

  async #follow(
    target: LiveContainer,
    position: LogPosition,
    wanted: Pick<LogRequest, "tail" | "follow">,
  ): Promise<void> {
    const container = { id: target.id, name: target.name };
    const label = JSON.stringify(container);
    const backend = JSON.stringify(target.engine.name);
    const source = new LogSource({
      target,
      query: { ...wanted, since: null, until: null, stdout: true, stderr: true },
      position,
      listener: {
        line: ({ stream, bytes, from, to: end }) => {
          const to = bytes[end - 1] === CR ? end - 1 : end; // a terminal ends its lines with both
          this.#collect(
            position.timeOf(stream),
            lineText(
              stream,
              position.timeOf(stream),
              label,
              backend,
              decoder.decode(bytes.subarray(from, Math.max(from, to))),
            ),
          );
        },
        gap: (gap) => this.#collect(gap.after, JSON.stringify({ type: "gap", missed: null, container, gap })),
      },
      signal: this.#signal,
      awaken: this.#awaken,
    });
    try {
      while (await source.read()) {
        if (this.#pendingCharacters > PENDING_CHARACTERS) await this.#flush();
        await this.#viewer.ready();
      }
    } finally {
      source.close();
    }
  }

  #collect(time: string, text: string): void {
    this.#pending.push({ time, text });
    this.#pendingCharacters += text.length;
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
    let frame: string[] = [];
    let characters = 0;
    for (const { text } of lines) {
      if (frame.length > 0 && characters + text.length > FRAME_CHARACTERS) {
        this.#viewer.frame(frame);
        frame = [];
        characters = 0;
        await this.#viewer.ready();
      }
      frame.push(text);
      characters += text.length;
    }
    if (frame.length > 0) this.#viewer.frame(frame);
  }
}

function lineText(stream: Stream, time: string, container: string, backend: string, line: string): string {
  return `{"type":"log","time":"${time}","stream":"${
    stream === 2 ? "stderr" : "stdout"
  }","container":${container},` +
    `"backend":${backend},"line":${JSON.stringify(line)}}`;
}

/** Whether a container may begin to log after this event. */
export function begins({ type, action }: EngineEvent): boolean {
  return type === "container" && (action === "start" || action === "create" || action === "restart");
}
