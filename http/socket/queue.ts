/** The bounded queue before a WebSocket: `send()` of the runtime never blocks, so what may wait is counted here. */

const QUEUE_LIMIT_BYTES = 1024 * 1024;
/** The bytes that the runtime itself may hold: those it has taken cannot be dropped any more. */
const WINDOW_BYTES = 256 * 1024;
const FIRST_LOOK_MS = 1;
const LAST_LOOK_MS = 32;

export type Message = string | Uint8Array<ArrayBuffer>;

/** The part of a WebSocket that the queue writes to. */
interface Wire {
  readonly bufferedAmount: number;
  send(message: Message): void;
}

interface Waiting {
  readonly message: Message;
  readonly size: number;
}

const encoder = new TextEncoder();

/**
 * Hands messages to the wire in order and keeps at most `limitBytes` of them, those that the wire has not
 * sent yet included. The runtime tells nobody when its buffer empties, so a queue that waits looks again
 * after 1 ms, and ever more rarely while nothing moves.
 */
export class SendQueue {
  readonly #wire: Wire;
  readonly #limitBytes: number;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lookMs = FIRST_LOOK_MS;
  #lastBuffered = 0;
  #drains: { readonly belowBytes: number; readonly resolve: () => void }[] = [];

  constructor(wire: Wire, limitBytes = QUEUE_LIMIT_BYTES) {
    this.#wire = wire;
    this.#limitBytes = limitBytes;
  }

  /** All that is accepted and not sent, in bytes. */
  get bytes(): number {
    return this.#waitingBytes + this.#wire.bufferedAmount;
  }

  /** Takes a message, or refuses it because with it more than the limit would wait. */
  offer(message: Message): boolean {
    const buffered = this.#wire.bufferedAmount;
    if (typeof message === "string" && this.#waiting.length === 0) {
      // The usual case, for which nobody needs to count the bytes of a text: three a unit are the most it can have
      if (buffered + message.length * 3 <= Math.min(WINDOW_BYTES, this.#limitBytes)) {
        this.#wire.send(message);
        return true;
      }
    }
    const size = typeof message === "string" ? encoder.encode(message).byteLength : message.byteLength;
    if (this.#waitingBytes + buffered + size > this.#limitBytes) return false;
    if (this.#waiting.length === 0 && (buffered === 0 || buffered + size <= WINDOW_BYTES)) {
      this.#wire.send(message);
      return true;
    }
    this.#waiting.push({ message, size });
    this.#waitingBytes += size;
    this.#watch();
    return true;
  }

  /** Resolves as soon as no more than `belowBytes` wait, or the queue is cleared. */
  drained(belowBytes = 0): Promise<void> {
    if (this.bytes <= belowBytes) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drains.push({ belowBytes, resolve });
    this.#watch();
    return promise;
  }

  /** Drops what waits and lets go of everybody who waits for it; says how many messages were dropped. */
  clear(): number {
    const dropped = this.#waiting.length;
    this.#waiting = [];
    this.#waitingBytes = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { resolve } of this.#drains.splice(0)) resolve();
    return dropped;
  }

  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#move();
    }, this.#lookMs);
  }

  #move(): void {
    const buffered = this.#wire.bufferedAmount;
    this.#lookMs = buffered < this.#lastBuffered || buffered === 0
      ? FIRST_LOOK_MS
      : Math.min(this.#lookMs * 2, LAST_LOOK_MS);
    let sent = 0;
    for (const { message, size } of this.#waiting) {
      const before = this.#wire.bufferedAmount;
      if (before > 0 && before + size > WINDOW_BYTES) break;
      this.#wire.send(message);
      this.#waitingBytes -= size;
      sent++;
    }
    if (sent > 0) this.#waiting.splice(0, sent);
    this.#lastBuffered = this.#wire.bufferedAmount;
    const waits = this.bytes;
    this.#drains = this.#drains.filter(({ belowBytes, resolve }) => {
      if (waits <= belowBytes) resolve();
      return waits > belowBytes;
    });
    if (this.#waiting.length > 0 || this.#drains.length > 0) this.#watch();
  }
}
