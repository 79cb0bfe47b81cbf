/** Stores prune plans for 15 minutes. Each can be carried out once, by its owner. */
import { ServiceError } from "../../../core/error.ts";
import type { Planned } from "./plan.ts";

const LIFETIME_MS = 15 * 60_000;
const MOST = 64;

interface StoredPlan {
  readonly owner: string;
  readonly expires: number;
  readonly items: readonly Planned[];
}

export class Plans {
  readonly #kept = new Map<string, StoredPlan>();

  keep(owner: string, items: readonly Planned[]): { readonly id: string; readonly expiresAt: string } {
    const now = Date.now();
    for (const [id, { expires }] of this.#kept) if (expires <= now) this.#kept.delete(id);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size >= MOST && !oldest.done) this.#kept.delete(oldest.value);
    const id = crypto.randomUUID();
    this.#kept.set(id, { owner, expires: now + LIFETIME_MS, items });
    return { id, expiresAt: new Date(now + LIFETIME_MS).toISOString() };
  }

  /** Returns a plan and forgets it, so that two requests cannot both carry it out. Throws `plan_not_found`. */
  take(owner: string, id: string): readonly Planned[] {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.owner !== owner || kept.expires <= Date.now()) {
      throw new ServiceError(
        "plan_not_found",
        "Cannot prune: there is no such plan, or it has expired; ask for a new one",
      );
    }
    this.#kept.delete(id);
    return kept.items;
  }
}
