/** Refusals of callers without a good credential: counted by peer, route and hour, so that no flood fills the log. */
import type { AuditStore, StrangerCount } from "../../core/audit_store.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { auditEntry, NOBODY } from "./audit.ts";
import { peerGroup } from "../rate_limit.ts";

export const HOUR_MS = 3_600_000;
const FLUSH_MS = 5_000;
/** Counters of one hour; what has none is counted together. */
const MOST = 100;
/** Counters in memory, between two writes. */
const MOST_WAITING = 1_000;

export class Strangers implements AsyncDisposable {
  readonly #store: AuditStore;
  readonly #onFailure: (thrown: unknown, lost: number) => void;
  #counts = new Map<string, StrangerCount>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: AuditStore, onFailure: (thrown: unknown, lost: number) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  count({ at, peer, action, result }: NewAuditEntry): void {
    this.#add({
      hour: Math.floor(at / HOUR_MS),
      peer: peer === null ? "-" : peerGroup(peer),
      action,
      result,
      count: 1,
    });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Resolves when everything counted so far is in the store, or waits because it cannot be written. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #add(one: StrangerCount): void {
    const key = `${one.hour} ${one.peer} ${one.action} ${one.result}`;
    const known = this.#counts.get(key);
    if (known !== undefined) {
      this.#counts.set(key, { ...known, count: known.count + one.count });
    } else if (this.#counts.size < MOST_WAITING) {
      this.#counts.set(key, one);
    } else {
      const others = `${one.hour} *`;
      const count = (this.#counts.get(others)?.count ?? 0) + one.count;
      this.#counts.set(others, { hour: one.hour, peer: "*", action: "*", result: "*", count });
    }
  }

  async #write(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#counts = new Map();
    try {
      await this.#store.countStrangers([...counts.values()], MOST);
    } catch (thrown) {
      for (const one of counts.values()) this.#add(one);
      this.#onFailure(thrown, 0);
      this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
    }
  }
}

/** Turns a counter into an entry when its hour has ended. */
export function entryOfStrangers({ hour, peer, action, result, count }: StrangerCount): NewAuditEntry {
  return auditEntry({
    chain: "refusals",
    at: (hour + 1) * HOUR_MS - 1,
    actor: NOBODY,
    action,
    target: null,
    particulars: { hour: new Date(hour * HOUR_MS).toISOString() },
    result,
    peer,
    count,
  });
}
