/** A list that many follow: each is told the rows that are another since they looked, however slow they read. */
import * as z from "../../core/schema.ts";
import type { Subscription } from "./feed.ts";
import {
  jsonMap,
  type JsonMembers,
  jsonMembers,
  jsonObject,
  type JsonText,
  jsonText,
  membersOf,
  NO_MEMBERS,
} from "../../core/json_text.ts";

/** A list: rows by their keys, and the fields beside them. */
export interface Listing {
  readonly rows: ReadonlyMap<string, JsonText>;
  readonly beside?: JsonMembers;
}

export interface ListSource {
  /** Returns the list as it is now; null if it cannot differ from the last reading. */
  read(isFirst: boolean): Listing | null | Promise<Listing | null>;
  /** The interval of readings while somebody follows. */
  readonly everyMs?: number;
}

const EVERY_MS = 100;
/** Reading takes a tenth of the time at most. */
const SHARE = 10;
/** The time for which a list without followers is kept for those that come back. */
const LINGER_MS = 60_000;
/** Removals that are remembered; who missed more gets the whole list. */
const MOST_REMOVED = 4_096;
/** A longer message goes in pieces. */
const PIECE_CHARACTERS = 64 * 1024;

/** The options of a feed of rows. */
export const ListAsked = z.object({
  since: z.string().max(100).optional().describe(
    "The last `cursor` seen: only what is another since then is told, if that is still known",
  ),
});

/** The message of a feed of rows. */
export function rowsMessage<Row extends z.ZodType>(row: Row, beside: z.ZodRawShape = {}) {
  return z.object({
    reset: z.literal(true).optional().describe("The client forgets what earlier messages said"),
    put: z.record(z.string(), row).describe("Rows that are new or another, by their keys"),
    removed: z.array(z.string()).describe("The keys of rows that are gone"),
    ...beside,
    cursor: z.string().optional().describe(
      "With the last piece of a change, for `since`: all pieces up to it count together",
    ),
  });
}

interface Row {
  readonly text: JsonText;
  /** The number of the change that it came with. */
  readonly seq: number;
}

/**
 * The pieces of one message for clients that know the list as of `from`; null for those that know nothing.
 */
interface Told {
  readonly from: number | null;
  readonly to: number;
  readonly pieces: readonly JsonMembers[];
}

