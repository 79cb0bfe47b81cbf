/**
 * A connection that is greeted ahead. A change must not go over one that was used, since the runtime may repeat it, and
 * a new one over TLS answers its first request 40 ms late: two small packets of it wait for each other.
 */

/** Opens a connection; throws when the signal aborts before it stands. */
export type Open = (signal?: AbortSignal) => Promise<Deno.Conn>;

/** A connection on which nothing was sent; its first bytes are read already, so that its end is noticed. */
interface Fresh {
  readonly conn: Deno.Conn;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Resolves to the number of bytes that came; 0 at the end. */
  readonly first: Promise<number>;
}

const BUFFER_BYTES = 16 * 1024;

export class Spare implements Disposable {
  #ready: Fresh | null = null;
  /** Ends the opening of the next one. */
  #opening: AbortController | null = null;
  #isClosed = false;

  /** `open` greets. */
  constructor(private readonly open: Open) {}

  /** Opens the next one ahead, unless it is there. */
  prepare(): void {
    if (this.#ready !== null || this.#opening !== null || this.#isClosed) return;
    const opening = this.#opening = new AbortController();
    this.#fresh(opening.signal).then((fresh) => {
      if (opening.signal.aborted) return close(fresh.conn);
      this.#ready = fresh;
      const isOver = () => {
        if (this.#ready === fresh) this.drop();
      };
      fresh.first.then(isOver);
    }, () => {}).finally(() => { // who needs one meets the failure itself
      if (this.#opening === opening) this.#opening = null;
    });
  }

  /** The spare one, or a new one. Throws what opening throws. */
  async take(signal: AbortSignal): Promise<Fresh> {
    const ready = this.#ready;
    this.#ready = null;
    return ready ?? await this.#fresh(signal);
  }

  /** The spare one, and one that is being opened, may be half open or show an old certificate. */
  drop(): void {
    this.#opening?.abort();
    this.#opening = null;
    if (this.#ready !== null) close(this.#ready.conn);
    this.#ready = null;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.drop();
  }

  async #fresh(signal: AbortSignal): Promise<Fresh> {
    const conn = await this.open(signal);
    const bytes = new Uint8Array(BUFFER_BYTES);
    return { conn, bytes, first: conn.read(bytes).then((size) => size ?? 0, () => 0) };
  }
}

export function close(conn: Pick<Deno.Conn, "close">): void {
  try {
    conn.close();
  } catch { // the other end was first
  }
}
