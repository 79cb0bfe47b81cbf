/**
 * Removes the leftovers of an apply at its end: old containers that could not go while others shared their namespaces,
 * and new ones that a replica made late, after another one had taken over.
 */

import type { EngineActs } from "../../core/engine_acts.ts";
import { isStoreAway, ServiceError } from "../../core/error.ts";
import { isAway, unlessDone } from "./hand.ts";
import type { Journal } from "./journal.ts";
import type { Orders } from "./orders.ts";
import { nameOf } from "./work.ts";

/** A container that the engine refuses to remove. */
export interface Kept {
  readonly name: string;
  readonly why: string;
}

/**
 * Removes those of this apply that stand still, each with its entries of the audit log. Returns those that the engine
 * refuses to remove: Podman does so while others share their namespaces.
 */
export async function tidyUp(
  orders: Pick<Orders, "containers">,
  acts: EngineActs,
  apply: string,
  journal: Pick<Journal, "tidy">,
): Promise<Kept[]> {
  const kept: Kept[] = [];
  const [aside, late] = [nameOf("", "old", apply), nameOf("", "new", apply)];
  const left = (await orders.containers()).filter(({ name, state }) =>
    name.endsWith(aside) ? state !== "running" : name.endsWith(late) && state === "created"
  );
  // A container that shares the namespaces of another one was made after it, and has to go before it
  for (const { id, name } of left.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))) {
    const isGone = async () => await acts.find(id) === null;
    try {
      await journal.tidy(name, () => unlessDone(acts, () => acts.remove(id), isGone));
    } catch (error) {
      if (!(error instanceof ServiceError) || isStoreAway(error) || isAway(acts, error)) throw error;
      kept.push({ name, why: error.discreet });
    }
  }
  return kept;
}

/** Names in a sentence. */
const MOST_NAMES = 5;

/** Returns what a user has to know of the containers that are kept; null for none. */
export function wordsOfKept(kept: readonly Kept[]): string | null {
  const [first] = kept;
  if (first === undefined) return null;
  const names = kept.slice(0, MOST_NAMES).map(({ name }) => `"${name}"`).join(", ");
  const more = kept.length > MOST_NAMES ? ` and ${kept.length - MOST_NAMES} more` : "";
  return `All steps are done, but ${names}${more} could not be removed: ${first.why}. A new plan tries it again`;
}
