/** One HTTP answer, taken from the bytes of a connection as they come: status and text. */
import { engineError } from "./errors.ts";

const MOST_HEAD = 32 * 1024;
const MOST_CHUNK_HEAD = 64;
const latin1 = new TextDecoder("latin1");

export class Answer {
  status = 0;
  text = "";
  /** All of it has come. */
  isWhole = false;
  /** The connection may serve another request. */
  isKept = false;
  readonly #decoder = new TextDecoder();
  #bytes: Uint8Array<ArrayBuffer> = EMPTY;
  #at = 0;
  #end = 0;
  /** Bytes of the body that are still to come; -1 in chunks, Infinity until the connection ends. */
  #left: number | null = null;
  #size = 0;

  constructor(private readonly maxBytes: number, private readonly doing: string) {}

  /** Takes bytes. Throws for what is no HTTP, and for a body that is too long. */
  add(bytes: Uint8Array): void {
    this.#append(bytes);
    if (this.#left === null && !this.#readHead()) return;
    if (this.#left === -1) this.#readChunks();
    else this.#readBody();
  }

  /** The connection has ended; whether the answer is whole then. */
  ended(): boolean {
    if (this.#left === Infinity && !this.isWhole) this.#finish();
    this.isKept = false;
    return this.isWhole;
  }

  #append(bytes: Uint8Array): void {
    if (this.#at === this.#end) this.#at = this.#end = 0;
    const needed = this.#end + bytes.byteLength;
    if (needed > this.#bytes.byteLength) {
      const rest = this.#bytes.subarray(this.#at, this.#end);
      const wider = new Uint8Array(Math.max(2 * (rest.byteLength + bytes.byteLength), 4 * 1024));
      wider.set(rest);
      this.#bytes = wider;
      this.#end -= this.#at;
      this.#at = 0;
    }
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.byteLength;
  }

  #readHead(): boolean {
    const text = latin1.decode(this.#bytes.subarray(this.#at, Math.min(this.#end, this.#at + MOST_HEAD)));
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) {
      if (this.#end - this.#at >= MOST_HEAD) throw this.#malformed("its head is too long");
      return false;
    }
    const head = text.slice(0, end);
    const [, version, status] = /^HTTP\/1\.([01]) (\d{3})/.exec(head) ?? [];
    if (status === undefined) throw this.#malformed("it is not HTTP");
    this.status = Number(status);
    this.#at += end + 4;
    this.isKept = version === "1" && !/^connection: *close\b/im.test(head);
    const length = /^content-length: *(\d{1,15})\s*$/im.exec(head)?.[1];
    if (this.status === 204 || this.status === 304) this.#left = 0;
    else if (/^transfer-encoding:.*\bchunked\s*$/im.test(head)) this.#left = -1;
    else this.#left = length === undefined ? Infinity : Number(length);
    if (this.#left !== Infinity) this.#count(Math.max(0, this.#left), false);
    return true;
  }

  #readBody(): void {
    const size = Math.min(this.#end - this.#at, this.#left!);
    if (this.#left === Infinity) this.#count(size);
    this.#take(size);
    this.#left! -= size;
    if (this.#left === 0) this.#finish();
  }

  #readChunks(): void {
    while (!this.isWhole) {
      const head = latin1.decode(
        this.#bytes.subarray(this.#at, Math.min(this.#end, this.#at + MOST_CHUNK_HEAD)),
      );
      const line = head.indexOf("\r\n");
      if (line < 0) {
        if (head.length >= MOST_CHUNK_HEAD) throw this.#malformed("a chunk's head is too long");
        return;
      }
      const digits = /^[0-9a-f]{1,8}(?=[\s;]|$)/i.exec(head.slice(0, line))?.[0];
      if (digits === undefined) throw this.#malformed("a chunk's length is not a number");
      const size = parseInt(digits, 16);
      if (this.#size + size > this.maxBytes) throw this.#tooLong();
      if (this.#end - this.#at < line + 2 + size + 2) return; // trailers are not asked for
      this.#at += line + 2;
      this.#count(size);
      this.#take(size);
      if (this.#bytes[this.#at] !== 13 || this.#bytes[this.#at + 1] !== 10) {
        throw this.#malformed("a chunk does not end where it said");
      }
      this.#at += 2;
      if (size === 0) this.#finish();
    }
  }

  #take(size: number): void {
    if (size > 0) {
      this.text += this.#decoder.decode(this.#bytes.subarray(this.#at, this.#at + size), { stream: true });
    }
    this.#at += size;
  }

  #count(size: number, isTaken = true): void {
    if (this.#size + size > this.maxBytes) throw this.#tooLong();
    if (isTaken) this.#size += size;
  }

  #finish(): void {
    this.text += this.#decoder.decode();
    this.isWhole = true;
    if (this.#at < this.#end) this.isKept = false; // more than was asked for
  }

  #tooLong(): Error {
    return engineError(
      "engine_failed",
      `Cannot ${this.doing}: the engine answered more than ${this.maxBytes} bytes`,
    );
  }

  #malformed(why: string): Error {
    return engineError("engine_failed", `Cannot ${this.doing}: the engine's answer cannot be read, ${why}`);
  }
}

const EMPTY = new Uint8Array(0);
