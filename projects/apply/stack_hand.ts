/** The parts that a step of a stack works with: the swarm, the order, earlier notes, and the rights of the applier. */

import type { Holder } from "../../core/access.ts";
import type { RegistryLogin } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import type { HeldService, HeldTask, StackActs } from "../../core/stack_acts.ts";
import type { Need, Step } from "../plan/plan_shape.ts";
import { failed } from "./hand.ts";
import type { Noted } from "./journal.ts";
import type { StackOrders } from "./stack_orders.ts";
import { MARK, markOf, type Subject, type Work } from "./work.ts";

export interface StackHand {
  readonly apply: string;
  readonly step: Step;
  readonly work: Work;
  readonly orders: StackOrders;
  readonly acts: StackActs;
  /** The object that was there when the apply began; null for steps that make one. */
  readonly subject: Subject | null;
  /** Notes of earlier attempts; empty for the first. */
  readonly noted: Noted;
  /** True if an earlier attempt may have done it. */
  readonly isAgain: boolean;
  /** Ends waits: the apply is cancelled, or the service stops. */
  readonly ending: AbortSignal;
  /** Returns the notes of another step. */
  notedBy(n: number): Promise<Noted>;
  /** Resolves once it is on disk. */
  note(noted: Noted): Promise<void>;
  /** Returns the rights of the applier now; null for none. */
  holder(): Promise<Holder | null>;
  /** Throws `apply_failed` with the first need that the applier does not hold. */
  refuse(needs: readonly Need[]): Promise<void>;
  /** Encrypts a definition for the journal. */
  seal(definition: string): Promise<string>;
  /** Null for what another key has sealed. */
  open(sealed: string): Promise<string | null>;
  /** Writes the last lines of a task into the journal, where berth knows the engine of its node. */
  keepLastWords(task: HeldTask, lines: number): Promise<void>;
  readonly loginFor: (host: string) => RegistryLogin | undefined;
}

/** The milliseconds that a swarm may need to let go of what a service used. */
const LETTING_GO_MS = 60_000;
const LOOK_MS = 500;

/** Returns true if this step of this apply made the object, or changed it last. */
export const isOwn = (
  { apply, step }: Pick<StackHand, "apply" | "step">,
  { labels }: { readonly labels: Readonly<Record<string, string>> },
): boolean => labels[MARK] === markOf(apply, step.n);

/** Returns true while a service is what the step posted. Drift alone would not tell: it compares no digest of an image. */
export async function isPosted(
  hand: Pick<StackHand, "apply" | "step" | "noted" | "orders" | "acts" | "holder">,
  held: HeldService,
): Promise<boolean> {
  const { orders, acts, step, noted, holder } = hand;
  if (!isOwn(hand, held) || typeof noted["image"] === "string" && noted["image"] !== held.image) return false;
  const scene = await orders.scene(await holder());
  return (await acts.differences(held, orders.service(scene, step, held))).length === 0;
}

export const touchedService = (name: string, what: string): ServiceError =>
  failed(`Service "${name}" was ${what} by somebody else: ask for a new plan`);

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof ServiceError && codes.includes(error.code);

/** Removes an object of which a swarm says for a while that something uses it. */
export async function untilFree(
  { ending }: Pick<StackHand, "ending">,
  remove: () => Promise<void>,
): Promise<void> {
  const until = performance.now() + LETTING_GO_MS;
  for (;;) {
    try {
      return await remove();
    } catch (error) {
      if (!hasCode(error, "in_use", "conflict") || performance.now() > until || ending.aborted) throw error;
    }
    await pause(LOOK_MS, ending);
  }
}
