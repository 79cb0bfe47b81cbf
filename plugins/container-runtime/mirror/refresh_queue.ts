/** Runs one refresh at a time, so that a reader knows which refresh includes the changes known to it. */

/** `change`: something did change. `check`: it may have, and no reader waits for that. */
export type Need = "change" | "check";

export class RefreshQueue {
  #current: { readonly done: Promise<void>; changed: boolean } | null = null;
  #next: { readonly resolvers: PromiseWithResolvers<void>; changed: boolean } | null = null;

  /** `run` takes the pending changes in its first step, before it waits for anything. */
  constructor(private readonly run: () => Promise<void>) {}

  /** Whether every known change was read. */
  get settled(): boolean {
    return !this.#current?.changed && !this.#next?.changed;
  }

  need(need: Need): void {
    const changed = need === "change";
    if (this.#current === null) {
      const done = this.#begin();
      this.#current = { done, changed };
      return;
    }
    if (this.#next === null) {
      const resolvers = Promise.withResolvers<void>();
      resolvers.promise.catch(() => {}); // a rejection is for those who wait, if anybody does
      this.#next = { resolvers, changed };
    }
    this.#next.changed ||= changed;
  }

  /** Resolves when all changes known now were read; rejects if that refresh fails. */
  async fresh(): Promise<void> {
    if (this.#next?.changed) await this.#next.resolvers.promise;
    else if (this.#current?.changed) await this.#current.done;
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
      this.#current = { done: following, changed: next.changed };
      following.then(next.resolvers.resolve, next.resolvers.reject);
    });
    done.catch(() => {});
    return done;
  }
}
