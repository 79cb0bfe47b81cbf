/** One request on its own connection to an engine; the answer is read into one reused buffer. */
import { ServiceError } from "../../core/error.ts";
import type { Engine } from "../calls/engine.ts";
import type { RawConnection } from "../calls/kept_connection.ts";
import { type Subject, unreachable } from "../calls/failure.ts";
import type { EnginePath } from "../calls/path.ts";
import { untilTurn, wasAskedWithin } from "../../core/asked.ts";
import { pause } from "../../core/pause.ts";
import type { Framing } from "./frames.ts";
import { engineError } from "../calls/errors.ts";
import { rest } from "./rest.ts";

const BUFFER_BYTES = 64 * 1024;
const HEAD_LIMIT_BYTES = 32 * 1024;
const FIRST_BYTE_MS = 10_000;
const REFUSAL_LIMIT_BYTES = 64 * 1024;
const REFUSAL_MS = 2_000;
const LITTLE_BYTES = 8 * 1024;
const LONGEST_SETTLING_MS = 1_000;
/** Others are answered first while the last request came within this time, from so many bytes of an answer on. */
const BUSY_MS = 20;
const MUCH_BYTES = 512 * 1024;
const GIVE_WAY_MS = 30;
const LONGEST_GIVE_WAY_MS = 1_000;
const CR = 13;

interface ConnectionRequest extends Subject {
  readonly method: "GET" | "POST";
  readonly path: EnginePath;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Asks to take over the connection: 101 and 200 are both a yes. */
  readonly upgrade?: boolean;
  /** The size of the buffer; 64 KiB by default. */
  readonly bufferBytes?: number;
  /** Closes the connection. */
  readonly signal: AbortSignal;
  /** Keeps the connection when the engine's connections are in doubt, for a caller who asks by another way. */
  readonly outlivesDoubt?: boolean;
}

/** Takes bytes `at` up to `end`, to be used before it returns. */
interface ByteSink {
  push(bytes: Uint8Array<ArrayBuffer>, at: number, end: number): void;
}

/** A connection with an answer whose head was read. */
export class EngineConnection implements Disposable {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  /** Bytes not passed on yet: `#bytes` from `#start` up to `#end`. */
  #start = 0;
  #end = 0;
  /** Bytes that came so far, behind the head. */
  #taken = 0;
  /** When the latest bytes came. */
  readAt = 0;
  /** When the request was sent, and when the head of its answer had come. */
  askedAt = 0;
  headAt = 0;
  status = 0;
  framing: Framing = { kind: "close" };
  readonly #signal: AbortSignal;
  readonly #doubt: AbortSignal | undefined;
  #closed = false;
  /** A read that has not finished; its bytes go behind `#end`. */
  #coming: Promise<number> | null = null;
  #cameAt = 0;

