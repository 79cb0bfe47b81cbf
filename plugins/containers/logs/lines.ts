/** Turns bytes into whole log lines: separates the engine's time, and joins what it split at 16 KiB. */
import type { RunSink, Stream } from "../../../engines/frames/frames.ts";

/** A line that grows beyond this is cut, and says so. */
const LINE_LIMIT_BYTES = 256 * 1024;
/** The engine splits longer lines, and puts its time before each part. */
const PART_BYTES = 16 * 1024;
const LF = 10;
const SPACE = 32;
const DASH = 0x2d;
const T = 0x54;
const Z = 0x5a;
/** No engine's time is longer, its space included. */
const TIME_LIMIT_BYTES = 64;
const NOTHING = new Uint8Array(0);

/**
 * The sign that tells a part of a line from a last line without a newline. With Podman, a frame without a newline is
 * always a part (`unended`). With Docker only the size of the frame tells (`sized`).
 */
type Parts = "unended" | "sized";

/** One line of a log, as places in `bytes`. */
export interface Line {
  readonly stream: Stream;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The engine's time stands from here… */
  readonly timeFrom: number;
  /** …up to here. */
  readonly timeTo: number;
  /** The text stands from here… */
  readonly from: number;
  /** …up to here, without the newline. */
  readonly to: number;
  /** False for a last line without a newline. */
  readonly ended: boolean;
  /** The line was longer than the limit. */
  readonly cut: boolean;
}

export interface LineSink {
  /** Takes one line. The object and its bytes are reused for the next line. */
  line(line: Line): void;
}

/** A line that is not complete yet. */
class Unfinished {
  bytes = new Uint8Array(1024);
  length = 0;
  /** The next frame goes on with this line. */
  continues = false;
  /** The next bytes are the time before a further part. */
  atTime = false;
  /** Of a terminal's line: bytes of the current part, or -1 while its first time is not over. */
  partBytes = -1;
  cut = false;
  readonly time = new Uint8Array(TIME_LIMIT_BYTES);
  timeLength = 0;
  /** A chunk of a terminal's log began inside this line. */
  mayEnd = false;

  append(from: Uint8Array, start: number, end: number): void {
    const room = LINE_LIMIT_BYTES + TIME_LIMIT_BYTES - this.length;
    const size = Math.min(end - start, room);
    if (size < end - start) this.cut = true;
    if (size <= 0) return;
    if (this.length + size > this.bytes.byteLength) {
      const wider = new Uint8Array(Math.max(this.bytes.byteLength * 2, this.length + size));
      wider.set(this.bytes.subarray(0, this.length));
      this.bytes = wider;
    }
    this.bytes.set(from.subarray(start, start + size), this.length);
    this.length += size;
  }

  /** Reads the time that may come before a further part. Returns where it stopped. */
  readTime(bytes: Uint8Array, from: number, to: number): number {
    while (from < to) {
      const byte = bytes[from++]!; // below to
      this.time[this.timeLength++] = byte;
      if (byte !== SPACE && this.timeLength < TIME_LIMIT_BYTES) continue;
      this.atTime = false;
      break;
    }
    return from;
  }

  /** True if the bytes that `readTime` read are a time. */
  get isTime(): boolean {
    return this.timeLength > 20 && this.time[4] === DASH && this.time[10] === T &&
      this.time[this.timeLength - 1] === SPACE;
  }

  appendTime(): void {
    this.append(this.time, 0, this.timeLength);
    this.timeLength = 0;
  }

  clear(): void {
    this.length = 0;
    this.continues = false;
    this.atTime = false;
    this.partBytes = -1;
    this.cut = false;
    this.timeLength = 0;
    this.mayEnd = false;
    if (this.bytes.byteLength > 4 * PART_BYTES) this.bytes = new Uint8Array(1024);
  }
}

