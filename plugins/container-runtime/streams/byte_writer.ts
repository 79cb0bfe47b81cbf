/** Bytes put together piece by piece and handed on in one go: one write per chunk, never one per line. */

const FIRST_BYTES = 64 * 1024;

export class ByteWriter {
  /** Written directly by encoders, after `reserve`. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_BYTES);
  length = 0;

  /** Makes room for so many bytes more. */
  reserve(size: number): void {
    const needed = this.length + size;
    if (needed <= this.bytes.byteLength) return;
    const wider = new Uint8Array(Math.max(needed, this.bytes.byteLength * 2));
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

  /** All that was written, as a copy of its own; the writer starts again and keeps its room, up to a bound. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.slice(0, this.length);
    this.length = 0;
    if (this.bytes.byteLength > 16 * FIRST_BYTES) this.bytes = new Uint8Array(FIRST_BYTES);
    return taken;
  }
}

const encoder = new TextEncoder();
