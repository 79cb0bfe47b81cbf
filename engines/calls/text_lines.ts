/** Reads a stream of bytes as lines of text. */

/** Longer lines are dropped. */
export const MAX_LINE = 1024 * 1024;

/** Takes pieces cut anywhere and gives whole lines; a line beyond the limit is dropped. */
export class TextLines {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #dropping = false;

  push(chunk: Uint8Array): string[] {
    const pieces = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = pieces.pop() ?? "";
    if (this.#dropping && pieces.length > 0) {
      pieces.shift();
      this.#dropping = false;
    }
    if (this.#dropping || this.#rest.length > MAX_LINE) {
      this.#dropping = true;
      this.#rest = "";
    }
    return pieces;
  }

  /** Returns the last line, if it did not end. */
  end(): string[] {
    return this.push(NEWLINE).filter((line) => line !== "");
  }
}

const NEWLINE = new TextEncoder().encode("\n");
