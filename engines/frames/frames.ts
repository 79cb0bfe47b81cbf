/**
 * Decodes HTTP chunks and the engine's frames in one pass, without a copy: an engine writes one chunk and one frame per
 * log line, so any work per chunk is work per line.
 */
import type { ServiceError } from "../../core/error.ts";
import { engineError } from "../calls/errors.ts";

/** The engine writes frames of about 16 KiB; its own reader would accept any 32-bit length. */
const FRAME_LIMIT_BYTES = 1024 * 1024;
const ENGINE_ERROR_LIMIT_BYTES = 4 * 1024;
const CHUNK_HEAD_LIMIT_BYTES = 256;

/** The sign that ends the body. */
export type Framing =
  | { readonly kind: "chunked" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "close" };

/** 1 is standard output, 2 standard error; a terminal has the first alone. */
export type Stream = 1 | 2;

export interface RunSink {
  /**
   * Payload bytes `from` up to `to`, to be used before this returns. `first` and `last` tell whether the run begins and
   * ends a frame; in a body without frames `first` tells only that a chunk begins.
   */
  run(
    stream: Stream,
    bytes: Uint8Array<ArrayBuffer>,
    from: number,
    to: number,
    first: boolean,
    last: boolean,
  ): void;
}

const enum Chunk {
  Size,
  Extension,
  Data,
  AfterData,
  Trailer,
  Done,
}

const LF = 10;
const CR = 13;

export class FrameReader {
  readonly #sink: RunSink;
  readonly #framed: boolean;
  readonly #chunked: boolean;
  readonly #untilClose: boolean;
  #chunk: Chunk;
  /** Bytes left of the chunk, or of the whole body where there are no chunks. */
  #left = 0;
  /** Bytes of the chunk's head, or of the trailer's line. */
  #headBytes = 0;
  readonly #header = new Uint8Array(8);
  #headerBytes = 0;
  #frameLeft = 0;
  #frameBegun = false;
  #stream: Stream | 3 = 1;
  #engineError: number[] = [];

