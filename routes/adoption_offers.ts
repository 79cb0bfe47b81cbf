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
   * Does work with a draft while nobody else has it. The containers that the work has not taken are given back, and so
   * is all of a draft that was refused. Throws `draft_stale` where there is none.
   */
  async using<T extends { readonly taken: ReadonlySet<string> }>(
    principal: Principal,
    id: string,
    work: (offer: DraftOffer) => Promise<T>,
  ): Promise<T> {
    const body = await this.store.take(id, ownerOf(principal), this.now());
    if (body === null) {
      throw new ServiceError(
        "draft_stale",
        "Cannot adopt the containers: there is no such draft, or it has expired; write them down again",
      );
    }
    const { offer, expiresAt } = JSON.parse(body) as { offer: DraftOffer; expiresAt: number }; // put here alone
    // The outcome matters more than a store that fails now.
    const giveBack = (offer: DraftOffer) => this.#put(principal, { id, expiresAt }, offer).catch(() => {});
    try {
      const done = await work(offer);
      const containers = offer.containers.filter((one) => !done.taken.has(offeredKey(one)));
      if (containers.length > 0) await giveBack({ ...offer, containers });
      return done;
    } catch (error) {
      if (error instanceof ServiceError) await giveBack(offer);
      throw error;
    }
  }

  async #put(principal: Principal, { id, expiresAt }: Kept, offer: DraftOffer): Promise<void> {
    const body = JSON.stringify({ offer, expiresAt });
    await this.store.add({ id, owner: ownerOf(principal), expiresAt, body }, this.now(), MOST);
  }
}

/** The key of a container of a draft. */
export const offeredKey = ({ backend, id }: { readonly backend: string; readonly id: string }): string =>
  `${backend} ${id}`;

const ownerOf = ({ kind, id }: Principal): string => `${kind}:${id} adoption`;
