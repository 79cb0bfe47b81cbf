/** Bytes put together piece by piece and handed on in one go: one write per chunk, never one per line. */

const FIRST_BYTES = 256 * 1024;
const MOST_SPARE = 2;

/** A writer is empty whenever somebody else has a turn, so that all of them share a few buffers. */
const spare: Uint8Array<ArrayBuffer>[] = [];
const NOTHING = new Uint8Array(0);

export class ByteWriter {
  /** Written directly by encoders, after `reserve`. */
  bytes: Uint8Array<ArrayBuffer> = NOTHING;
  length = 0;
  #settled: Uint8Array<ArrayBuffer> | null = null;

  /** Makes room for so many bytes more. */
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

  /** Keeps what was written in just the room it needs, so that the buffer is free for the next one's turn. */
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

  /** All that was written, as a copy of its own; the writer starts again with nothing. */
  take(): Uint8Array<ArrayBuffer> {
    this.settle();
    const taken = this.#settled ?? NOTHING;
    this.#settled = null;
    return taken;
  }
}

const encoder = new TextEncoder();