  constructor(sink: RunSink, options: { readonly framed: boolean; readonly framing: Framing }) {
    this.#sink = sink;
    this.#framed = options.framed;
    this.#chunked = options.framing.kind === "chunked";
    this.#untilClose = options.framing.kind === "close";
    this.#chunk = this.#chunked ? Chunk.Size : Chunk.Data;
    if (options.framing.kind === "length") {
      this.#left = options.framing.bytes;
      if (this.#left === 0) this.#chunk = Chunk.Done;
    }
    if (this.#untilClose) this.#left = Number.MAX_SAFE_INTEGER;
  }

  /** The body has ended as HTTP says it should. */
  get complete(): boolean {
    return this.#chunk === Chunk.Done;
  }

  /**
   * True if the body is cut when the connection ends now: in the middle of a frame, or between two frames without the
   * last chunk.
   */
  get cut(): boolean {
    const between = this.#headerBytes === 0 && this.#frameLeft === 0;
    return !between || !(this.complete || this.#untilClose);
  }

  /** Takes bytes `at` up to `end`. Throws `engine_failed` for a malformed body. */
  push(bytes: Uint8Array<ArrayBuffer>, at: number, end: number): void {
    while (at < end) {
      if (this.#chunk === Chunk.Data) {
        const stop = this.#left < end - at ? at + this.#left : end;
        this.#left -= stop - at;
        if (this.#framed) this.#frames(bytes, at, stop);
        else {
          const first = this.#frameBegun;
          this.#frameBegun = false;
          this.#sink.run(1, bytes, at, stop, first, false);
        }
        at = stop;
        if (this.#left === 0) this.#chunk = this.#chunked ? Chunk.AfterData : Chunk.Done;
      } else if (this.#chunk === Chunk.Done) {
        return;
      } else {
        at = this.#chunkHead(bytes, at, end);
      }
    }
  }

  /** Reads the lines between the chunks: a few bytes each. */
  #chunkHead(bytes: Uint8Array, at: number, end: number): number {
    let left = this.#left;
    let headBytes = this.#headBytes;
    let chunk = this.#chunk;
    while (at < end) {
      const byte = bytes[at++]!; // below end
      if (chunk === Chunk.AfterData) {
        if (byte === LF) chunk = Chunk.Size;
        else if (byte !== CR) throw malformed("a chunk does not end where it said");
        continue;
      }
      if (byte === LF) {
        if (chunk === Chunk.Trailer) {
          if (headBytes === 0) {
            chunk = Chunk.Done;
            break;
          }
          headBytes = 0;
          continue;
        }
        if (headBytes === 0) throw malformed("a chunk has no length");
        headBytes = 0;
        if (left > 0) {
          chunk = Chunk.Data;
          if (!this.#framed) this.#frameBegun = true;
          break;
        }
        chunk = Chunk.Trailer;
        continue;
      }
      if (byte === CR) continue;
      if (++headBytes > CHUNK_HEAD_LIMIT_BYTES) throw malformed("a chunk's head is too long");
      if (chunk !== Chunk.Size) continue;
      const digit = hexDigit(byte);
      if (digit >= 0) {
        left = left * 16 + digit;
        if (left > 0xffff_ffff) throw malformed("a chunk is longer than 4 GiB");
      } else if (headBytes > 1 && (byte === 0x3b || byte === 0x20 || byte === 0x09)) {
        chunk = Chunk.Extension;
      } else {
        throw malformed("a chunk's length is not a number");
      }
    }
    this.#left = left;
    this.#headBytes = headBytes;
    this.#chunk = chunk;
    return at;
  }

  #frames(bytes: Uint8Array<ArrayBuffer>, at: number, end: number): void {
    while (at < end) {
      if (this.#frameLeft === 0) {
        if (this.#headerBytes === 0 && end - at >= 8) {
          this.#begin(bytes, at);
          at += 8;
        } else {
          this.#header[this.#headerBytes++] = bytes[at++]!; // below end
          if (this.#headerBytes < 8) continue;
          this.#headerBytes = 0;
          this.#begin(this.#header, 0);
        }
        continue;
      }
      const stop = this.#frameLeft < end - at ? at + this.#frameLeft : end;
      this.#frameLeft -= stop - at;
      const first = this.#frameBegun;
      this.#frameBegun = false;
      if (this.#stream === 3) this.#complain(bytes, at, stop);
      else this.#sink.run(this.#stream, bytes, at, stop, first, this.#frameLeft === 0);
      at = stop;
    }
  }

  #begin(header: Uint8Array, at: number): void {
    const type = header[at]!;
    const size = header[at + 4]! * 0x1000000 +
      (header[at + 5]! << 16 | header[at + 6]! << 8 | header[at + 7]!);
    if (type > 3) throw malformed(`a frame of the unknown type ${type}`);
    if (size > FRAME_LIMIT_BYTES) throw malformed(`a frame of ${size} bytes`);
    this.#stream = type === 3 ? 3 : type === 2 ? 2 : 1;
    this.#frameLeft = size;
    this.#frameBegun = true;
  }

  /** Type 3: the daemon failed after its 200, with this message. */
  #complain(bytes: Uint8Array, at: number, end: number): void {
    const room = ENGINE_ERROR_LIMIT_BYTES - this.#engineError.length;
    this.#engineError.push(...bytes.subarray(at, Math.min(end, at + room)));
    if (this.#frameLeft > 0) return;
    const words = new TextDecoder().decode(new Uint8Array(this.#engineError));
    throw engineError(
      "engine_failed",
      "Cannot read the rest of the stream: the engine reports an error",
      {
        cause: new Error(words),
      },
    );
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function malformed(what: string): ServiceError {
  return engineError("engine_failed", `Cannot read the engine's stream: ${what}`);
}
