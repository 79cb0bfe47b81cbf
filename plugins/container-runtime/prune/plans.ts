/** Stores prune plans for 15 minutes. Each can be carried out once, by its owner. */
import type { Planned } from "./plan.ts";
import { engineError } from "../engine/errors.ts";

const LIFETIME_MS = 15 * 60_000;
const MAX_PLANS = 64;

interface StoredPlan {
  readonly owner: string;
  readonly expires: number;
  readonly items: readonly Planned[];
}

export class Plans {
  readonly #plans = new Map<string, StoredPlan>();

  store(owner: string, items: readonly Planned[]): { readonly id: string; readonly expiresAt: string } {
    const now = Date.now();
    for (const [id, { expires }] of this.#plans) if (expires <= now) this.#plans.delete(id);
    const oldest = this.#plans.keys().next();
    if (this.#plans.size >= MAX_PLANS && !oldest.done) this.#plans.delete(oldest.value);
    const id = crypto.randomUUID();
    this.#plans.set(id, { owner, expires: now + LIFETIME_MS, items });
    return { id, expiresAt: new Date(now + LIFETIME_MS).toISOString() };
  }

  /** Returns a plan and forgets it, so that two requests cannot both carry it out. Throws `plan_not_found`. */
  take(owner: string, id: string): readonly Planned[] {
    const plan = this.#plans.get(id);
    if (plan === undefined || plan.owner !== owner || plan.expires <= Date.now()) {
      throw engineError(
        "plan_not_found",
        "Cannot prune: there is no such plan, or it has expired; ask for a new one",
      );
    }
    this.#plans.delete(id);
    return plan.items;
  }
}
