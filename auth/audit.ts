/** The audit log's way into the store: what must be there first is waited for, the rest goes in batches. */
import type { AuditActor, AuditChain, AuditStore, NewAuditEntry } from "../core/store.ts";

/** How long an entry that nobody waits for waits for others to be written with it. */
const GATHER_MS = 100;
const MAX_WAITING = 10_000;
const MAX_TEXT = 500;

export const NOBODY: AuditActor = { kind: "anonymous", id: "-", name: "-" };
/** What berth does by itself. */
export const BERTH: AuditActor = { kind: "system", id: "berth", name: "berth" };
/** Whoever owns the data folder. */
export const COMMAND_LINE: AuditActor = { kind: "system", id: "command-line", name: "command line" };

export interface AboutEntry {
  readonly chain?: AuditChain;
  readonly at: number;
  readonly actor: AuditActor;
  readonly credential?: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly particulars?: Readonly<Record<string, string>>;
  readonly result?: string;
  readonly requestId?: string | null;
  readonly peer?: string | null;
}

/** An entry in which nothing can be a credential; a change that was done, unless told otherwise. */
export function auditEntry(about: AboutEntry): NewAuditEntry {
  const { target, particulars = {} } = about;
  return {
    chain: about.chain ?? "changes",
    at: about.at,
    actor: about.actor,
    credential: about.credential ?? null,
    action: about.action,
    target: target === null ? null : harmless(target),
    particulars: Object.fromEntries(
      Object.entries(particulars).map(([name, value]) => [name, harmless(value)]),
    ),
    result: about.result ?? "done",
    requestId: about.requestId ?? null,
    peer: about.peer ?? null,
    count: 1,
  };
}

export class AuditLog {
  readonly #store: AuditStore;
  readonly #onFailure: (thrown: unknown, lost: number) => void;
  #waiting: NewAuditEntry[] = [];
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

  /** Resolves once the entry is in the store, where an act waits for it. Throws `store_unavailable`. */
  async first(entry: NewAuditEntry): Promise<void> {
    await this.#store.append([entry]);
  }

  /** Has the entry written soon. */
  record(entry: NewAuditEntry): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push(entry);
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
      await this.#store.append(batch);
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

function harmless(text: string): string {
  return text.slice(0, MAX_TEXT).replace(SECRETS, (_, key = "", token = "") => `${key}${token}...`);
}
