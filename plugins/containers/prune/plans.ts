/** Keeps prune plans for 15 minutes, in the store. Each can be carried out once, by its owner, at any replica. */
import type { OfferStore } from "../../../core/store.ts";
import type { Planned } from "./plan.ts";
import { engineError } from "../../../engines/calls/errors.ts";

const LIFETIME_MS = 15 * 60_000;
const MAX_PLANS = 64;

export class Plans {
  readonly #offers: OfferStore;

  constructor(offers: OfferStore) {
    this.#offers = offers;
  }

  async store(
    owner: string,
    items: readonly Planned[],
  ): Promise<{ readonly id: string; readonly expiresAt: string }> {
    const now = Date.now();
    const id = crypto.randomUUID();
    const expiresAt = now + LIFETIME_MS;
    await this.#offers.add({ id, owner, expiresAt, body: JSON.stringify(items) }, now, MAX_PLANS);
    return { id, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Returns a plan and forgets it, so that two requests cannot both carry it out. Throws `plan_not_found`. */
  async take(owner: string, id: string): Promise<readonly Planned[]> {
    const body = await this.#offers.take(id, owner, Date.now());
    if (body === null) {
      throw engineError(
        "plan_not_found",
        "Cannot prune: there is no such plan, or it has expired; ask for a new one",
      );
    }
    return JSON.parse(body) as Planned[]; // written by `store` alone
  }
}
