/** Lines of several logs as JSON, until they are told in the order of their times. */
import type { JsonText } from "../../../core/json_text.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { Line } from "./lines.ts";
import type { Gap, LogPosition } from "./log_position.ts";
import type { GatheredLines, SourceLines } from "./gathered_lines.ts";

/** The longest frame, far below the limit of a socket's queue. */
const FRAME_CHARACTERS = 64 * 1024;
const CR = 13;

const decoder = new TextDecoder();

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

  constructor(private readonly reader: JsonReader) {}

  of(source: string, target: LiveContainer, position: LogPosition, isResumed: boolean): SourceLines {
    const writer = this.reader.write(target);
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
        collect(time, writer.line({ time, stream: name, text, cut }), position.toString());
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
      this.reader.frame(frame, cursors, firsts);
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
}
