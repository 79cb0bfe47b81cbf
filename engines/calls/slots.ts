/** Limits the calls at a time: Deno panics when it runs out of file descriptors. */
import { engineError } from "./errors.ts";

export class Slots {
  readonly #waiting: { readonly enter: () => void }[] = [];
  #free: number;

  constructor(readonly limit: number, private readonly maxWaiting: number) {
    this.#free = limit;
  }

  get used(): number {
    return this.limit - this.#free;
  }

  /** Waits for a slot, at most until `signal` aborts. Throws `engine_busy` when too many wait already. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#leave();
        held = false;
      },
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.maxWaiting) {
      throw engineError(
        "engine_busy",
        "Cannot ask the engine: too many calls wait for it already, try again later",
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { enter: resolve };
    this.#waiting.push(waiter);
    const leave = () => {
      const index = this.#waiting.indexOf(waiter);
      if (index >= 0) this.#waiting.splice(index, 1);
      reject(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next.enter();
  }
}
