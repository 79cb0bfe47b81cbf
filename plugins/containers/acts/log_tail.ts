/** The end of a log, however much is read of it: one line may have any length. */

const MOST_BYTES = 64 * 1024;

export class LogTail {
  #bytes = new Uint8Array(MOST_BYTES);
  #length = 0;
  #isCut = false;

  /** True if there was more than is kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  take(bytes: Uint8Array, from: number, to: number): void {
    const part = bytes.subarray(Math.max(from, to - MOST_BYTES), to);
    if (part.length < to - from) this.#isCut = true;
    if (this.#length + part.length > this.#bytes.length) this.#makeRoom(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  /** Returns the text. One that is cut begins with a whole line or word: half a secret would not be recognised. */
  text(): string {
    const kept = this.#bytes.subarray(Math.max(0, this.#length - MOST_BYTES), this.#length);
    const text = new TextDecoder().decode(kept);
    if (!this.isCut && this.#length <= MOST_BYTES) return text;
    this.#isCut = true;
    const head = text.slice(0, MOST_BYTES / 8);
    const line = head.indexOf("\n");
    const end = line >= 0 ? line : head.search(/\s/);
    return text.slice(end >= 0 ? end + 1 : head.length);
  }

  /** Doubles the buffer once, and then moves the end to its beginning, once per 64 KiB. */
  #makeRoom(more: number): void {
    const kept = Math.min(this.#length, MOST_BYTES);
    const from = this.#length - kept;
    if (from > 0) this.#isCut = true;
    const next = this.#bytes.length >= kept + more ? this.#bytes : new Uint8Array(2 * MOST_BYTES);
    next.set(this.#bytes.subarray(from, this.#length));
    this.#bytes = next;
    this.#length = kept;
  }
}
