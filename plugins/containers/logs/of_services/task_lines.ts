/** Lines of a service's tasks as the bytes of an answer, until they are told in the order of their times. */
import type { LiveContainer } from "../../backends/live_container.ts";
import { putEscaped } from "../json_text.ts";
import type { Line } from "../lines.ts";
import { CUT_TAIL, HEAD, type LogFormat, TAIL } from "../log_formats.ts";
import { CURSOR_BYTES, type Gap, type LogPosition, put } from "../log_position.ts";
import { readLogTime } from "../log_time.ts";
import type { GatheredLines, SourceLines } from "../gathered_lines.ts";
import type { TaskLog } from "./task_logs.ts";
import type { TaskWriter } from "./task_writer.ts";

/** Bytes after which a piece that is sent ends with its line: other records may come between two pieces. */
const FRAME_BYTES = 64 * 1024;
/** Room that is kept between two frames. */
const KEPT_BYTES = 64 * 1024;
/** The length of the time that Docker writes, and of its part before the fraction. */
const TIME_BYTES = 30;
const SECONDS_BYTES = 19;
const [LF, CR, SPACE, ZERO, Z] = [10, 13, 32, 48, 90];
const NOTHING = new Uint8Array(0);

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
  /** Takes the places of the tasks of which lines were told; returns the record that follows the lines. */
  told(places: ReadonlyMap<string, string>): string;
}

/** Lines that were collected since the last frame, as places in `bytes`. */
class Batch {
  bytes: Uint8Array<ArrayBuffer> = NOTHING;
  length = 0;
  readonly ends: number[] = [];
  readonly seconds: number[] = [];
  readonly nanos: number[] = [];
  /** The lines of each source, which are in order. */
  readonly sources = new Map<Source, number[]>();

  /** Makes room for `size` more bytes. */
  reserve(size: number): void {
    const needed = this.length + size;
    if (needed <= this.bytes.byteLength) return;
    const wider = new Uint8Array(Math.max(needed, KEPT_BYTES, this.bytes.byteLength * 2));
    wider.set(this.bytes.subarray(0, this.length));
    this.bytes = wider;
  }

  /** Takes the bytes behind the last line as a line of this source. */
  end(source: Source): void {
    let own = this.sources.get(source);
    if (own === undefined) this.sources.set(source, own = []);
    own.push(this.ends.length);
    this.ends.push(this.length);
    this.seconds.push(source.seconds);
    this.nanos.push(source.nanos);
  }

