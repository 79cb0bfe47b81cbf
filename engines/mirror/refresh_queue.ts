/** Runs one refresh at a time, so that a reader knows which refresh includes the changes known to it. */

/** `own`: berth changed something. `change`: somebody did. `check`: it may have changed, and no reader waits for that. */
export type Need = "own" | "change" | "check";

export class RefreshQueue {
  #current: { readonly done: Promise<void>; changed: boolean; own: boolean } | null = null;
  #next: { readonly resolvers: PromiseWithResolvers<void>; changed: boolean; own: boolean } | null = null;

  /** `run` takes the pending changes in its first step, before it waits for anything. */
  constructor(private readonly run: () => Promise<void>) {}

  /** True if every known change was read. */
  get settled(): boolean {
    return !this.#current?.changed && !this.#next?.changed;
  }

  need(need: Need): void {
    const changed = need !== "check";
    const own = need === "own";
    if (this.#current === null) {
      const done = this.#begin();
      this.#current = { done, changed, own };
      return;
    }
    if (this.#next === null) {
      const resolvers = Promise.withResolvers<void>();
      resolvers.promise.catch(() => {}); // a rejection is for those who wait, if anybody does
      this.#next = { resolvers, changed, own };
    }
    this.#next.changed ||= changed;
    this.#next.own ||= own;
  }

  /** Resolves when all changes known now were read; rejects if that refresh fails. */
  async fresh(): Promise<void> {
    if (this.#next?.changed) await this.#next.resolvers.promise;
    else if (this.#current?.changed) await this.#current.done;
  }

  /** The same for the changes that berth itself made. */
  async freshOwn(): Promise<void> {
    if (this.#next?.own) await this.#next.resolvers.promise;
    else if (this.#current?.own) await this.#current.done;
  }

  /** Resolves when no refresh runs or waits. */
  async idle(): Promise<void> {
    while (this.#current !== null) {
      await (this.#next?.resolvers.promise ?? this.#current.done).catch(() => {});
    }
  }

  #begin(): Promise<void> {
    // Starts a moment later, so that one refresh serves all events of one chunk.
    const done = Promise.resolve().then(this.run).finally(() => {
      const next = this.#next;
      this.#next = null;
      this.#current = null;
      if (next === null) return;
      const following = this.#begin();
      this.#current = { done: following, changed: next.changed, own: next.own };
      following.then(next.resolvers.resolve, next.resolvers.reject);
    });
    done.catch(() => {});
    return done;
  }
}
