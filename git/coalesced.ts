/** Work that many ask for: one runs and one waits, which all others share, so that each sees what was there when it asked. */
export class Coalesced<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | null = null;
  #queued: Promise<T> | null = null;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  run(): Promise<T> {
    if (this.#running === null) return this.#begin();
    return this.#queued ??= this.#running.catch(() => {}).then(() => {
      this.#queued = null;
      return this.#begin();
    });
  }

  #begin(): Promise<T> {
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    return this.#running = running;
  }
}
