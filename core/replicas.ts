/** The replicas that share a store: this one says every few seconds that it lives, and knows how many others do. */
import type { Log } from "./log.ts";
import { pause } from "./pause.ts";
import type { ReplicaRecord, ReplicaStore } from "./store.ts";
import { textHash } from "./text_hash.ts";

/** The time between two heartbeats, of which a dead replica has missed four. */
const SEEN_MS = 5_000;
/** One that failed is repeated after this part of that time. */
const REPEATED = 1 / 5;

interface ReplicasOptions {
  /** Null: one process has the store for itself. */
  readonly store: ReplicaStore | null;
  readonly self: Omit<ReplicaRecord, "seenAt">;
  readonly log: Log;
  /** Another time between two heartbeats. */
  readonly seenMs?: number;
}

export class Replicas implements AsyncDisposable {
  readonly #options: ReplicasOptions;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  #count = 1;

  private constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Returns once the others can see this one. Throws `store_unavailable`. */
  static async join(options: ReplicasOptions): Promise<Replicas> {
    await options.store?.seen(options.self);
    return new Replicas(options);
  }

  get self(): Omit<ReplicaRecord, "seenAt"> {
    return this.#options.self;
  }

  /** The number of known live replicas: at least this one. */
  get count(): number {
    return this.#count;
  }

  /**
   * Takes a lease on work that one replica does at a time. No other replica gets it within `ms`, unless this
   * one dies before. Throws `store_unavailable`.
   */
  async turn(what: string, ms: number): Promise<boolean> {
    const { store, self } = this.#options;
    return store === null || await store.turn(what, self.id, ms);
  }

  /** Returns the live replicas, the oldest first. Throws `store_unavailable`. */
  async list(): Promise<ReplicaRecord[]> {
    const { store, self } = this.#options;
    return store === null ? [{ ...self, seenAt: Date.now() }] : await store.list();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#running;
    // A store that is away forgets it by itself.
    await this.#options.store?.gone(this.#options.self.id).catch(() => {});
  }

  async #run(): Promise<void> {
    const { store, self, log, seenMs = SEEN_MS } = this.#options;
    if (store === null) return;
    let isFailing = false;
    for (let isTold = true; !this.#over.signal.aborted; isTold = false) { // it was told when it joined
      try {
        if (!isTold) await store.seen(self);
        isTold = true;
        this.#count = Math.max(1, (await store.list()).length);
        isFailing = false;
      } catch (error) {
        // Whatever it is: a replica that fell silent would count as dead, and others would take over its work.
        if (!isFailing) log.warn("Other replicas cannot be told that this one lives", { error });
        isFailing = true;
      }
      await pause(isTold ? seenMs : seenMs * REPEATED, this.#over.signal);
    }
  }
}

/** The host's name and four letters that stay the same for this data folder. */
export function replicaName(dataFolder: string): string {
  const letters = textHash(dataFolder)[0].toString(36).padStart(4, "0").slice(-4);
  let host = "berth";
  try {
    host = Deno.hostname().split(".", 1)[0]!.replaceAll(/[^A-Za-z0-9-]/g, "-").slice(0, 50) || host;
  } catch {
    // The process may not ask.
  }
  return `${host}-${letters}`;
}
