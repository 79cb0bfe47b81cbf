/** The calls of one client that are under way, and one timer for all: one a call costs a tenth of a `fetch`. */

/** A call, as seen by those who may end it early. */
export interface Ending {
  /** Its time has run out. */
  expire(ms: number): void;
}

/** Calls in the order in which they began, each with the time it has. */
export class Running<Call extends Ending> {
  readonly #ms: number;
  readonly #due: Map<Call, number> = new Map();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(call: Call): void {
    this.#due.set(call, performance.now() + this.#ms);
    this.#timer ??= setTimeout(this.#ring, this.#ms);
  }

  /** From now on it takes as long as it takes. */
  exempt(call: Call): void {
    this.#due.set(call, Infinity);
  }

  delete(call: Call): void {
    this.#due.delete(call);
    this.#rest(9);
  }

  [Symbol.iterator](): Iterator<Call> {
    return this.#due.keys();
  }

  /** Stops the timer unless the next call begins within a few microtasks, as it does in a loop. */
  #rest(patience: number): void {
    if (this.#due.size) return;
    if (patience) return queueMicrotask(() => this.#rest(patience - 1));
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #ring = (): void => {
    this.#timer = undefined;
    for (const [call, due] of this.#due) {
      const ms = due - performance.now();
      if (ms === Infinity) continue;
      // Timers may be early by a part of a millisecond.
      if (ms >= 1) return void (this.#timer = setTimeout(this.#ring, ms));
      call.expire(this.#ms);
    }
  };
}
