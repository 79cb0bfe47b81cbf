/** Lines of logs in bounded memory: their text as bytes, what is known of each in typed arrays, the oldest let go. */

export const KINDS = ["stdout", "stderr", "gap"] as const;
export type Kind = (typeof KINDS)[number];

export interface Line {
  /** Counts on from 0 over everything that was read. */
  readonly number: number;
  /** Milliseconds since 1970; NaN where it has none. */
  readonly time: number;
  readonly kind: Kind;
  /** Whose line it is, where there are several. */
  readonly source: number;
  /** Of a gap, what is missing. */
  readonly text: string;
}

export interface Limits {
  readonly lines: number;
  readonly bytes: number;
}

const MOST: Limits = { lines: 1_000_000, bytes: 128 * 1024 * 1024 };
const LINES_PER_BLOCK = 4_096;
/** Long lines fill a block earlier, so that no single one holds much. */
const BYTES_PER_BLOCK = 1024 * 1024;
const FIRST_BYTES = 64 * 1024;
const NEWLINE = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Some thousand lines in a row. Their text is one piece, each line ended by a newline. */
class Block {
  bytes = new Uint8Array(FIRST_BYTES);
  ends = new Uint32Array(LINES_PER_BLOCK);
  times = new Float64Array(LINES_PER_BLOCK);
  kinds = new Uint8Array(LINES_PER_BLOCK);
  sources = new Uint16Array(LINES_PER_BLOCK);
  count = 0;
  size = 0;

  /** `first` is the number of its first line. */
  constructor(readonly first: number) {}

  get isFull(): boolean {
    return this.count === LINES_PER_BLOCK || this.size >= BYTES_PER_BLOCK;
  }

  get held(): number {
    const { bytes, ends, times, kinds, sources } = this;
    return [bytes, ends, times, kinds, sources].reduce((all, { byteLength }) => all + byteLength, 0);
  }

  add(time: number, kind: Kind, source: number, text: string): void {
    const room = this.size + text.length * 3 + 1;
    if (room > this.bytes.byteLength) {
      const grown = new Uint8Array(Math.max(room, this.bytes.byteLength * 2));
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    }
    const { written } = encoder.encodeInto(text, this.bytes.subarray(this.size));
    this.size += written;
    this.bytes[this.size++] = NEWLINE;
    this.ends[this.count] = this.size;
    this.times[this.count] = time;
    this.kinds[this.count] = KINDS.indexOf(kind);
    this.sources[this.count] = source;
    this.count++;
  }

  /** Nothing more comes: room that was kept for it is given back. */
  seal(): void {
    this.bytes = this.bytes.slice(0, this.size);
    if (this.count === LINES_PER_BLOCK) return;
    this.ends = this.ends.slice(0, this.count);
    this.times = this.times.slice(0, this.count);
    this.kinds = this.kinds.slice(0, this.count);
    this.sources = this.sources.slice(0, this.count);
  }

  startOf(index: number): number {
    return index === 0 ? 0 : this.ends[index - 1]!;
  }
}

export class Lines {
  readonly #most: Limits;
  readonly #onMore: () => void;
  #blocks: Block[] = [new Block(0)];
  /** Of all but the last block. */
  #sealedBytes = 0;
  #textBytes = 0;

  /** `onMore` is told of every line. */
  constructor(onMore: () => void, most = MOST) {
    this.#onMore = onMore;
    this.#most = most;
  }

  /** The number of the oldest line that is held: as many were let go. */
  get first(): number {
    return this.#blocks[0]!.first;
  }

  /** The number that the next line gets. */
  get end(): number {
    const last = this.#blocks.at(-1)!;
    return last.first + last.count;
  }

  get length(): number {
    return this.end - this.first;
  }

  /** What all of it takes in memory, and how much of that is text. */
  get bytes(): { readonly held: number; readonly text: number } {
    return { held: this.#sealedBytes + this.#blocks.at(-1)!.held, text: this.#textBytes };
  }

  add(time: number, kind: Kind, source: number, text: string): void {
    let last = this.#blocks.at(-1)!;
    if (last.isFull) {
      last.seal();
      this.#sealedBytes += last.held;
      last = new Block(this.end);
      this.#blocks.push(last);
    }
    const before = last.size;
    last.add(time, kind, source, text.includes("\n") ? text.replaceAll("\n", "\u240a") : text);
    this.#textBytes += last.size - before;
    while (this.#blocks.length > 1 && this.#isTooMuch()) {
      const oldest = this.#blocks.shift()!;
      this.#sealedBytes -= oldest.held;
      this.#textBytes -= oldest.size;
    }
    this.#onMore();
  }

  #isTooMuch(): boolean {
    return this.length > this.#most.lines || this.#sealedBytes > this.#most.bytes;
  }

  at(number: number): Line | null {
    const block = this.#blockOf(number);
    if (block === null) return null;
    const index = number - block.first;
    const { bytes, times, kinds, sources } = block;
    return {
      number,
      time: times[index]!,
      kind: KINDS[kinds[index]!]!,
      source: sources[index]!,
      text: decoder.decode(bytes.subarray(block.startOf(index), block.ends[index]! - 1)),
    };
  }

  /** The lines from this one on that hold the text, in any case, up to the end of one block; and where to go on. */
  find(lowered: string, from: number): { readonly found: readonly number[]; readonly next: number } {
    const block = this.#blockOf(Math.max(from, this.first));
    if (block === null) return { found: [], next: this.end };
    const found: number[] = [];
    let index = Math.max(from, block.first) - block.first;
    const all = decoder.decode(block.bytes.subarray(block.startOf(index), block.size)).toLowerCase();
    for (let start = 0; start < all.length;) {
      const at = all.indexOf(lowered, start);
      if (at === -1) break;
      let end = all.indexOf("\n", start);
      for (; end < at; end = all.indexOf("\n", end + 1)) index++;
      if (block.kinds[index] !== KINDS.indexOf("gap")) found.push(block.first + index);
      index++;
      start = end + 1;
    }
    return { found, next: block.first + block.count };
  }

  /** All that is held, piece by piece; text as it came, gaps left out. */
  *texts(): Generator<Line> {
    for (let number = this.first; number < this.end; number++) {
      const line = this.at(number);
      if (line !== null && line.kind !== "gap") yield line;
    }
  }

  #blockOf(number: number): Block | null {
    if (number < this.first || number >= this.end) return null;
    let [low, high] = [0, this.#blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#blocks[middle]!.first <= number) low = middle;
      else high = middle - 1;
    }
    return this.#blocks[low]!;
  }
}

/** Finds a text in lines that become more, some at a time, so that nothing waits for it. */
export class Search {
  readonly #lines: Lines;
  readonly #lowered: string;
  #next: number;
  /** The numbers of the lines that hold it, as far as it has looked. */
  found: number[] = [];

  constructor(lines: Lines, text: string) {
    this.#lines = lines;
    this.#lowered = text.toLowerCase();
    this.#next = lines.first;
  }

  /** How many were found and have been let go since. */
  gone = 0;

  /** Looks on for about so long; whether there is more to look at. */
  step(ms: number): boolean {
    const until = performance.now() + ms;
    const kept = this.found.findIndex((number) => number >= this.#lines.first);
    const lost = kept === -1 ? this.found.length : kept;
    this.gone += lost;
    if (lost > 0) this.found.splice(0, lost);
    while (this.#next < this.#lines.end && performance.now() < until) {
      const { found, next } = this.#lines.find(this.#lowered, this.#next);
      for (const number of found) this.found.push(number);
      this.#next = next;
    }
    return this.#next < this.#lines.end;
  }
}
