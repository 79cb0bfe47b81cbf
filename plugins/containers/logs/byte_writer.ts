/** Collects bytes and hands them on in one piece: one write per chunk instead of one per line. */

const FIRST_BYTES = 256 * 1024;
const MOST_SPARE = 2;

/** A writer is empty between turns of the event loop, so all writers share a few buffers. */
const spare: Uint8Array<ArrayBuffer>[] = [];
const NOTHING = new Uint8Array(0);

export class ByteWriter {
  /** Encoders write into it directly, after `reserve`. */
  bytes: Uint8Array<ArrayBuffer> = NOTHING;
  length = 0;
  #settled: Uint8Array<ArrayBuffer> | null = null;

  /** Makes room for `size` more bytes. */
  reserve(size: number): void {
    const needed = this.length + size;
    if (needed <= this.bytes.byteLength) return;
    const wider = needed <= FIRST_BYTES
      ? spare.pop() ?? new Uint8Array(FIRST_BYTES)
      : new Uint8Array(Math.max(needed, this.bytes.byteLength * 2));
    wider.set(this.bytes.subarray(0, this.length));
    this.bytes = wider;
  }

  write(from: Uint8Array, start = 0, end = from.byteLength): void {
    const size = end - start;
    this.reserve(size);
    this.bytes.set(start === 0 && end === from.byteLength ? from : from.subarray(start, end), this.length);
    this.length += size;
  }

  text(text: string): void {
    this.write(encoder.encode(text));
  }

  get isEmpty(): boolean {
    return this.length === 0 && this.#settled === null;
  }

  /** Copies what was written into a buffer of its size, and returns the shared buffer. */
  settle(): void {
    if (this.length === 0) return;
    const before = this.#settled;
    const after = this.bytes.subarray(0, this.length);
    if (before === null) this.#settled = after.slice();
    else {
      this.#settled = new Uint8Array(before.byteLength + after.byteLength);
      this.#settled.set(before);
      this.#settled.set(after, before.byteLength);
    }
    this.length = 0;
    if (this.bytes.byteLength === FIRST_BYTES && spare.length < MOST_SPARE) spare.push(this.bytes);
    this.bytes = NOTHING;
  }

  /** Returns all that was written, as a copy, and empties the writer. */
  take(): Uint8Array<ArrayBuffer> {
    this.settle();
    const taken = this.#settled ?? NOTHING;
    this.#settled = null;
    return taken;
  }
}

const encoder = new TextEncoder();
