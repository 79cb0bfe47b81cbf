/** The old containers that could not go while others shared their namespaces. */

import type { EngineActs } from "../../core/engine_acts.ts";
import { unlessDone } from "./hand.ts";
import type { Orders } from "./orders.ts";
import { nameOf } from "./work.ts";

/** Removes those of this apply that stand still. */
export async function tidyUp(orders: Orders, acts: EngineActs, apply: string): Promise<void> {
  const aside = nameOf("", "old", apply);
  for (const { id, name, state } of await orders.containers()) {
    if (name.endsWith(aside) && state !== "running") {
      await unlessDone(acts, () => acts.remove(id), async () => await acts.find(id) === null);
    }
  }
}