/** For logs that were asked for with their times. */
export class LineReader implements RunSink {
  readonly #sink: LineSink;
  readonly #terminal: boolean;
  readonly #parts: Parts;
  readonly #out = new Unfinished();
  readonly #err = new Unfinished();
  readonly #line: { -readonly [Field in keyof Line]: Line[Field] } = {
    stream: 1,
    bytes: NOTHING,
    timeFrom: 0,
    timeTo: 0,
    from: 0,
    to: 0,
    ended: true,
    cut: false,
  };

  constructor(sink: LineSink, options: { readonly terminal: boolean; readonly parts?: Parts }) {
    this.#sink = sink;
    this.#terminal = options.terminal;
    this.#parts = options.parts ?? "sized";
  }

  run(
    stream: Stream,
    bytes: Uint8Array<ArrayBuffer>,
    from: number,
    to: number,
    first: boolean,
    last: boolean,
  ): void {
    const rest = stream === 2 ? this.#err : this.#out;
    if (this.#terminal) {
      if (first && rest.length > 0 && !rest.atTime) rest.atTime = rest.mayEnd = true;
      return this.#raw(rest, bytes, from, to);
    }
    // Nearly always a frame is one whole line
    if (first && last && !rest.continues && bytes[to - 1] === LF) {
      return this.#emit(stream, bytes, from, to - 1, true, false);
    }
    this.#part(stream, rest, bytes, from, to, first, last);
  }

  /**
   * The log ended as it should: the rest without a newline is a line too. A line that the engine would have continued
   * is given only if `final`; otherwise it comes again, complete, when the log is opened again.
   */
  finish(final: boolean): void {
    for (const [stream, rest] of [[1, this.#out], [2, this.#err]] as const) {
      if (rest.timeLength > 0) rest.appendTime();
      if (rest.length > 0 && (final || !rest.continues)) {
        this.#emit(stream, rest.bytes, 0, rest.length, false, rest.cut);
      }
    }
    this.reset();
  }

  /** The log broke off: incomplete lines come again. */
  reset(): void {
    this.#out.clear();
    this.#err.clear();
  }

  #part(
    stream: Stream,
    rest: Unfinished,
    bytes: Uint8Array,
    from: number,
    to: number,
    first: boolean,
    last: boolean,
  ): void {
    if (first) {
      rest.atTime = rest.continues;
      rest.continues = false;
    }
    if (rest.atTime) {
      from = rest.readTime(bytes, from, to);
      if (!rest.atTime && !rest.isTime) rest.appendTime();
      else if (!rest.atTime) rest.timeLength = 0;
    }
    const ended = last && to > from && bytes[to - 1] === LF;
    rest.append(bytes, from, ended ? to - 1 : to);
    if (!last) return;
    if (ended) this.#close(stream, rest, true);
    else if (this.#parts === "unended" || isSized(rest)) rest.continues = true;
    else this.#close(stream, rest, false);
  }

  #close(stream: Stream, rest: Unfinished, ended: boolean): void {
    this.#emit(stream, rest.bytes, 0, rest.length, ended, rest.cut);
    rest.clear();
  }

  /** A terminal's log has no frames; only newlines end its lines. */
  #raw(rest: Unfinished, bytes: Uint8Array<ArrayBuffer>, from: number, to: number): void {
    while (from < to) {
      const found = bytes.indexOf(LF, from);
      const newline = found < 0 || found >= to ? to : found;
      if (rest.length === 0 && newline < to && newline - from < PART_BYTES) {
        this.#emit(1, bytes, from, newline, true, false);
      } else {
        this.#rawPart(rest, bytes, from, newline);
        if (newline < to) {
          if (rest.timeLength > 0) rest.appendTime();
          this.#close(1, rest, true);
        }
      }
      from = newline + 1;
    }
  }

  #rawPart(rest: Unfinished, bytes: Uint8Array, from: number, to: number): void {
    while (from < to) {
      if (rest.atTime) {
        from = rest.readTime(bytes, from, to);
        if (!rest.atTime) this.#afterTime(rest);
      } else if (rest.partBytes < 0) { // the time before the first part belongs to the line
        const space = bytes.indexOf(SPACE, from);
        const end = space < 0 || space >= to ? to : space + 1;
        rest.append(bytes, from, end);
        if (end === space + 1) rest.partBytes = 0;
        from = end;
      } else {
        const size = Math.min(to - from, PART_BYTES - rest.partBytes);
        rest.append(bytes, from, from + size);
        rest.partBytes += size;
        from += size;
        if (rest.partBytes < PART_BYTES) continue;
        rest.partBytes = 0;
        rest.atTime = true;
      }
    }
  }

  /** A time inside a terminal's line begins a further part, or the line before it had no newline. */
  #afterTime(rest: Unfinished): void {
    if (!rest.isTime) {
      rest.partBytes += rest.timeLength;
      rest.appendTime();
    } else if (rest.mayEnd && this.#parts === "sized") {
      const time = rest.time.slice(0, rest.timeLength);
      this.#close(1, rest, false);
      rest.append(time, 0, time.byteLength);
      rest.partBytes = 0;
    }
    rest.timeLength = 0;
    rest.mayEnd = false;
  }

  #emit(
    stream: Stream,
    bytes: Uint8Array<ArrayBuffer>,
    from: number,
    to: number,
    ended: boolean,
    cut: boolean,
  ): void {
    // Times nearly always have the same length, so the usual place of the space is checked first. After a short line
    // the buffer still holds older bytes
    const isUsual = from + 30 < to && bytes[from + 30] === SPACE && bytes[from + 29] === Z;
    let space = isUsual ? from + 30 : bytes.indexOf(SPACE, from);
    if (space < 0 || space > to) space = to;
    const line = this.#line;
    line.stream = stream;
    line.bytes = bytes;
    line.timeFrom = from;
    line.timeTo = space;
    line.from = space < to ? space + 1 : to;
    line.to = to;
    line.ended = ended;
    line.cut = cut;
    this.#sink.line(line);
  }
}

/** Returns true if the part is as long as one or several buffers of the engine. */
function isSized(rest: Unfinished): boolean {
  const time = rest.bytes.subarray(0, TIME_LIMIT_BYTES).indexOf(SPACE) + 1;
  const size = rest.length - time;
  return rest.cut || size > 0 && size % 1024 === 0;
}
