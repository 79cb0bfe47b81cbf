/** The works of this replica at its applies: one an apply and epoch, each known until it has ended. */

import type { ApplyRecord, ApplyWish } from "../../core/applies.ts";
import { Lru } from "../../core/lru.ts";
import type { Run } from "./run.ts";

/** Refused begins that are remembered. */
const MOST_REFUSED = 1_000;

type Epoch = Pick<ApplyRecord, "id" | "epoch">;

/** A lost work may go on beside its successor, which has a later epoch, until its call returns. */
interface Latest {
  readonly epoch: number;
  /** Null before it begins, and while only its swaps are settled. */
  readonly run: Run | null;
}

export class Works {
  readonly #latest = new Map<string, Latest>();
  /** Also those that were lost. */
  readonly #open = new Set<Promise<void>>();
  /** A store that was away may have kept them as running. */
  readonly #refused = new Lru<true>(MOST_REFUSED);
  readonly #taking = new Set<{ readonly id: string }>();

  /** From now on the apply is in hand. */
  claim({ id, epoch }: Epoch): void {
    this.#latest.set(id, { epoch, run: null });
  }

  /** Returns false where the apply is carried out here under a later epoch: that work stays known. */
  leave({ id, epoch }: Epoch): boolean {
    return this.#latest.get(id)?.epoch === epoch && this.#latest.delete(id);
  }

  /** Remembers an apply whose begin was refused: it is never carried out under this epoch. */
  refuse({ id, epoch }: Epoch): void {
    this.#refused.set(`${id} ${epoch}`, true);
  }

  isRefused({ id, epoch }: Epoch): boolean {
    return this.#refused.get(`${id} ${epoch}`) === true;
  }

  /**
   * Begins to work at an apply beside everything else. `left` is called at its end, unless the apply is carried out under
   * a later epoch by then. Returns false, and begins nothing, where it is so already.
   */
  begin(
    of: Epoch,
    run: Run | null,
    work: () => Promise<void>,
    left: () => Promise<void>,
  ): boolean {
    const { id, epoch } = of;
    if ((this.#latest.get(id)?.epoch ?? 0) > epoch) return false;
    this.#latest.set(id, { epoch, run });
    const ended = work()
      .finally(async () => {
        if (this.leave(of)) await left();
      })
      .finally(() => this.#open.delete(ended));
    this.#open.add(ended);
    return true;
  }

  has(id: string): boolean {
    return this.#latest.has(id);
  }

  wish(id: string, wish: ApplyWish): void {
    this.#latest.get(id)?.run?.wish(wish);
  }

  /** Somebody takes the apply on until this is disposed of: nobody else does. */
  take(id: string): Disposable {
    const taking = { id };
    this.#taking.add(taking);
    return { [Symbol.dispose]: () => void this.#taking.delete(taking) };
  }

  /** Returns true if nobody works at the apply, or is about to. */
  isFree(id: string): boolean {
    return !this.has(id) && ![...this.#taking].some((one) => one.id === id);
  }

  /** Resolves when all that were begun until now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#open);
  }
}
