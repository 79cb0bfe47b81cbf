/** Takes back what an apply has done to a stack: the definitions of before in reverse, and nothing of what it made. */

import { isStoreAway, ServiceError } from "../../core/error.ts";
import type { HeldService, IsOwnObject } from "../../core/stack_acts.ts";
import type { Need, Step } from "../plan/plan_shape.ts";
import { failed } from "./hand.ts";
import type { Journal, StepProgress } from "./journal.ts";
import { isTakenBack } from "./left_behind.ts";
import { notHeld } from "./not_held.ts";
import type { Patience } from "./patience.ts";
import { hasCode, isOwn, isPosted, type StackHand, touchedService, untilFree } from "./stack_hand.ts";
import { waitForService } from "./stack_waiting.ts";
import { Cut } from "./waiting.ts";

export interface BackOptions {
  /** The steps of the apply, in the order of the plan. */
  readonly steps: readonly Step[];
  readonly progress: ReadonlyMap<number, StepProgress>;
  readonly handOf: (step: Step) => StackHand;
  readonly journal: Pick<Journal, "undo">;
  /** Returns true if the swarm is away: nobody knows what became of the call. */
  readonly isAway: (error: ServiceError) => boolean;
  /** Ends the way back: somebody gives the apply up, or the service stops. */
  readonly ending: AbortSignal;
}

/** One act of the way back. */
interface Back {
  readonly step: Step;
  /** The kind of the act; null for none. */
  readonly kind: Step["kind"] | null;
  /** The needs of the step, and that of a hold of hosts that comes back. */
  readonly needs: readonly Need[];
  readonly act: () => Promise<void>;
}

/** The applier may not take a step back: somebody who may can resume it. */
export class NotAllowed extends Error {}

interface PatientOptions extends Omit<BackOptions, "progress"> {
  /** Reads the progress anew. */
  readonly progress: () => Promise<BackOptions["progress"]>;
  readonly patience: Patience;
}

/** Tries it again while the swarm is away: each attempt looks at everything anew. Throws as `takeBack` does. */
export async function takeBackPatiently(options: PatientOptions): Promise<string | null> {
  const { isAway, patience, ending } = options;
  for (;;) {
    try {
      return await takeBack({ ...options, progress: await options.progress() });
    } catch (error) {
      if (!(error instanceof ServiceError) || isStoreAway(error) || !isAway(error)) throw error;
      if (!await patience.goesOn(ending, error)) throw error;
      if (ending.aborted) throw new Cut();
    }
  }
}

/**
 * Returns why nothing was taken back; null where all of it was. Everything is looked at first, so that a stack is not left
 * half one way and half the other. Throws what a swarm answers that is away, `NotAllowed` and `Cut`.
 */
export async function takeBack(options: BackOptions): Promise<string | null> {
  const begun = options.steps.filter(({ n }) => {
    const state = options.progress.get(n)?.state;
    return state !== undefined && state !== "undone" && state !== "skipped";
  });
  const backs: Back[] = [];
  for (const step of begun.toReversed()) {
    const wasDone = options.progress.get(step.n)?.state === "done" && isTakenBack(step);
    try {
      const hand = options.handOf(step);
      const back = await backOf(hand) ?? (wasDone ? ALREADY : null);
      if (back === null) continue;
      if (back.kind !== null) await assertAllowed(hand, back.needs);
      backs.push({ step, ...back });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "apply_failed") throw error;
      return error.discreet;
    }
  }
  const isUnclear = (error: unknown) => !(error instanceof ServiceError) || options.isAway(error);
  let first: string | null = null;
  for (const { step, kind, needs, act } of backs) {
    if (options.ending.aborted) throw new Cut();
    if (kind !== null) await assertAllowed(options.handOf(step), needs);
    try {
      await options.journal.undo(step, kind, act, isUnclear);
    } catch (error) {
      if (!(error instanceof ServiceError) || isStoreAway(error) || options.isAway(error)) throw error;
      if (options.ending.aborted) throw new Cut();
      first ??= error.discreet; // the others come back all the same
    }
  }
  return first;
}

/** An earlier attempt took it back, and was killed before it could say so. */
const ALREADY: Omit<Back, "step"> = { kind: null, needs: [], act: () => Promise.resolve() };

async function assertAllowed(
  { holder, step: { target } }: StackHand,
  needs: readonly Need[],
): Promise<void> {
  const [first] = notHeld(await holder(), needs);
  if (first === undefined) return;
  const why = first.field === undefined ? "" : `: ${first.field} ${first.why ?? ""}`;
  throw new NotAllowed(
    `Taking "${target}" back needs the permission "${first.permission}"${why}. Resume it with the rights of somebody ` +
      "who holds it, or abandon it",
  );
}

/**
 * Returns the needs of a definition that comes back: those of the step, and one for what it reaches of hosts and the one
 * of now does not, on the subject that the plan found for the service.
 */
async function restoring(
  { orders, acts, holder, step: { needs }, work: { plan } }: StackHand,
  definition: string,
  held: string | null,
): Promise<readonly Need[]> {
  const { now, foreignVolumes } = await orders.scene(await holder());
  const lists = { secret: now.secrets, config: now.configs, network: now.networks };
  const isOwn: IsOwnObject = (kind, id) =>
    kind === "volume"
      ? id.startsWith(`${plan.project}_`) && foreignVolumes?.has(id) === false
      : lists[kind].some((one) => (one.id === id || one.name === id) && one.stack === plan.project);
  if (acts.gained(definition, held, isOwn).length === 0) return needs;
  const subject = needs[0]?.subject ?? { engine: plan.backend, workspace: null, project: plan.project };
  const why = "reaches hosts in a way that the one of now does not";
  return [...needs, { permission: "projects:host", subject, field: "the definition before", why }];
}

