/** Lines of logs in bounded memory: their text as bytes, what is known of each in typed arrays, the oldest let go. */
import type { Wanted } from "./wanted.ts";

export const KINDS = ["stdout", "stderr", "gap"] as const;
export type Kind = (typeof KINDS)[number];

export interface Line {
  /** Counts on from 0 over everything that was read; earlier ones that were read later are below 0. */
  readonly number: number;
  /** Milliseconds since 1970; NaN where it has none. */
  readonly time: number;
  readonly kind: Kind;
  /** The number of the line's source, if there are several. */
  readonly source: number;
  /** Of a gap, what is missing. */
  readonly text: string;
}

export interface Limits {
  readonly lines: number;
  readonly bytes: number;
}

/** A line that is not held yet. */
export type Earlier = Omit<Line, "number">;

/** Lines up to `to` are new, or have other numbers. */
export interface Moved {
  readonly from: number;
  readonly to: number;
  /** Returns the current number of a line. */
  readonly numberOf: (old: number) => number;
}

const UNMOVED: Moved = { from: 0, to: 0, numberOf: (old) => old };

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
  constructor(public first: number) {}

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
  #gone = 0;

  /** `onMore` is told of every line. */
  constructor(onMore: () => void, most = MOST) {
    this.#onMore = onMore;
    this.#most = most;
  }

  /** The number of the oldest line that is held. */
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

  /** The number of oldest lines that were dropped. */
  get gone(): number {
    return this.#gone;
  }

  /** The memory that all lines take, and the part of it that is text. */
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
      this.#gone += oldest.count;
    }
    this.#onMore();
  }

  /**
   * Adds lines that come before all those that are held, as far as the order of the times of different logs allows it:
   * lines of others may have to go before them. Null where there is no room.
   */
  addBefore(earlier: readonly Earlier[]): Moved | null {
    const [last] = earlier.slice(-1);
    if (last === undefined) return UNMOVED;
    if (this.#gone > 0 || this.length + earlier.length > this.#most.lines || this.#isTooMuch()) return null;
    const own = new Set(earlier.map(({ source }) => source));
    const before: Line[] = [];
    for (let number = this.first; number < this.end; number++) {
      const line = this.at(number)!; // it is held
      if (own.has(line.source) || !(line.time < last.time)) break;
      before.push(line);
    }
    this.#dropFirst(before.length);
    const end = this.first;
    let block = new Block(0);
    const blocks = [block];
    const put = ({ time, kind, source, text }: Earlier) => {
      if (block.isFull) blocks.push(block = new Block(0));
      block.add(time, kind, source, text.includes("\n") ? text.replaceAll("\n", "\u240a") : text);
    };
    const numbers: number[] = [];
    let [one, other] = [0, 0];
    const amount = earlier.length + before.length;
    while (one + other < amount) {
      const [next, held] = [earlier[one], before[other]];
      if (held !== undefined && (next === undefined || held.time < next.time)) {
        numbers.push(end - amount + one + other);
        other++;
        put(held);
      } else {
        one++;
        put(next!); // there are more of either
      }
    }
    let first = end;
    for (const made of blocks.toReversed()) {
      made.first = first -= made.count;
      made.seal();
      this.#sealedBytes += made.held;
      this.#textBytes += made.size;
      this.#blocks.unshift(made);
    }
    this.#onMore();
    const oldFirst = end - before.length;
    return { from: first, to: end, numberOf: (old) => old < end ? numbers[old - oldFirst] ?? old : old };
  }

  /** Takes so many lines from the beginning away; what is left of their block is a block of its own. */
  #dropFirst(amount: number): void {
    if (amount === 0) return;
    const end = this.first + amount;
    while (this.#blocks.length > 1 && this.#blocks[0]!.first + this.#blocks[0]!.count <= end) {
      const oldest = this.#blocks.shift()!;
      this.#sealedBytes -= oldest.held;
      this.#textBytes -= oldest.size;
    }
    const block = this.#blocks[0]!;
    if (block.first >= end) return;
    const isLast = this.#blocks.length === 1;
    const rest = new Block(end);
    for (let number = end; number < block.first + block.count; number++) {
      const { time, kind, source, text } = this.at(number)!; // it is held
      rest.add(time, kind, source, text);
    }
    this.#textBytes += rest.size - block.size;
    if (!isLast) {
      rest.seal();
      this.#sealedBytes += rest.held - block.held;
    }
    this.#blocks[0] = rest;
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

  /** The lines from this one on that are wanted, up to the end of one block at most, or about so long; and where to go on. */
  find(
    wanted: Wanted,
    from: number,
    ms: number,
  ): { readonly found: readonly number[]; readonly next: number } {
    const block = this.#blockOf(Math.max(from, this.first));
    if (block === null) return { found: [], next: this.end };
    const found: number[] = [];
    let index = Math.max(from, block.first) - block.first;
    const all = wanted.folded(decoder.decode(block.bytes.subarray(block.startOf(index), block.size)));
    const until = performance.now() + ms;
    for (let start = 0; start < all.length;) {
      if (start > 0 && performance.now() > until) return { found, next: block.first + index };
      const at = wanted.indexIn(all, start);
      if (at === -1) break;
      let end = all.indexOf("\n", start);
      for (; end < at; end = all.indexOf("\n", end + 1)) {
        index++;
        start = end + 1;
      }
      const kind = KINDS[block.kinds[index]!]!;
      if (kind !== "gap" && wanted.fits(all.slice(start, end), kind)) found.push(block.first + index);
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

/** Finds what is wanted in lines that become more, some at a time, so that nothing waits for it. */
export class Search {
  readonly #lines: Lines;
  readonly #wanted: Wanted;
  #next: number;
  /** Lines that came in before those that were looked at. */
  #before: { at: number; readonly from: number; readonly to: number; readonly found: number[] } | null = null;
  /** The numbers of the lines that hold it, as far as it has looked. */
  found: number[] = [];
  /** The number of matches that were dropped since, less those that came in before them. */
  gone = 0;

  constructor(lines: Lines, wanted: Wanted) {
    this.#lines = lines;
    this.#wanted = wanted;
    this.#next = lines.first;
  }

  /** Looks at lines that were added before the others, too. */
  lookBefore({ from, to }: Moved): void {
    this.#before = { at: from, from, to: Math.max(to, this.#before?.to ?? to), found: [] };
    this.#next = Math.max(this.#next, this.#before.to);
  }

  /** Looks on for about so long; whether there is more to look at. */
  step(ms: number): boolean {
    const until = performance.now() + ms;
    const left = () => until - performance.now();
    const lines = this.#lines;
    const kept = this.found.findIndex((number) => number >= lines.first);
    const lost = kept === -1 ? this.found.length : kept;
    this.gone += lost;
    if (lost > 0) this.found.splice(0, lost);
    const before = this.#before;
    while (before !== null && before.at < before.to && left() > 0) {
      const { found, next } = lines.find(this.#wanted, before.at, left());
      before.found.push(...found.filter((number) => number < before.to));
      before.at = next;
    }
    if (before !== null && before.at >= before.to) {
      const later = this.found.filter((number) => number >= before.to);
      this.gone -= before.found.length - (this.found.length - later.length);
      this.found = [...before.found, ...later];
      this.#before = null;
    }
    while (this.#next < lines.end && left() > 0) {
      const { found, next } = lines.find(this.#wanted, this.#next, left());
      for (const number of found) this.found.push(number);
      this.#next = next;
    }
    return this.#before !== null || this.#next < lines.end;
  }
}
