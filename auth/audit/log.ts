/** The audit log's way into the store: what must be there first is waited for, the rest goes in batches. */
import { setImmediate } from "node:timers";
import { ServiceError } from "../../core/error.ts";
import type { AuditStore } from "../../core/audit_store.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { Strangers } from "./strangers.ts";

/** The time that an entry without a waiting caller waits for others to be written with it. */
const GATHER_MS = 100;
const RETRY_MS = 1_000;
const MAX_WAITING = 10_000;

interface AuditLogOptions {
  readonly store: AuditStore;
  /** Called when writing begins to fail, and when entries are lost. */
  readonly onFailure: (thrown: unknown, lost: number) => void;
  /** Called after each write, so that its entries are sealed. */
  readonly onWritten?: () => void;
}

interface Waiting {
  readonly entry: NewAuditEntry;
  /** Null where nobody waits: then it is tried until it is written. */
  readonly waiter: PromiseWithResolvers<void> | null;
}

export class AuditLog implements AsyncDisposable {
  readonly #options: AuditLogOptions;
  readonly #strangers: Strangers;
  #waiting: Waiting[] = [];
  #lost = 0;
  #isFailing = false;
  #isSoon = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #dueAt = Infinity;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#strangers = new Strangers(options.store, options.onFailure);
  }

  /**
   * Resolves once the entry is in the store: an act waits for it. Those who come at the same time share one commit.
   * Throws `store_unavailable`.
   */
  first(entry: NewAuditEntry): Promise<void> {
    const waiter = Promise.withResolvers<void>();
    this.#waiting.push({ entry, waiter });
    // After all that has arrived by now was read, and long before the shortest timer.
    if (!this.#isSoon) setImmediate(() => this.#now());
    this.#isSoon = true;
    return waiter.promise;
  }

  /** Writes the entry soon, without making the caller wait. Refusals of strangers are only counted. */
  record(entry: NewAuditEntry): void {
    if (entry.actor.kind === "anonymous") return this.#strangers.count(entry);
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost++;
      if (this.#lost === 1) this.#options.onFailure(null, 1);
      return;
    }
    this.#waiting.push({ entry, waiter: null });
    this.#due(this.#isFailing ? RETRY_MS : GATHER_MS);
  }

  /** Resolves when everything recorded so far is in the store, or could not be written. */
  async flush(): Promise<void> {
    this.#due(Infinity);
    this.#writing = this.#writing.then(() => this.#write());
    await Promise.all([this.#writing, this.#strangers.flush()]);
  }

  /** Returns why entries cannot be written or were lost; null while all is well. */
  failure(): string | null {
    if (this.#lost > 0) return `${this.#lost} entries were lost since the start`;
    return this.#isFailing ? "Entries cannot be written, so nothing is changed" : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    this.#due(Infinity);
    await this.#strangers[Symbol.asyncDispose]();
  }

  #due(inMs: number): void {
    const dueAt = performance.now() + inMs;
    if (inMs !== Infinity && dueAt >= this.#dueAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = inMs === Infinity ? null : setTimeout(() => {
      this.#timer = null;
      this.#dueAt = Infinity;
      this.#now();
    }, inMs);
  }

  #now(): void {
    this.#isSoon = false;
    this.#writing = this.#writing.then(() => this.#write());
  }

  async #write(): Promise<void> {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    try {
      await this.#options.store.append(batch.map(({ entry }) => entry));
      this.#isFailing = false;
    } catch (thrown) {
      this.#failed(batch, thrown);
      return;
    }
    for (const { waiter } of batch) waiter?.resolve();
    this.#options.onWritten?.();
  }

  #failed(batch: readonly Waiting[], thrown: unknown): void {
    const error = thrown instanceof ServiceError ? thrown : new ServiceError(
      "store_unavailable",
      "Cannot do this: the audit log cannot be written, so nothing was changed; see GET /api/health",
      { cause: thrown },
    );
    const outcomes = batch.filter(({ waiter }) => waiter === null);
    for (const { waiter } of batch) waiter?.reject(error);
    // A store that is away comes back; what it refuses to hold, it will refuse again.
    const isAway = thrown instanceof ServiceError;
    if (isAway) this.#waiting = [...outcomes, ...this.#waiting];
    else this.#lost += outcomes.length;
    if (!this.#isFailing || !isAway) this.#options.onFailure(thrown, isAway ? 0 : outcomes.length);
    this.#isFailing = true;
    if (this.#waiting.length > 0) this.#due(RETRY_MS);
  }
}
