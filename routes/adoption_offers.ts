/** Keeps what a draft was made of for 15 minutes, in the store: ids and stamps, and never a value. */
import type { Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { OfferStore } from "../core/store.ts";

const LIFETIME_MS = 15 * 60_000;
const MOST = 64;

/** The draft that somebody was shown. */
export interface DraftOffer {
  readonly workspace: string;
  readonly containers: readonly {
    readonly backend: string;
    readonly id: string;
    readonly name: string;
    /** Of the container as it was written down. */
    readonly stamp: string;
  }[];
}

interface Kept {
  readonly id: string;
  readonly expiresAt: number;
}

export class DraftOffers {
  constructor(private readonly store: OfferStore, private readonly now: () => number) {}

  async add(principal: Principal, offer: DraftOffer): Promise<Kept> {
    const kept = { id: crypto.randomUUID(), expiresAt: this.now() + LIFETIME_MS };
    await this.#put(principal, kept, offer);
    return kept;
  }

  /**
   * Does work with a draft while nobody else has it. A refusal gives it back, so that it can be tried again. Throws
   * `draft_stale` where there is none.
   */
  async using<T>(principal: Principal, id: string, work: (offer: DraftOffer) => Promise<T>): Promise<T> {
    const body = await this.store.take(id, ownerOf(principal), this.now());
    if (body === null) {
      throw new ServiceError(
        "draft_stale",
        "Cannot adopt the containers: there is no such draft, or it has expired; write them down again",
      );
    }
    const { offer, expiresAt } = JSON.parse(body) as { offer: DraftOffer; expiresAt: number }; // put here alone
    try {
      return await work(offer);
    } catch (error) {
      if (error instanceof ServiceError) {
        await this.#put(principal, { id, expiresAt }, offer).catch(() => {}); // the refusal matters more
      }
      throw error;
    }
  }

  async #put(principal: Principal, { id, expiresAt }: Kept, offer: DraftOffer): Promise<void> {
    const body = JSON.stringify({ offer, expiresAt });
    await this.store.add({ id, owner: ownerOf(principal), expiresAt, body }, this.now(), MOST);
  }
}

const ownerOf = ({ kind, id }: Principal): string => `${kind}:${id} adoption`;
