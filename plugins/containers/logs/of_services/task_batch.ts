/** Lines of several tasks that were collected, merged into pieces; each says how far its tasks are with it. */
import { type LogPosition, LONGEST_TIME } from "../log_position.ts";
import type { Stream } from "../../../../engines/frames/frames.ts";

/** Bytes after which a piece ends with its line. */
const PIECE_BYTES = 64 * 1024;
/** The smallest room for lines. */
const LEAST_BYTES = 64 * 1024;
/** The smallest room for times. */
const LEAST_TIMES = 64;
const NOTE = 0;
const NOTHING = new Uint8Array(0);

const decoder = new TextDecoder();

/** Lines in order, and how far each of their tasks was told with them. */
interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly places: ReadonlyMap<string, TaskPosition>;
}

export interface TaskPosition {
  /** A cursor of the task's log, behind its last line. */
  readonly cursor: string;
  /** The time of that line. */
  readonly latest: string;
}

/** A task's log, as far as a batch looks at it. */
interface BatchSource {
  readonly task: string;
  readonly position: LogPosition;
  /** The time of the latest line: lines of one source stay in order. */
  readonly seconds: number;
  readonly nanos: number;
}

/** The lines of one source, which are in order. */
interface Queue {
  readonly task: string;
  readonly lines: number[];
  /** The number of lines that were merged. */
  at: number;
  /** The number of those that are in earlier pieces. */
  told: number;
  /** The cursor's parts of both streams, behind the lines that were told. */
  readonly parts: [out: string, err: string];
}

/** Lines as places in `bytes`. */
export class TaskBatch {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;
  readonly #ends: number[] = [];
  readonly #seconds: number[] = [];
  readonly #nanos: number[] = [];
  readonly #streams: (Stream | typeof NOTE)[] = [];
  /** The time of each line as the engine wrote it, in `LONGEST_TIME` bytes: a shorter one ends with a zero. */
  #times: Uint8Array<ArrayBuffer>;
  /** The parts of cursors behind the times, of the few lines that have one. */
  readonly #counts = new Map<number, string>();
  readonly #queues = new Map<BatchSource, Queue>();

  /** Takes the room of a batch whose pieces were all taken. */
  constructor(earlier: TaskBatch | null) {
    this.bytes = earlier?.bytes ?? NOTHING;
    this.#times = earlier === null ? NOTHING : earlier.#times;
  }

  /** True if so much of the room is used that the next batch may need as much. */
  get isFilled(): boolean {
    return this.length * 4 > this.bytes.byteLength;
  }

