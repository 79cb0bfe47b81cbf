/** Waits: a latch that somebody opens, a promise for a limited time, and one that a signal cuts short. */

/** Lets callers pass while it is open and holds them while it is closed. */
export class Latch {
  #waiting = Promise.withResolvers<void>();
  #isOpen: boolean;

  constructor(state: "open" | "closed" = "closed") {
    this.#isOpen = state === "open";
    if (this.#isOpen) this.#waiting.resolve();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves once it is open, or at the next `wake`. */
  get opened(): Promise<void> {
    return this.#waiting.promise;
  }

  open(): void {
    this.#isOpen = true;
    this.#waiting.resolve();
  }

  close(): void {
    if (this.#isOpen) this.#waiting = Promise.withResolvers();
    this.#isOpen = false;
  }

  /** Lets those pass who wait now and holds those who come later. */
  wake(): void {
    this.#waiting.resolve();
    this.#isOpen = false;
    this.#waiting = Promise.withResolvers();
  }
}

/** Returns the promise's value, or `late` after `ms`; what becomes of the promise then is nobody's error. */
export async function within<T, L>(promise: Promise<T>, ms: number, late: L): Promise<T | L> {
  const { promise: time, resolve } = Promise.withResolvers<L>();
  const timer = setTimeout(() => resolve(late), ms);
  promise.catch(() => {});
  try {
    return await Promise.race([promise, time]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the promise's value. Throws the signal's reason as soon as it aborts. */
export async function orAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal?.removeEventListener("abort", abort);
    promise.catch(() => {});
    aborted.promise.catch(() => {});
  }
}
