/**
 * Removes the leftovers of an apply at its end: old containers that could not go while others shared their namespaces,
 * and new ones that a replica made late, after another one had taken over.
 */

import type { EngineActs } from "../../core/engine_acts.ts";
import { unlessDone } from "./hand.ts";
import type { Journal } from "./journal.ts";
import type { Orders } from "./orders.ts";
import { nameOf } from "./work.ts";

/** Removes those of this apply that stand still, each with its entries of the audit log. */
export async function tidyUp(
  orders: Orders,
  acts: EngineActs,
  apply: string,
  journal: Pick<Journal, "tidy">,
): Promise<void> {
  const [aside, late] = [nameOf("", "old", apply), nameOf("", "new", apply)];
  for (const { id, name, state } of await orders.containers()) {
    const isLeft = name.endsWith(aside) ? state !== "running" : name.endsWith(late) && state === "created";
    if (!isLeft) continue;
    const isGone = async () => await acts.find(id) === null;
    await journal.tidy(name, () => unlessDone(acts, () => acts.remove(id), isGone));
  }
}
