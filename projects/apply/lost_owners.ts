/** Owners of applies that are known to be dead before their leases have ended. */

import type { ApplyRecord, ApplyStore } from "../../core/applies.ts";
import { isGone } from "./owner.ts";

interface LostOwnersOptions {
  readonly store: Pick<ApplyStore, "list" | "release">;
  /** The owner that looks. */
  readonly owner: string;
  /** The milliseconds that an owner has its lease for after each sign of life. */
  readonly ms: number;
}

/** A lease, and since when it is seen, by the monotonic clock. */
interface Seen {
  readonly lease: string;
  readonly since: number;
}

/** Running applies whose owners are looked at. */
const MOST_RUNNING = 200;

export class LostOwners {
  /** Leases that end later than any owner writes, by the ids of their applies. */
  #late: ReadonlyMap<string, Seen> = new Map();

  constructor(private readonly options: LostOwnersOptions) {}

  /**
   * Ends the leases of processes that this machine knows to be gone, so that their applies are taken up at once, and those
   * that a clock which was set back keeps from ending. `shared` is the time by the clock that leases count by.
   */
  async release(shared: number): Promise<void> {
    const { store, owner: own, ms } = this.options;
    const all = { before: null, limit: MOST_RUNNING, workspace: null, group: null };
    const running = (await store.list({ ...all, state: "running" })).filter(({ owner }) => owner !== own);
    const owners = new Set(running.map(({ owner }) => owner));
    for (const owner of owners) if (isGone(owner)) await store.release(owner, shared);
    const latest = shared + 2 * ms;
    for (const owner of this.#silent(running, latest)) await store.release(owner, shared, latest);
  }

  /** Returns the owners that have given no sign of life for a whole lease, although theirs ends later than `latest`. */
  #silent(running: readonly ApplyRecord[], latest: number): ReadonlySet<string> {
    const now = performance.now();
    const late = running.filter(({ leaseUntil }) => leaseUntil > latest);
    this.#late = new Map(late.map(({ id, epoch, leaseUntil }) => {
      const lease = `${epoch} ${leaseUntil}`;
      const before = this.#late.get(id);
      return [id, before?.lease === lease ? before : { lease, since: now }];
    }));
    return new Set(
      late.flatMap(({ id, owner }) => now - this.#late.get(id)!.since > this.options.ms ? [owner] : []),
    );
  }
}
