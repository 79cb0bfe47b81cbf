/** Plans that were made, for 15 minutes each: long enough to read one, short enough that it is still true. */

import { ServiceError } from "../../core/error.ts";
import type { PlanBody } from "./plan_shape.ts";

const LIFETIME_MS = 15 * 60_000;
const MOST = 256;

/** A plan as it is remembered. */
export interface KnownPlan extends PlanBody {
  readonly id: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export class Plans {
  readonly #plans = new Map<string, KnownPlan>();

  /** The oldest one goes where there are too many. */
  add(body: PlanBody, createdBy: string, now: number): KnownPlan {
    for (const [id, { expiresAt }] of this.#plans) if (Date.parse(expiresAt) <= now) this.#plans.delete(id);
    const oldest = this.#plans.keys().next();
    if (this.#plans.size >= MOST && !oldest.done) this.#plans.delete(oldest.value);
    const plan: KnownPlan = {
      ...body,
      id: crypto.randomUUID(),
      createdBy,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + LIFETIME_MS).toISOString(),
    };
    this.#plans.set(plan.id, plan);
    return plan;
  }

  /** Throws `plan_not_found`. */
  get(id: string, now: number): KnownPlan {
    const plan = this.#plans.get(id);
    if (plan !== undefined && Date.parse(plan.expiresAt) > now) return plan;
    throw new ServiceError("plan_not_found", "There is no such plan, or it has expired: ask for a new one");
  }
}
