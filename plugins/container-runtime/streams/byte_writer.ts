/** Bytes put together piece by piece and handed on in one go: one write per chunk, never one per line. */

const FIRST_BYTES = 256 * 1024;
const MOST_SPARE = 4;

/** A writer is empty whenever somebody waits, so that all of them share a few buffers. */
const spare: Uint8Array<ArrayBuffer>[] = [];
const NOTHING = new Uint8Array(0);

export class ByteWriter {
  /** Written directly by encoders, after `reserve`. */
  bytes: Uint8Array<ArrayBuffer> = NOTHING;
  length = 0;

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

  /** All that was written, as a copy of its own; the writer starts again with nothing. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.slice(0, this.length);
    this.length = 0;
    if (this.bytes.byteLength === FIRST_BYTES && spare.length < MOST_SPARE) spare.push(this.bytes);
    this.bytes = NOTHING;
    return taken;
  }
}

const encoder = new TextEncoder();