export class LiveList implements Disposable {
  /** Of this very list: a cursor of another one, or of an earlier start, is not taken for its own. */
  readonly #id = crypto.randomUUID().slice(0, 18);
  readonly #source: ListSource;
  readonly #onIdle: () => void;
  readonly #rows = new Map<string, Row>();
  readonly #removed = new Map<string, number>();
  #seq = 0;
  /** A client below this has missed removals that are forgotten. */
  #floor = 0;
  #beside: { text: JsonMembers; seq: number } = { text: NO_MEMBERS, seq: 0 };
  #last: Told | null = null;
  #isRead = false;
  #reading: Promise<void> | null = null;
  #failure: { readonly reason: unknown } | null = null;
  #followers = 0;
  readonly #waiting = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(source: ListSource, onIdle: () => void = () => {}) {
    this.#source = source;
    this.#onIdle = onIdle;
  }

  /** Tells the subscription all rows, or those that are another since its cursor, and then every change. */
  async follow({ signal, tell, room }: Subscription, type: string, since?: string): Promise<void> {
    this.#followers++;
    let wake = () => {};
    const onAbort = () => wake();
    signal.addEventListener("abort", onAbort);
    try {
      if (this.#followers === 1 || !this.#isRead) await this.#look();
      let at = this.#resumed(since);
      while (!signal.aborted) {
        if (this.#failure !== null) throw this.#failure.reason;
        if (at === this.#seq) {
          await new Promise<void>((resolve) => this.#waiting.add(wake = resolve));
          this.#waiting.delete(wake);
          continue;
        }
        await room();
        const told = this.#told(at);
        for (const piece of told.pieces) {
          await room();
          if (signal.aborted) return;
          tell(type, piece);
        }
        at = told.to;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#followers--;
      if (this.#followers === 0) this.#schedule();
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #resumed(since: string | undefined): number | null {
    const dot = since?.lastIndexOf(".") ?? -1;
    if (since === undefined || since.slice(0, dot) !== this.#id) return null;
    const seq = Number(since.slice(dot + 1));
    return Number.isInteger(seq) && seq >= this.#floor && seq <= this.#seq ? seq : null;
  }

  /** Reads, once for all who ask meanwhile. */
  #look(): Promise<void> {
    return this.#reading ??= this.#read().finally(() => this.#reading = null);
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer);
    const began = performance.now();
    try {
      const listing = await this.#source.read(!this.#isRead);
      this.#failure = null;
      this.#isRead = true;
      if (listing !== null) this.#take(listing);
    } catch (reason) {
      this.#failure = { reason };
      this.#wakeAll();
    }
    this.#schedule((performance.now() - began) * SHARE);
  }

  #schedule(atLeastMs = 0): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    if (this.#followers === 0) {
      this.#timer = setTimeout(() => this.#onIdle(), LINGER_MS);
    } else {
      const { everyMs = EVERY_MS } = this.#source;
      this.#timer = setTimeout(() => void this.#look(), Math.max(everyMs, atLeastMs));
    }
  }

  #take({ rows, beside = NO_MEMBERS }: Listing): void {
    const seq = this.#seq + 1;
    let isOther = this.#seq === 0;
    for (const [key, text] of rows) {
      if (this.#rows.get(key)?.text === text) continue;
      this.#rows.set(key, { text, seq });
      this.#removed.delete(key);
      isOther = true;
    }
    if (this.#rows.size > rows.size) {
      isOther = true;
      for (const key of this.#rows.keys()) {
        if (rows.has(key)) continue;
        this.#rows.delete(key);
        this.#removed.set(key, seq);
      }
      this.#forget();
    }
    if (beside !== this.#beside.text) {
      this.#beside = { text: beside, seq };
      isOther = true;
    }
    if (!isOther) return;
    this.#seq = seq;
    this.#wakeAll();
  }

  #forget(): void {
    for (const [key, seq] of this.#removed) { // in the order of their numbers
      if (this.#removed.size <= MOST_REMOVED) return;
      this.#removed.delete(key);
      this.#floor = seq;
    }
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Nearly all who follow know the same, so that the last message is theirs too. */
  #told(known: number | null): Told {
    const from = known !== null && known >= this.#floor ? known : null;
    if (this.#last?.to === this.#seq && this.#last.from === from) return this.#last;
    return this.#last = { from, to: this.#seq, pieces: this.#pieces(from) };
  }

  #pieces(from: number | null): JsonMembers[] {
    const pieces: JsonMembers[] = [];
    let put: [key: string, text: JsonText][] = [];
    let size = 0;
    const piece = (removed: readonly string[], others: Readonly<Record<string, JsonText>> = {}) => ({
      ...(from === null && pieces.length === 0 && { reset: jsonText(true) }),
      put: jsonMap(put),
      removed: jsonText(removed),
      ...others,
    });
    for (const [key, { text, seq }] of this.#rows) {
      if (from !== null && seq <= from) continue;
      if (size > 0 && size + text.length > PIECE_CHARACTERS) {
        pieces.push(jsonMembers(piece([])));
        put = [];
        size = 0;
      }
      put.push([key, text]);
      size += text.length + key.length;
    }
    const removed = from === null
      ? []
      : [...this.#removed].filter(([, seq]) => seq > from).map(([key]) => key);
    const { text, seq } = this.#beside;
    const last = piece(removed, { cursor: jsonText(`${this.#id}.${this.#seq}`) });
    pieces.push(membersOf(jsonObject(jsonMembers(last), from === null || seq > from ? text : NO_MEMBERS)));
    return pieces;
  }
}

/** The lists of one feed, by what their followers see. */
export class LiveLists implements Disposable {
  readonly #lists = new Map<string, LiveList>();

  /** The list of this key, made by the first who follows it. */
  of(key: string, source: () => ListSource): LiveList {
    let list = this.#lists.get(key);
    if (list === undefined) {
      const made = list = new LiveList(source(), () => {
        made[Symbol.dispose]();
        this.#lists.delete(key);
      });
      this.#lists.set(key, list);
    }
    return list;
  }

  [Symbol.dispose](): void {
    for (const list of this.#lists.values()) list[Symbol.dispose]();
    this.#lists.clear();
  }
}
