/** The room in the queue of one socket, which its subscriptions share. */

/** The bytes that one which was let through may be about to send. */
const MESSAGE_BYTES = 128 * 1024;

/** A socket, as far as its queue is concerned. */
interface Queue {
  readonly queuedBytes: number;
  /** Aborted when it is over. */
  readonly signal: AbortSignal;
  drained(belowBytes: number): Promise<void>;
}

/**
 * Lets those that wait for room through in turn. All would send at once otherwise, when the queue is short again, and
 * together more than it takes.
 */
export class Room {
  readonly #socket: Queue;
  /** Subscriptions that were let through in this turn of the event loop: they send before the next one. */
  readonly #passing = new Set<AbortSignal>();
  #passed: Promise<void> = Promise.resolve();
  /** The last of those that wait, by the length of the queue that they wait for. */
  readonly #lines = new Map<number, Promise<void>>();

  constructor(socket: Queue) {
    this.#socket = socket;
  }

  /** Resolves when it is the subscription's turn and at most this much waits, or when it or the socket is over. */
  async take(belowBytes: number, subscription: AbortSignal): Promise<void> {
    const before = this.#lines.get(belowBytes) ?? Promise.resolve();
    const turn = before.then(() => this.#turn(belowBytes, subscription));
    this.#lines.set(belowBytes, turn);
    await unlessOver(turn, subscription);
  }

  async #turn(belowBytes: number, subscription: AbortSignal): Promise<void> {
    while (!subscription.aborted && !this.#socket.signal.aborted) {
      const { queuedBytes } = this.#socket;
      const others = this.#passing.size - (this.#passing.has(subscription) ? 1 : 0);
      if (queuedBytes + others * MESSAGE_BYTES <= belowBytes) return this.#pass(subscription);
      await (queuedBytes > belowBytes
        ? unlessOver(this.#socket.drained(belowBytes), subscription)
        : this.#passed);
    }
  }

  #pass(subscription: AbortSignal): void {
    if (this.#passing.size === 0) {
      this.#passed = new Promise((resolve) =>
        setTimeout(() => {
          this.#passing.clear();
          resolve();
        })
      );
    }
    this.#passing.add(subscription);
  }
}

/** Resolves with the work, or when the signal aborts. */
async function unlessOver(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort);
  await Promise.race([work, promise]);
  signal.removeEventListener("abort", onAbort);
}
