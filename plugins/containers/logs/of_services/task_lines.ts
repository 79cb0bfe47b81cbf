/** Lines of a service's tasks as the bytes of an answer, until they are told in the order of their times. */
import type { LiveContainer } from "../../backends/live_container.ts";
import { putEscaped } from "../json_text.ts";
import type { Line } from "../lines.ts";
import { CUT_TAIL, HEAD, type LogFormat, TAIL } from "../log_formats.ts";
import { CURSOR_BYTES, type Gap, type LogPosition, put } from "../log_position.ts";
import { readLogTime } from "../log_time.ts";
import type { GatheredLines, SourceLines } from "../gathered_lines.ts";
import { TaskBatch, type TaskPosition } from "./task_batch.ts";
import type { TaskLog } from "./task_logs.ts";
import type { TaskWriter } from "./task_writer.ts";

/** The length of the time that Docker writes, and of its part before the fraction. */
const TIME_BYTES = 30;
const SECONDS_BYTES = 19;
const [LF, CR, SPACE, ZERO, Z] = [10, 13, 32, 48, 90];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Options {
  readonly format: LogFormat;
  /** Text lines begin with their time. */
  readonly timestamps: boolean;
  readonly writer: TaskWriter;
  send(bytes: Uint8Array<ArrayBuffer>): void;
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
  /** Takes the places of the tasks of which lines are told; returns the record that follows the lines. */
  told(places: ReadonlyMap<string, TaskPosition>): string;
}

/** One task's log. */
class Source implements SourceLines {
  /** The time of the latest line: lines of one source stay in order. */
  seconds = 0;
  nanos = 0;
  readonly #second = new Uint8Array(SECONDS_BYTES);
  #secondsOfIt = NaN;

  constructor(
    readonly task: string,
    readonly position: LogPosition,
    private readonly fixed: Uint8Array,
    private readonly lines: TaskLines,
    private readonly gapText: (gap: Gap) => string,
  ) {}

  line(line: Line): void {
    const { stream, bytes, from, to: end, cut } = line;
    const to = end > from && bytes[end - 1] === CR ? end - 1 : end; // a terminal ends its lines with both
    this.#setTime(line);
    this.lines.put(this, stream, bytes, from, to, cut);
  }

  gap(gap: Gap): void {
    this.lines.putText(this, this.gapText(gap));
  }

  get prefix(): Uint8Array {
    return this.fixed;
  }

  #setTime({ stream, bytes, timeFrom: from, timeTo: to }: Line): void {
    let seconds: number;
    let nanos = 0;
    if (to - from === TIME_BYTES && bytes[to - 1] === Z) {
      seconds = this.#secondsAt(bytes, from);
      for (let at = from + SECONDS_BYTES + 1; at < to - 1; at += 1) nanos = nanos * 10 + bytes[at]! - ZERO; // within
    } else {
      const time = readLogTime(this.position.timeOf(stream));
      seconds = time?.seconds ?? NaN;
      nanos = time?.nanos ?? 0;
    }
    // A text that cannot be read as a time leaves the source's latest time as it is
    if (seconds > this.seconds || seconds === this.seconds && nanos > this.nanos) {
      this.seconds = seconds;
      this.nanos = nanos;
    }
  }

  /** Returns the seconds of a line's time. Most lines have those of the line before. */
  #secondsAt(bytes: Uint8Array, from: number): number {
    const second = this.#second;
    let at = SECONDS_BYTES - 1;
    while (at >= 0 && bytes[from + at] === second[at]) at -= 1;
    if (at < 0) return this.#secondsOfIt;
    second.set(bytes.subarray(from, from + SECONDS_BYTES));
    return this.#secondsOfIt = Date.parse(`${decoder.decode(second)}Z`) / 1_000;
  }
}

export class TaskLines implements GatheredLines {
  readonly #options: Options;
  #batch = new TaskBatch(null);
  /** The last batch, for its room. */
  #earlier: TaskBatch | null = null;
  /** The batch whose pieces are told. */
  #telling: TaskBatch | null = null;
  /** The times of the last lines that were told, by their tasks. */
  readonly #latest = new Map<string, string>();
  readonly #isEvents: boolean;
  readonly #isText: boolean;

  constructor(options: Options) {
    this.#options = options;
    this.#isText = options.format === "text";
    this.#isEvents = options.format === "sse";
  }

  get size(): number {
    return this.#batch.length;
  }

  of(task: string, target: LiveContainer, position: LogPosition): Source {
    const { writer } = this.#options;
    const place = target as TaskLog; // every source is one that `logOf` returned
    const fixed = encoder.encode(writer.fixed(place));
    return new Source(task, position, fixed, this, (gap) => writer.gap(place, gap));
  }

  /** The tasks of which lines are collected that are not told yet. */
  get untold(): ReadonlySet<string> {
    return new Set([...this.#telling?.untold() ?? [], ...this.#batch.untold()]);
  }

  /** The time of the last line that was told of a task; null before one was. */
  latest(task: string): string | null {
    return this.#latest.get(task) ?? null;
  }

  /** Nothing more is told of the task. */
  forget(task: string): void {
    this.#latest.delete(task);
  }

  put(
    source: Source,
    stream: Line["stream"],
    bytes: Uint8Array<ArrayBuffer>,
    from: number,
    to: number,
    cut: boolean,
  ): void {
    const batch = this.#batch;
    const { prefix, position } = source;
    batch.reserve(prefix.byteLength + CURSOR_BYTES + (to - from) * (this.#isText ? 1 : 6));
    const target = batch.bytes;
    let at = batch.length;
    if (this.#isText) {
      if (this.#options.timestamps) {
        at = position.putTime(stream, target, at);
        target[at++] = SPACE;
      }
      at = put(target, at, prefix);
      target.set(bytes.subarray(from, to), at);
      at += to - from;
    } else {
      at = put(target, at, prefix);
      at = position.putTime(stream, target, at);
      at = put(target, at, HEAD[stream]);
      at = putEscaped(target, at, bytes, from, to);
      at = put(target, at, cut ? CUT_TAIL : TAIL);
      if (this.#isEvents) target[at++] = LF;
    }
    target[at++] = LF;
    batch.length = at;
    batch.endLine(source, stream);
  }

  putText(source: Source, text: string): void {
    const batch = this.#batch;
    const bytes = encoder.encode(text);
    batch.reserve(bytes.byteLength);
    batch.bytes.set(bytes, batch.length);
    batch.length += bytes.byteLength;
    batch.endNote(source);
  }

  async tell(): Promise<void> {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = new TaskBatch(this.#earlier);
    this.#earlier = null;
    this.#telling = batch;
    const { send, ready, told } = this.#options;
    for (const { bytes, places } of batch.pieces()) {
      await ready();
      for (const [task, { latest }] of places) this.#latest.set(task, latest);
      const record = told(places);
      // As one with its cursor: a caller who is cut off between the two would be told the piece once more
      send(record === "" ? bytes : joined(bytes, encoder.encode(record)));
    }
    this.#telling = null;
    if (batch.isFilled) this.#earlier = batch;
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.byteLength + other.byteLength);
  both.set(one);
  both.set(other, one.byteLength);
  return both;
}