  /** Returns all lines in order; those of one time in the order in which they came. */
  merged(): Uint8Array<ArrayBuffer> {
    const queues = [...this.sources.values()].map((lines) => ({ lines, at: 0 }));
    if (queues.length < 2) return this.bytes.slice(0, this.length);
    const merged = new Uint8Array(this.length);
    let length = 0;
    let [runFrom, runTo] = [0, 0];
    const flush = () => {
      merged.set(this.bytes.subarray(runFrom, runTo), length);
      length += runTo - runFrom;
    };
    while (queues.length > 0) {
      let first = queues[0]!; // there is one
      let second: number | null = null;
      for (let index = 1; index < queues.length; index += 1) {
        const queue = queues[index]!; // below length
        const head = queue.lines[queue.at]!; // a queue that is empty is removed
        if (this.#isBefore(head, first.lines[first.at]!)) {
          second = first.lines[first.at]!;
          first = queue;
        } else if (second === null || this.#isBefore(head, second)) second = head;
      }
      const { lines } = first;
      do {
        const line = lines[first.at]!; // below length
        const from = line === 0 ? 0 : this.ends[line - 1]!;
        if (from !== runTo) {
          flush();
          runFrom = from;
        }
        runTo = this.ends[line]!;
        first.at += 1;
      } while (first.at < lines.length && (second === null || this.#isBefore(lines[first.at]!, second)));
      if (first.at === lines.length) queues.splice(queues.indexOf(first), 1);
    }
    flush();
    return merged;
  }

  #isBefore(one: number, other: number): boolean {
    const seconds = this.seconds[one]! - this.seconds[other]!; // both are lines
    if (seconds !== 0) return seconds < 0;
    const nanos = this.nanos[one]! - this.nanos[other]!;
    return nanos !== 0 ? nanos < 0 : one < other;
  }
}

/** One task's log. */
class Source implements SourceLines {
  /** The time of the latest line: lines of one source stay in order. */
  seconds = 0;
  nanos = 0;
  /** As the last line that was collected left it; null where the position itself tells. */
  place: string | null = null;
  /** True if a line was collected. */
  hasTold = false;
  /** The time of the last line, if it is not the position's. */
  #time: string | null = null;
  #stream: Line["stream"] = 1;
  readonly #second = new Uint8Array(SECONDS_BYTES);
  #secondsOfIt = NaN;

  constructor(
    readonly task: string,
    readonly position: LogPosition,
    private readonly fixed: Uint8Array,
    /** Lines may be left out behind the last that was collected. */
    private readonly mayDrop: boolean,
    private readonly lines: TaskLines,
    private readonly gapText: (gap: Gap) => string,
  ) {}

  line(line: Line): void {
    const { stream, bytes, from, to: end, cut } = line;
    const to = end > from && bytes[end - 1] === CR ? end - 1 : end; // a terminal ends its lines with both
    this.#setTime(line);
    this.hasTold = true;
    this.#stream = stream;
    if (this.mayDrop) {
      this.place = this.position.toString();
      this.#time = this.position.timeOf(stream);
    }
    this.lines.put(this, stream, bytes, from, to, cut);
  }

  gap(gap: Gap): void {
    this.lines.putText(this, this.gapText(gap));
  }

  /** The time of the last line. */
  get latest(): string {
    return this.#time ?? this.position.timeOf(this.#stream);
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
    // A text that is no time is no later either
    if (seconds > this.seconds || seconds === this.seconds && nanos > this.nanos) {
      this.seconds = seconds;
      this.nanos = nanos;
    }
  }

  /** Nearly all lines are of the second of the line before. */
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
  #batch = new Batch();
  /** The sources of which a line was told, by their tasks. */
  readonly #told = new Map<string, Source>();
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
    const mayDrop = target.managed !== undefined;
    return new Source(task, position, fixed, mayDrop, this, (gap) => writer.gap(place, gap));
  }

  /** The time of the last line that was told of a task; null before one was. */
  latest(task: string): string | null {
    return this.#told.get(task)?.latest ?? null;
  }

  /** Nothing more is told of the task. */
  forget(task: string): void {
    this.#told.delete(task);
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
    batch.end(source);
    if (this.#told.get(source.task) !== source) this.#told.set(source.task, source);
  }

  putText(source: Source, text: string): void {
    const batch = this.#batch;
    const bytes = encoder.encode(text);
    batch.reserve(bytes.byteLength);
    batch.bytes.set(bytes, batch.length);
    batch.length += bytes.byteLength;
    batch.end(source);
  }

  async tell(): Promise<void> {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = new Batch();
    const { send, ready, told } = this.#options;
    const places = new Map<string, string>();
    for (const { task, hasTold, place, position } of batch.sources.keys()) {
      if (hasTold) places.set(task, place ?? position.toString());
    }
    const bytes = batch.merged();
    for (let at = 0; at < bytes.byteLength;) {
      if (at > 0) await ready();
      const end = endOfLine(bytes, at + FRAME_BYTES);
      send(bytes.subarray(at, end));
      at = end;
    }
    const record = told(places);
    if (record !== "") send(encoder.encode(record));
  }
}

/** Returns the end of the line, or of the event, in which a place is. */
function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from < bytes.byteLength ? bytes.indexOf(LF, from) : bytes.byteLength;
  while (bytes[at] === LF) at += 1;
  return at;
}
