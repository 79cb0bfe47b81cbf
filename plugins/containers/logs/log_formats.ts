/** Writes log lines as text, NDJSON or server-sent events, from bytes to bytes. */
import { ByteWriter } from "./byte_writer.ts";
import type { RunSink, Stream } from "../../../engines/frames/frames.ts";
import { putEscaped } from "./json_text.ts";
import type { Line, LineSink } from "./lines.ts";
import { CURSOR_BYTES, type Gap, type LogPosition, put } from "./log_position.ts";

export type LogFormat = "text" | "ndjson" | "sse";

export const CONTENT_TYPE: Readonly<Record<LogFormat, string>> = {
  text: "text/plain; charset=utf-8",
  ndjson: "application/x-ndjson",
  sse: "text/event-stream",
};

const LF = 10;
const CR = 13;
const SPACE = 32;

const encoder = new TextEncoder();
const bytesOf = (text: string) => encoder.encode(text);

/** Writes lines, and berth's own records between them. */
export interface LogWriter extends LineSink {
  readonly output: ByteWriter;
  gap(gap: Gap): void;
  /** A record that is no line: an end or an error. */
  note(record: Readonly<Record<string, unknown>>): void;
  /** Sent while there are no lines, so that no proxy closes the stream; null for formats without one. */
  heartbeat(): Uint8Array<ArrayBuffer> | null;
}

/** Writes the log's own bytes, without berth's records. */
export class TextWriter implements LogWriter {
  readonly output = new ByteWriter();
  readonly #position: LogPosition;
  readonly #timestamps: boolean;

  constructor(position: LogPosition, options: { readonly timestamps: boolean }) {
    this.#position = position;
    this.#timestamps = options.timestamps;
  }

  line({ stream, bytes, from, to, ended, cut }: Line): void {
    const { output } = this;
    if (this.#timestamps) {
      output.reserve(CURSOR_BYTES);
      output.length = this.#position.putTime(stream, output.bytes, output.length);
      output.bytes[output.length++] = SPACE;
    }
    output.write(bytes, from, to);
    if (cut) output.write(CUT_MARK);
    if (!ended) return;
    output.reserve(1);
    output.bytes[output.length++] = LF;
  }

  gap(): void {}
  note(): void {}
  heartbeat(): null {
    return null;
  }
}

const CUT_MARK = bytesOf(" [line cut by berth]");

/** Copies the payload of frames, for plain text without times or a cursor. */
export class RawTextWriter implements RunSink {
  readonly output = new ByteWriter();

  run(_stream: Stream, bytes: Uint8Array<ArrayBuffer>, from: number, to: number): void {
    this.output.write(bytes, from, to);
  }
}

export const HEAD = {
  1: bytesOf(`","stream":"stdout","line":"`),
  2: bytesOf(`","stream":"stderr","line":"`),
};
const CURSOR_KEY = bytesOf(`{"cursor":"`);
const TIME_KEY = bytesOf(`","time":"`);
export const TAIL = bytesOf(`"}`);
export const CUT_TAIL = bytesOf(`","cut":true}`);

/** Writes `{ cursor, time, stream, line }` per line; as events, the cursor is also the event's id. */
export class JsonWriter implements LogWriter {
  readonly output = new ByteWriter();
  readonly #position: LogPosition;
  readonly #events: boolean;

  constructor(position: LogPosition, options: { readonly events: boolean }) {
    this.#position = position;
    this.#events = options.events;
  }

  line({ stream, bytes, from, to: end, cut }: Line): void {
    const to = end > from && bytes[end - 1] === CR ? end - 1 : end; // a terminal ends its lines with both
    const { output } = this;
    output.reserve(FIXED_BYTES + (to - from) * 6);
    const target = output.bytes;
    let at = output.length;
    if (this.#events) {
      at = put(target, at, ID);
      at = this.#position.putCursor(target, at);
      at = put(target, at, DATA);
    }
    at = put(target, at, CURSOR_KEY);
    at = this.#position.putCursor(target, at);
    at = put(target, at, TIME_KEY);
    at = this.#position.putTime(stream, target, at);
    at = put(target, at, HEAD[stream]);
    at = putEscaped(target, at, bytes, from, to);
    at = put(target, at, cut ? CUT_TAIL : TAIL);
    target[at++] = LF;
    if (this.#events) target[at++] = LF;
    output.length = at;
  }

  gap(gap: Gap): void {
    this.note({ gap });
  }

  note(record: Readonly<Record<string, unknown>>): void {
    if (this.#events) this.output.write(DATA_ALONE);
    this.output.text(JSON.stringify(record));
    this.#endRecord();
  }

  heartbeat(): Uint8Array<ArrayBuffer> {
    return this.#events ? COMMENT : NEWLINE;
  }

  #endRecord(): void {
    const { output } = this;
    output.reserve(2);
    output.bytes[output.length++] = LF;
    if (this.#events) output.bytes[output.length++] = LF;
  }
}

const ID = bytesOf("id: ");
const DATA = bytesOf("\ndata: ");
const DATA_ALONE = bytesOf("data: ");
const COMMENT = bytesOf(":\n\n");
const NEWLINE = bytesOf("\n");

/** The length of a record without its text. */
const FIXED_BYTES = 3 * CURSOR_BYTES + 128;