  /** The tasks of which lines are in no piece yet. */
  *untold(): Generator<string, void> {
    for (const { task, told, lines } of this.#queues.values()) if (told < lines.length) yield task;
  }

  /** Makes room for `size` more bytes. */
  reserve(size: number): void {
    const needed = this.length + size;
    if (needed > this.bytes.byteLength) this.bytes = widened(this.bytes, this.length, needed, LEAST_BYTES);
  }

  /** Takes the bytes behind the last line as one of this source, whose position is at it. */
  endLine(source: BatchSource, stream: Stream): void {
    const { position } = source;
    const line = this.#ends.length;
    const at = line * LONGEST_TIME;
    if (at + LONGEST_TIME > this.#times.byteLength) {
      this.#times = widened(this.#times, at, at + LONGEST_TIME, LEAST_TIMES * LONGEST_TIME);
    }
    const end = position.putTime(stream, this.#times, at);
    if (end < at + LONGEST_TIME) this.#times[end] = 0;
    const count = position.countOf(stream);
    if (count !== "") this.#counts.set(line, count);
    this.#end(source, stream);
  }

  /** Takes the bytes behind the last line as something else that is told of this source. */
  endNote(source: BatchSource): void {
    this.#end(source, NOTE);
  }

  #end(source: BatchSource, stream: Stream | typeof NOTE): void {
    let queue = this.#queues.get(source);
    if (queue === undefined) {
      const { task, position } = source;
      queue = { task, lines: [], at: 0, told: 0, parts: [position.partOf(1), position.partOf(2)] };
      this.#queues.set(source, queue);
    }
    queue.lines.push(this.#ends.length);
    this.#ends.push(this.length);
    this.#seconds.push(source.seconds);
    this.#nanos.push(source.nanos);
    this.#streams.push(stream);
  }

  /** Yields all lines in order; those of one time in the order in which they came. */
  *pieces(): Generator<Piece, void> {
    const all = [...this.#queues.values()];
    const queues = all.slice();
    let runs: number[] = [];
    let size = 0;
    let [runFrom, runTo] = [0, 0];
    const endRun = () => {
      if (runTo === runFrom) return;
      runs.push(runFrom, runTo);
      size += runTo - runFrom;
      runFrom = runTo;
    };
    const piece = (): Piece => {
      endRun();
      const bytes = this.#copied(runs, size);
      runs = [];
      size = 0;
      return { bytes, places: this.#places(all) };
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
        const from = line === 0 ? 0 : this.#ends[line - 1]!;
        if (from !== runTo) {
          endRun();
          runFrom = from;
        }
        runTo = this.#ends[line]!;
        first.at += 1;
        if (size + runTo - runFrom >= PIECE_BYTES) yield piece();
      } while (first.at < lines.length && (second === null || this.#isBefore(lines[first.at]!, second)));
      if (first.at === lines.length) queues.splice(queues.indexOf(first), 1);
    }
    if (size + runTo - runFrom > 0) yield piece();
  }

  /** Returns a copy: a piece may wait for long, and the room is for the next batch. */
  #copied(runs: readonly number[], size: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(size);
    let length = 0;
    for (let run = 0; run < runs.length; run += 2) {
      const part = this.bytes.subarray(runs[run], runs[run + 1]);
      bytes.set(part, length);
      length += part.byteLength;
    }
    return bytes;
  }

  /** Returns how far the tasks are of which lines were merged since the last piece. */
  #places(queues: readonly Queue[]): Map<string, TaskPosition> {
    const places = new Map<string, TaskPosition>();
    for (const queue of queues) {
      const { task, lines, at, told, parts } = queue;
      const last = { 1: -1, 2: -1 };
      let latest = -1;
      for (let index = at - 1; index >= told && (last[1] < 0 || last[2] < 0); index -= 1) {
        const line = lines[index]!; // below length
        const stream = this.#streams[line]!; // each line has one
        if (stream !== 1 && stream !== 2) continue;
        if (last[stream] < 0) last[stream] = line;
        if (latest < 0) latest = line;
      }
      queue.told = at;
      if (latest < 0) continue;
      if (last[1] >= 0) parts[0] = `o${this.#partAt(last[1])}`;
      if (last[2] >= 0) parts[1] = `e${this.#partAt(last[2])}`;
      places.set(task, { cursor: parts[0] + parts[1], latest: this.#timeAt(latest) });
    }
    return places;
  }

  #partAt(line: number): string {
    return this.#timeAt(line) + (this.#counts.get(line) ?? "");
  }

  #timeAt(line: number): string {
    const at = line * LONGEST_TIME;
    const time = this.#times.subarray(at, at + LONGEST_TIME);
    const end = time.indexOf(0);
    return decoder.decode(end < 0 ? time : time.subarray(0, end));
  }

  #isBefore(one: number, other: number): boolean {
    const seconds = this.#seconds[one]! - this.#seconds[other]!; // both are lines
    if (seconds !== 0) return seconds < 0;
    const nanos = this.#nanos[one]! - this.#nanos[other]!;
    return nanos !== 0 ? nanos < 0 : one < other;
  }
}

function widened(
  bytes: Uint8Array<ArrayBuffer>,
  length: number,
  needed: number,
  least: number,
): Uint8Array<ArrayBuffer> {
  const wider = new Uint8Array(Math.max(needed, least, bytes.byteLength * 2));
  wider.set(bytes.subarray(0, length));
  return wider;
}