/** Returns the act that takes a step back; null where there is nothing of it. Throws `apply_failed` where it cannot be. */
async function backOf(hand: StackHand): Promise<Omit<Back, "step"> | null> {
  const { orders, acts, step: { kind, target, needs } } = hand;
  switch (kind) {
    case "service.update":
      return await updateBack(hand);
    case "service.remove":
      return await removalBack(hand);
    case "service.create":
      return await creationBack(hand);
    case "network.create":
    case "secret.create":
    case "config.create": {
      const { now } = await orders.scene(await hand.holder());
      const of = kind === "network.create"
        ? now.networks
        : kind === "secret.create"
        ? now.secrets
        : now.configs;
      const found = of.find(({ name }) => name === target);
      if (found === undefined || !isOwn(hand, found)) return null;
      if (kind === "network.create") {
        const act = () => untilFree(hand, () => acts.removeNetwork(found.id, target));
        return { kind: "network.remove", needs, act };
      }
      const [what, removal] = kind === "secret.create"
        ? ["secret", "secret.remove"] as const
        : ["config", "config.remove"] as const;
      return {
        kind: removal,
        needs,
        act: () => untilFree(hand, () => acts.removeFile(what, found.id, target)),
      };
    }
    default:
      return null; // waits change nothing, and what was removed as not needed is not needed now
  }
}

/** The definition of before, as the journal has it; null where nothing was posted. */
async function before({ noted, open, step, acts }: StackHand): Promise<string | null> {
  const sealed = noted["undo"];
  if (typeof sealed !== "string") return null;
  const definition = await open(sealed);
  if (definition === null) {
    throw failed(`the definition of "${step.target}" was sealed with a key that is gone`);
  }
  const gone = await acts.gone(definition);
  if (gone.length === 0) return definition;
  throw failed(
    `"${step.target}" had the ${gone.join(", ")}, which is gone, so that no task of it could start`,
  );
}

async function creationBack(hand: StackHand): Promise<Omit<Back, "step"> | null> {
  const { acts, step: { target, needs } } = hand;
  const held = await acts.service(target);
  if (held === null || !isOwn(hand, held)) return null;
  if (!await isPosted(hand, held)) throw touchedService(target, "changed");
  const act = async () => {
    // Others come back before it, which may take minutes.
    const now = await acts.service(target);
    if (now === null) return;
    if (now.id !== held.id) throw touchedService(target, "made anew");
    if (now.definition !== held.definition) throw touchedService(target, "changed");
    await acts.removeService(held.id, target);
  };
  return { kind: "service.remove", needs, act };
}

async function updateBack(hand: StackHand): Promise<Omit<Back, "step"> | null> {
  const { acts, step: { target }, subject } = hand;
  const definition = await before(hand);
  if (definition === null) return null;
  const held = await acts.service(target);
  if (held === null) throw touchedService(target, "removed");
  if (held.id !== subject?.id) throw touchedService(target, "made anew");
  // The swarm went back by itself, or an earlier attempt posted it.
  if (acts.isSame(held.definition, definition)) {
    const isWaited = held.update !== null && held.update.state !== "rollback_completed";
    return isWaited ? { kind: null, needs: [], act: () => isBefore(hand, definition) } : null;
  }
  if (!await isPosted(hand, held)) throw touchedService(target, "changed");
  const act = async () => {
    // The swarm itself counts the version up while it updates.
    const now = await acts.service(target);
    if (now === null || now.definition !== held.definition) throw touchedService(target, "changed");
    await acts.restoreService(now, definition, hand.loginFor);
    await isBefore(hand, definition);
  };
  return { kind: "service.update", needs: await restoring(hand, definition, held.definition), act };
}

/** Waits until the service runs as it did before. */
async function isBefore(hand: StackHand, definition: string): Promise<void> {
  const { acts, step: { target } } = hand;
  const judge = (held: HeldService) =>
    Promise.resolve(acts.isSame(held.definition, definition) ? null : touchedService(target, "changed"));
  await waitForService(hand, { judge, isBefore: true });
}

async function removalBack(hand: StackHand): Promise<Omit<Back, "step"> | null> {
  const { acts, step: { target }, subject } = hand;
  const definition = await before(hand);
  if (definition === null) return null;
  const held = await acts.service(target);
  if (held !== null && held.id === subject?.id) return null; // it was not removed
  if (held !== null) {
    if (!acts.isSame(held.definition, definition)) throw touchedService(target, "made anew");
    return { kind: null, needs: [], act: () => isBefore(hand, definition) }; // an earlier attempt made it
  }
  const act = async () => {
    try {
      await acts.restoreService(null, definition, hand.loginFor);
    } catch (error) {
      // An earlier post, whose answer was lost, has landed since.
      const there = hasCode(error, "name_taken") ? await acts.service(target) : null;
      if (there === null || !acts.isSame(there.definition, definition)) throw error;
    }
    await isBefore(hand, definition);
  };
  return { kind: "service.create", needs: await restoring(hand, definition, null), act };
}