  constructor(
    readonly conn: RawConnection,
    { signal, bufferBytes = BUFFER_BYTES }: Pick<ConnectionRequest, "signal" | "bufferBytes">,
    doubt?: AbortSignal,
  ) {
    this.#bytes = new Uint8Array(bufferBytes);
    this.#signal = signal;
    this.#doubt = doubt;
    signal.addEventListener("abort", this.#onAbort);
    doubt?.addEventListener("abort", this.#onAbort);
    if (signal.aborted || doubt?.aborted) this.close();
  }

  /** True once its engine is in doubt: it was closed, since it may be half open. */
  get isDoubtful(): boolean {
    return this.#doubt?.aborted ?? false;
  }

  readonly #onAbort = () => this.close();

  get closed(): boolean {
    return this.#closed;
  }

  /** True if all bytes were passed on. */
  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** Gives on what came, or its first `most` bytes. */
  giveTo(sink: ByteSink, most = Infinity): void {
    const start = this.#start;
    const end = Math.min(this.#end, start + most);
    this.#start = end;
    sink.push(this.#bytes, start, end);
  }

  /** Reads the next bytes; false at the end of the connection, however it came. */
  async read(): Promise<boolean> {
    if (this.#closed) return false;
    const from = this.#coming === null ? 0 : this.#end;
    this.#start = this.#end = from;
    const isThere = await this.#take(this.#coming ?? this.#fill());
    // Bytes that came behind an earlier piece move to the front, so that they have all the room
    if (from > 0) this.#bytes.copyWithin(0, from, this.#end);
    this.#start -= from;
    this.#end -= from;
    return isThere;
  }

  /**
   * The same for an answer that is read as a whole: where little came at once, more is let come together, and while
   * others ask, they are answered first.
   */
  async readMuch(): Promise<boolean> {
    if (this.#taken > MUCH_BYTES && wasAskedWithin(BUSY_MS)) {
      await pause(untilTurn(GIVE_WAY_MS, LONGEST_GIVE_WAY_MS), this.#signal);
    } else if (this.#end > 0 && this.#end < LITTLE_BYTES) rest();
    return await this.read();
  }

  /**
   * Reads until nothing came for `quietMs`, and at least until `notBefore`, or until the buffer is full. False when the
   * connection ended meanwhile.
   */
  async settle(quietMs: number, notBefore = 0): Promise<boolean> {
    const until = Math.max(notBefore, performance.now()) + LONGEST_SETTLING_MS;
    // In two halves: after a delay of the process, the timer fires before bytes that had already come are seen
    for (let quiet = 0; quiet < 2 || performance.now() < notBefore; quiet++) {
      if (this.#closed) return false;
      if (this.#end === this.#bytes.byteLength || performance.now() > until) break;
      const coming = this.#coming ??= this.#fill();
      let hasCome = false;
      await pause(quietMs / 2, this.#signal, coming.then(() => void (hasCome = true)));
      if (!hasCome) continue;
      if (!await this.#take(coming)) return false;
      quiet = -1;
    }
    return true;
  }

  /** Reads behind `#end`: the number of bytes, 0 at the end. */
  async #fill(): Promise<number> {
    try {
      return await this.conn.read(this.#bytes.subarray(this.#end)) ?? 0;
    } catch { // closed by the engine or by us
      return 0;
    } finally {
      this.#cameAt = performance.now();
    }
  }

  async #take(coming: Promise<number>): Promise<boolean> {
    const size = await coming;
    this.#coming = null;
    this.#end += size;
    this.#taken += size;
    this.readAt = this.#cameAt;
    return size > 0;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#doubt?.removeEventListener("abort", this.#onAbort);
    try {
      this.conn.close();
    } catch { // the engine has closed it already
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Reads status and headers. False when the connection ended before. */
  async readHead(): Promise<boolean> {
    let filled = 0;
    while (true) {
      const size = await this.conn.read(this.#bytes.subarray(filled));
      if (size === null) return false;
      const from = Math.max(0, filled - 3);
      filled += size;
      const end = endOfHead(this.#bytes, from, filled);
      if (end >= 0) {
        this.#parseHead(end);
        this.#start = end;
        this.#end = filled;
        this.readAt = this.headAt = performance.now();
        return true;
      }
      if (filled > HEAD_LIMIT_BYTES) {
        throw engineError("engine_failed", "Cannot read the engine's answer: its head is too long");
      }
    }
  }

  #parseHead(end: number): void {
    const [first = "", ...lines] = latin1.decode(this.#bytes.subarray(0, end)).split("\r\n");
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(first);
    if (status === null) {
      throw engineError("engine_failed", "Cannot read the engine's answer: it is not HTTP");
    }
    this.status = Number(status[1]);
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).trim().toLowerCase();
      const value = line.slice(colon + 1).trim();
      if (name === "transfer-encoding" && /\bchunked\b/i.test(value)) this.framing = { kind: "chunked" };
      else if (name === "content-length" && /^\d{1,15}$/.test(value) && this.framing.kind === "close") {
        this.framing = { kind: "length", bytes: Number(value) };
      }
    }
  }

  /** The text of a refusal, as far as it comes within two seconds. */
  async readRefusal(): Promise<string> {
    const late = setTimeout(() => this.close(), REFUSAL_MS);
    let text = "";
    try {
      do {
        text += latin1.decode(this.#bytes.subarray(this.#start, this.#end));
        const wanted = this.framing.kind === "length" ? this.framing.bytes : REFUSAL_LIMIT_BYTES;
        if (text.length >= wanted || this.framing.kind === "chunked" && text.endsWith("0\r\n\r\n")) break;
      } while (await this.read());
    } finally {
      clearTimeout(late);
    }
    // A refusal has one chunk
    return this.framing.kind === "chunked"
      ? text.replace(/^[0-9a-f]+\r\n/i, "").replace(/\r\n0\r\n[\s\S]*$/, "")
      : text;
  }
}

const latin1 = new TextDecoder("latin1");
const encoder = new TextEncoder();

function endOfHead(bytes: Uint8Array, from: number, filled: number): number {
  for (let at = bytes.indexOf(CR, from); at >= 0 && at + 3 < filled; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === CR && bytes[at + 3] === 10) return at + 4;
  }
  return -1;
}

/** Sends the request and reads the head of the answer. Throws the engine's refusal as our own error. */
export async function openConnection(engine: Engine, request: ConnectionRequest): Promise<EngineConnection> {
  const target = await engine.target(request.path, request.query);
  request.signal.throwIfAborted();
  const conn = await engine.connect(request);
  const answer = new EngineConnection(conn, request, request.outlivesDoubt ? undefined : engine.doubt);
  let late = false;
  const deadline = setTimeout(() => {
    late = true;
    answer.close();
  }, FIRST_BYTE_MS);
  try {
    answer.askedAt = performance.now();
    await writeAll(answer.conn, encoder.encode(headOf(engine, target, request)));
    if (!await answer.readHead()) throw new Error("connection closed before the answer");
    const accepted = answer.status === 200 || answer.status === 101 && request.upgrade === true;
    if (!accepted) throw engine.refusal(answer.status, await answer.readRefusal(), request);
    if (request.upgrade) answer.framing = { kind: "close" };
    return answer;
  } catch (error) {
    answer.close();
    if (error instanceof ServiceError) throw error;
    request.signal.throwIfAborted();
    if (answer.isDoubtful) throw lost(engine, request);
    if (late) {
      throw engineError(
        "engine_timeout",
        `Cannot ${request.doing}: engine "${engine.name}" took too long to answer`,
      );
    }
    throw unreachable(engine.name, error, request);
  } finally {
    clearTimeout(deadline);
  }
}

/** The failure of what went over a connection that may be half open. */
export function lost(engine: Engine, { doing }: Subject): ServiceError {
  return engineError(
    "runtime_unavailable",
    `Cannot ${doing}: the connection to engine "${engine.name}" was lost`,
  );
}

function headOf(engine: Engine, target: string, request: ConnectionRequest): string {
  const body = request.body === undefined ? "" : JSON.stringify(request.body);
  const lines = [`${request.method} ${target} HTTP/1.1`, `Host: ${engine.host}`];
  if (request.upgrade) lines.push("Connection: Upgrade", "Upgrade: tcp");
  else lines.push("Connection: close");
  if (body !== "") lines.push("Content-Type: application/json");
  if (body !== "" || request.method === "POST") {
    lines.push(`Content-Length: ${encoder.encode(body).byteLength}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

export async function writeAll(conn: RawConnection, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) at += await conn.write(bytes.subarray(at));
}
