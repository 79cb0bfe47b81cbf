/** The upkeep of the audit log: sealing, closing an hour, deleting old entries, logging the chains' ends. */
import { pause } from "../../core/pause.ts";
import type { Log } from "../../core/log.ts";
import { type AuditStore, type Seals } from "../../core/audit_store.ts";
import { AUDIT_CHAINS, type AuditChain } from "../../core/store.ts";
import type { Clock } from "../clock.ts";
import { placeText } from "./place.ts";
import { sealsFrom } from "./seals.ts";
import { entryOfStrangers, HOUR_MS } from "./strangers.ts";

const DAY_MS = 24 * HOUR_MS;
/** Entries in one write: it keeps the event loop for 20 ms. */
const BATCH = 250;
const SEAL_MS = 100;
/** The time within which entries of another process are noticed. */
const IDLE_MS = 1_000;
const CLOSE_MS = 60_000;

/** The age and number of entries that each chain keeps. */
const RETENTION: Readonly<Record<AuditChain, { readonly ms: number; readonly entries: number }>> = {
  changes: { ms: 400 * DAY_MS, entries: 1_000_000 },
  refusals: { ms: 30 * DAY_MS, entries: 100_000 },
};

interface UpkeepOptions {
  readonly store: AuditStore;
  /** The sealing key of the data folder. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
}

export class Upkeep implements AsyncDisposable {
  readonly #options: UpkeepOptions;
  #seals: Seals | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #work: Promise<void> = Promise.resolve();
  #pauseMs = SEAL_MS;
  #closedAt = -Infinity;
  #tidiedAt = -Infinity;
  #isFailing = false;
  #isOver = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#next();
  }

  /** Something was written: it is sealed within a tenth of a second. */
  soon(): void {
    if (this.#pauseMs <= SEAL_MS || this.#isOver) return;
    this.#pauseMs = SEAL_MS;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#next();
    }
  }

  /** Resolves once everything that was committed before is sealed. */
  async seal(): Promise<void> {
    const seals = await this.#sealsOf();
    while (await this.#options.store.seal(seals, BATCH) === BATCH) await pause(0);
  }

  /** Makes entries of the counters whose hour is over. */
  async closeHours(): Promise<void> {
    const { store, clock } = this.#options;
    await store.closeStrangers(Math.floor(clock.now() / HOUR_MS), entryOfStrangers);
  }

  /** Forgets what is older than is kept, or more. */
  async forget(): Promise<void> {
    const { store, clock } = this.#options;
    const seals = await this.#sealsOf();
    for (const chain of AUDIT_CHAINS) {
      const { ms, entries: keep } = RETENTION[chain];
      const bounds = { before: clock.now() - ms, keep };
      while (await store.forget(chain, bounds, seals, BATCH) === BATCH) await pause(0);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#work;
    try {
      // The next start seals any that are left.
      await this.#options.store.seal(await this.#sealsOf(), BATCH);
      await this.#tellEnds();
    } catch {
      // The next start seals it.
    }
  }

  #next(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#work = this.#round();
    }, this.#pauseMs);
    Deno.unrefTimer(this.#timer);
  }

  async #round(): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      const sealed = await store.seal(await this.#sealsOf(), BATCH);
      this.#pauseMs = sealed === BATCH ? 0 : sealed > 0 ? SEAL_MS : IDLE_MS;
      const now = clock.monotonic();
      if (now - this.#closedAt >= CLOSE_MS) {
        this.#closedAt = now;
        await this.closeHours();
      }
      if (sealed < BATCH && now - this.#tidiedAt >= HOUR_MS) {
        this.#tidiedAt = now;
        await this.forget();
        await this.#tellEnds();
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn("The audit log cannot be sealed", { error });
      this.#isFailing = true;
      this.#pauseMs = IDLE_MS;
    }
    if (!this.#isOver) this.#next();
  }

  /** Only a reader of an earlier end can miss a tail that was cut off the store. */
  async #tellEnds(): Promise<void> {
    const { changes, refusals } = await this.#options.store.chains();
    this.#options.log.info("The audit log ends here", {
      changes: placeText("changes", changes),
      refusals: placeText("refusals", refusals),
    });
  }

  async #sealsOf(): Promise<Seals> {
    return this.#seals ??= await sealsFrom(this.#options.secret);
  }
}
