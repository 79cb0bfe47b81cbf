/** Brings every sealed entry to a receiver outside, in order, and remembers in the store how far it is. */
import type { Log } from "../../core/log.ts";
import { type AuditStore, type SealedEntry } from "../../core/audit_store.ts";
import { AUDIT_CHAINS, type AuditChain } from "../../core/store.ts";
import type { Receiver } from "./syslog.ts";
import { syslogLine } from "./syslog_line.ts";

const BATCH = 500;
const LOOK_MS = 500;
/** The lease for delivering, and the interval of its renewal: a batch takes less than the difference. */
const TURN_MS = 60_000;
const TURN_AGAIN_MS = 15_000;
/** While it is another replica's. */
const ELSEWHERE_MS = 5_000;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** The time that a batch under way may still take when berth stops. */
const FAREWELL_MS = 2_000;

interface DeliveryOptions {
  readonly store: AuditStore;
  readonly receiver: Receiver;
  /** The name of the receiver in the store. */
  readonly name: string;
  /** Returns true if no other replica delivers to it during this time. */
  readonly isOurTurn: (ms: number) => Promise<boolean>;
  /** This machine's name. */
  readonly host: string;
  readonly log: Log;
}

/** Entries wait in the store, so a receiver that is away holds nothing up. */
export class Delivery implements AsyncDisposable {
  readonly #options: DeliveryOptions;
  readonly #running: Promise<void>;
  readonly #ending = new AbortController();
  #wake: () => void = () => {};
  #turnAt = -Infinity;
  #isOver = false;
  #isFailing = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Returns why the receiver accepts nothing; null while all is well. */
  failure(): string | null {
    return this.#isFailing ? "The syslog receiver takes nothing; entries wait in the store" : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#wake();
    const late = setTimeout(() => this.#ending.abort(), FAREWELL_MS);
    await this.#running;
    clearTimeout(late);
    this.#options.receiver[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    const { log, name } = this.#options;
    let retryMs = RETRY_MS;
    while (!this.#isOver) {
      try {
        const mayDeliver = await this.#hasTurn();
        const taken = mayDeliver ? await this.#deliver() : 0;
        if (this.#isFailing) log.info("The syslog receiver is back", { receiver: name });
        this.#isFailing = false;
        retryMs = RETRY_MS;
        if (taken === 0) await this.#pause(mayDeliver ? LOOK_MS : ELSEWHERE_MS);
      } catch (error) {
        if (!this.#isFailing) log.warn("The syslog receiver takes nothing", { receiver: name, error });
        this.#isFailing = true;
        await this.#pause(retryMs);
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
      }
    }
  }

  async #hasTurn(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#turnAt < TURN_AGAIN_MS) return true;
    const isOurs = await this.#options.isOurTurn(TURN_MS);
    this.#turnAt = isOurs ? now : -Infinity;
    return isOurs;
  }

  /** One batch of each chain. How many entries. */
  async #deliver(): Promise<number> {
    const { store, receiver, name, host, log } = this.#options;
    const places: Record<AuditChain, number> = { ...await store.delivered(name) };
    const batch: SealedEntry[] = [];
    for (const chain of AUDIT_CHAINS) {
      const entries = await store.sealed(chain, places[chain], BATCH);
      const [first] = entries;
      if (first !== undefined && first.seq > places[chain] + 1 && places[chain] > 0) {
        log.warn("Entries were forgotten before the syslog receiver took them", {
          chain,
          from: places[chain] + 1,
          to: first.seq - 1,
        });
      }
      batch.push(...entries);
      places[chain] = entries.at(-1)?.seq ?? places[chain];
    }
    if (batch.length === 0) return 0;
    await receiver.send(batch.map((entry) => syslogLine(entry, host)), this.#ending.signal);
    await store.deliver(name, places);
    return batch.length;
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
