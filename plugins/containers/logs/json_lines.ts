/** Lines of several logs as JSON, until they are told in the order of their times. */
import type { JsonText } from "../../../core/json_text.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { Line } from "./lines.ts";
import type { Gap, LogPosition } from "./log_position.ts";
import { type LogTime, readLogTime } from "./log_time.ts";
import type { GatheredLines, SourceLines } from "./gathered_lines.ts";

/** The longest frame, far below the limit of a socket's queue. */
const FRAME_CHARACTERS = 64 * 1024;
/** The longest line as JSON, in bytes: control characters take six there, and a socket refuses what it cannot queue. */
const MOST_LINE_BYTES = 384 * 1024;
/** The other fields of a line: its source, its times. */
const BESIDE_BYTES = 8 * 1024;
/** The most bytes that a character of a JSON text takes on the wire. */
const BYTES_A_UNIT = 3;
const CR = 13;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The reader of the lines. */
interface JsonReader {
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

/** Before the time since which a source is read, in place of a cursor while it has written nothing. */
const SINCE = "@";

/** Returns that time; null for a cursor. */
export function sinceOf(place: string): LogTime | null {
  return place.startsWith(SINCE) ? readLogTime(place.slice(SINCE.length)) : null;
}

interface ReadSource {
  readonly position: LogPosition;
  readonly since: string;
  /** The place that the reader knows. */
  told: string;
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

export class JsonLines implements GatheredLines {
  size = 0;
  #pending: Collected[] = [];
  readonly #sources = new Map<string, ReadSource>();

  constructor(private readonly reader: JsonReader) {}

  of(source: string, target: LiveContainer, position: LogPosition, isResumed: boolean): SourceLines {
    const writer = this.reader.write(target);
    this.#sources.set(source, {
      position,
      since: new Date().toISOString(),
      told: isResumed ? position.toString() : "",
    });
    let latest = "";
    let hasBegun = isResumed;
    const collect = (time: string, text: JsonText, cursor: string | null) => {
      if (time > latest) latest = time;
      this.#pending.push({ source, time: latest, text, cursor, isFirst: cursor !== null && !hasBegun });
      this.size += text.length;
      hasBegun ||= cursor !== null;
    };
    return {
      line: ({ stream, bytes, from, to: end, cut }: Line) => {
        const to = bytes[end - 1] === CR ? end - 1 : end; // a terminal ends its lines with both
        const time = position.timeOf(stream);
        const text = decoder.decode(bytes.subarray(from, Math.max(from, to)));
        const name = stream === 2 ? "stderr" : "stdout";
        const whole = writer.line({ time, stream: name, text, cut });
        const json = isSendable(whole)
          ? whole
          : writer.line({ time, stream: name, text: shortened(text), cut: true });
        collect(time, json, position.toString());
      },
      gap: (gap) => collect(gap.after, writer.gap(gap), null),
    };
  }

  async tell(): Promise<void> {
    const lines = this.#pending;
    this.#pending = [];
    this.size = 0;
    // A stable sort, so that lines of one time keep their order
    lines.sort((a, b) => a.time < b.time ? -1 : a.time > b.time ? 1 : 0);
    let frame: JsonText[] = [];
    let cursors = new Map<string, string>();
    let firsts = new Map<string, string>();
    let characters = 0;
    const send = async () => {
      await this.reader.ready();
      this.#frame(frame, cursors, firsts);
      frame = [];
      cursors = new Map();
      firsts = new Map();
      characters = 0;
    };
    for (const { text, source, cursor, isFirst } of lines) {
      if (frame.length > 0 && characters + text.length > FRAME_CHARACTERS) await send();
      frame.push(text);
      if (cursor !== null) cursors.set(source, cursor);
      if (cursor !== null && isFirst) firsts.set(source, cursor);
      characters += text.length;
    }
    if (frame.length > 0) await send();
  }

  async tellPlaces(sources: readonly string[]): Promise<void> {
    await this.reader.ready();
    const waiting = new Set(this.#pending.map(({ source }) => source));
    const places = new Map<string, string>();
    for (const source of sources) {
      const read = this.#sources.get(source);
      if (read === undefined || waiting.has(source)) continue;
      const place = read.position.toString() || `${SINCE}${read.since}`;
      if (place !== read.told) places.set(source, place);
    }
    if (places.size > 0) this.#frame([], places, new Map());
  }

  /** Forgets a source that is not read any more. */
  forget(source: string): void {
    this.#sources.delete(source);
  }

  #frame(
    messages: readonly JsonText[],
    cursors: ReadonlyMap<string, string>,
    firsts: ReadonlyMap<string, string>,
  ): void {
    for (const [source, cursor] of cursors) {
      const read = this.#sources.get(source);
      if (read !== undefined) read.told = cursor;
    }
    this.reader.frame(messages, cursors, firsts);
  }
}

function isSendable(json: JsonText): boolean {
  return json.length * BYTES_A_UNIT <= MOST_LINE_BYTES || encoder.encode(json).byteLength <= MOST_LINE_BYTES;
}

/** Returns the beginning of a text that is sendable as JSON, with room for the fields beside it. */
function shortened(text: string): string {
  let short = text.slice(0, MOST_LINE_BYTES / 2);
  while (encoder.encode(JSON.stringify(short)).byteLength > MOST_LINE_BYTES - BESIDE_BYTES) {
    short = short.slice(0, Math.floor(short.length * 3 / 4));
  }
  return short.toWellFormed();
}
