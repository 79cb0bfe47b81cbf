/** The audit log's way into the store: in batches, so that refusing somebody costs no more than answering. */
import type { AuditRecord, AuditStore } from "../core/store.ts";

/** How long an entry waits for others to be written with it. */
const GATHER_MS = 100;
const MAX_WAITING = 10_000;
const KEEP = 100_000;
const MAX_TEXT = 500;

export class AuditLog {
  readonly #store: AuditStore;
  readonly #onFailure: (thrown: unknown, lost: number) => void;
  #waiting: AuditRecord[] = [];
  #lost = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly store: AuditStore;
    readonly onFailure: (thrown: unknown, lost: number) => void;
  }) {
    this.#store = options.store;
    this.#onFailure = options.onFailure;
  }

  record(record: AuditRecord): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push({ ...record, target: record.target === null ? null : harmless(record.target) });
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Resolves when everything recorded so far is in the store, or its loss was told. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const batch = this.#waiting;
    const lost = this.#lost;
    if (batch.length === 0 && lost === 0) return;
    this.#waiting = [];
    this.#lost = 0;
    if (lost > 0) this.#onFailure(null, lost);
    try {
      await this.#store.append(batch, KEEP);
    } catch (thrown) {
      this.#onFailure(thrown, batch.length);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }
}

/** Somebody may put a whole key or token where an id belongs; what is kept for years must not be a credential. */
const SECRETS = /(berth_[0-9a-f]{16}_)[A-Za-z0-9_-]{20,}|(eyJ)[A-Za-z0-9_.-]{20,}/g;

function harmless(target: string): string {
  return target.slice(0, MAX_TEXT).replace(SECRETS, (_, key = "", token = "") => `${key}${token}...`);
}
