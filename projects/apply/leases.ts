/** The leases of one replica: an act is begun only while no other replica can have taken the apply over. */

import type { ApplyRecord, ApplyStore } from "../../core/applies.ts";
import { LostApply } from "./journal.ts";

interface LeasesOptions {
  readonly store: Pick<ApplyStore, "renew">;
  readonly owner: string;
  /** The milliseconds that an apply stays its owner's after a heartbeat. */
  readonly ms: number;
  /** By the clock that all who share the store count by. */
  readonly now: () => Promise<number>;
}

/** By two clocks: the first one stands still while the machine sleeps, and the second one may be set. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

const momentNow = (): Moment => ({ monotonic: performance.now(), wall: Date.now() });

export class Leases {
  /** When the last sign of life was given that counted, by the apply and its epoch. */
  #held: ReadonlyMap<string, Moment> = new Map();
  #renewing: Promise<ApplyRecord[]> | null = null;

  constructor(private readonly options: LeasesOptions) {}

  /** Says that this replica lives. Answers what is its own. */
  renew(): Promise<ApplyRecord[]> {
    return this.#renewing ??= this.#renew().finally(() => this.#renewing = null);
  }

  /** Returns while half of the lease is left at least. Throws `LostApply`, and what the store throws. */
  async assertHeld(apply: Pick<ApplyRecord, "id" | "epoch">): Promise<void> {
    if (this.#isFresh(apply)) return;
    const isJoined = this.#renewing !== null;
    await this.renew();
    // A renewal under way may have been asked before the apply was there
    if (isJoined && !this.#isFresh(apply)) await this.renew();
    if (!this.#isFresh(apply)) throw new LostApply();
  }

  #isFresh(apply: Pick<ApplyRecord, "id" | "epoch">): boolean {
    const since = this.#held.get(placeOf(apply));
    if (since === undefined) return false;
    const now = momentNow();
    const passed = Math.max(now.monotonic - since.monotonic, now.wall - since.wall);
    return passed < this.options.ms / 2;
  }

  async #renew(): Promise<ApplyRecord[]> {
    const { store, owner, ms, now } = this.options;
    const asked = momentNow();
    const records = await store.renew({ owner, until: await now() + ms });
    this.#held = new Map(records.map((record) => [placeOf(record), asked]));
    return records;
  }
}

const placeOf = ({ id, epoch }: Pick<ApplyRecord, "id" | "epoch">): string => `${id} ${epoch}`;
