/** Refreshing one pass at a time, so that a reader knows which pass saw what was known when it asked. */

/** `sure`: something did change. Otherwise it is only a look whether it did, and no reader waits for that. */
export type Need = "change" | "check";

export class RefreshQueue {
  #current: { readonly done: Promise<void>; changed: boolean } | null = null;
  #next: { readonly resolvers: PromiseWithResolvers<void>; changed: boolean } | null = null;

  /** `run` takes what is dirty in its first step, before it waits for anything. */
  constructor(private readonly run: () => Promise<void>) {}

  /** Whether every change that is known was read. */
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
      resolvers.promise.catch(() => {}); // whoever waits learns of it; nobody has to
      this.#next = { resolvers, changed };
    }
    this.#next.changed ||= changed;
  }

  /** Resolves when all changes that are known now were read; rejects as the pass that should have. */
  async fresh(): Promise<void> {
    if (this.#next?.changed) await this.#next.resolvers.promise;
    else if (this.#current?.changed) await this.#current.done;
  }

  /** Resolves when nothing runs and nothing waits to. */
  async idle(): Promise<void> {
    while (this.#current !== null) {
      await (this.#next?.resolvers.promise ?? this.#current.done).catch(() => {});
    }
  }

  #begin(): Promise<void> {
    // Begun a moment later, so that one pass serves all marks of one chunk of events.
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
