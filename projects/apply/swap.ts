/**
 * A new container in an old one's place, so that the old one can come back: it is stopped and put aside under another
 * name, and goes only when the new one is sound. Every part looks first and does only what is not so yet, so a swap
 * that was cut is taken up by doing all of it again.
 */

import { nameWithoutAside } from "../../core/applies.ts";
import { isStoreAway, ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import {
  failed,
  graceOf,
  type Hand,
  isAway,
  isMine,
  isRemovedByItself,
  isUp,
  rename,
  touched,
} from "./hand.ts";
import { finish, makeContainer } from "./making.ts";
import { isCutOff, sharersOf, strandedBy } from "./sharers.ts";
import { carriedOver } from "../specs/carried_over.ts";
import { lostWith, removesItself } from "../specs/removes_itself.ts";
import { mayEnd, startsFirst } from "./successor.ts";
import { Cut, waitForSound } from "./waiting.ts";
import { nameOf } from "./work.ts";

/** The parts of a hand that the way back needs: the journal and the engine, and nothing of the files. */
export type SettlingHand = Pick<
  Hand,
  "acts" | "apply" | "step" | "subject" | "noted" | "isAbandoned" | "keepWords" | "siblings"
>;

/** The two containers of a swap. */
interface Pair<Given extends SettlingHand = Hand> {
  readonly hand: Given;
  /** The name that the container has in the end. */
  readonly own: string;
  /** Null once it is gone. */
  readonly old: InspectedContainer | null;
}

export async function swap(hand: Hand): Promise<void> {
  const old = await oldOf(hand);
  const pair: Pair = { hand, own: hand.orders.nameAfter(hand.step, hand.subject?.name ?? ""), old };
  if (hand.noted["back"] === true) return await goBack(pair, null);
  let left = old;
  try {
    const fresh = await freshOf(pair);
    if (hand.noted["first"] === "new") {
      await bringUp(pair, fresh);
      left = old && await putAside(pair, old);
      await takeName(pair, fresh);
    } else {
      left = old && await putAside(pair, old);
      await takeName(pair, fresh);
      await bringUp(pair, fresh);
    }
  } catch (error) {
    // Cut, or the engine or the store is away: nothing is known, so nothing is turned back.
    const isOpen = error instanceof Cut || !(error instanceof ServiceError) || isStoreAway(error) ||
      isAway(hand.acts, error);
    if (isOpen || old === null) throw error;
    if (left === null || (removesItself(old) && await hand.acts.find(old.id) === null)) {
      throw failed(
        `${error.discreet}; the old container cannot come back: it was made with --rm, and is removed`,
      );
    }
    await hand.note({ back: true, why: error.discreet });
    return await goBack(pair, error);
  }
  if (left !== null) await removeOld(pair, left);
}

async function oldOf(hand: Hand): Promise<InspectedContainer | null> {
  const { acts, subject, isAgain, step, noted } = hand;
  if (subject === null) throw failed(`Nobody knows which container "${step.target}" was`);
  const old = await acts.find(subject.id);
  // An earlier attempt may have put it aside, and removed it in the end; others may have, too.
  if (old === null && isAgain) return null;
  if (old === null) throw touched(subject.name, "removed");
  const isOther = isAgain ? isRenamed(hand, old) : old.name !== subject.name;
  // On the way back it gets its name again, whatever it is called now.
  if (isOther && noted["back"] !== true && !isStopped(hand, old)) throw touched(subject.name, "renamed");
  return old;
}

/** Returns true if an earlier attempt found it up and it is down by now: nobody would serve if the swap ended here. */
const isStopped = ({ isAgain, noted }: Hand, old: InspectedContainer): boolean =>
  isAgain && noted["running"] === true && typeof noted["first"] === "string" && !isUp(old);

/** Returns true if the old container has a name that no part of a swap gives: somebody wants to keep it. */
function isRenamed({ apply, subject }: SettlingHand, { name }: InspectedContainer): boolean {
  const before = subject?.name ?? "";
  const isAside = name.endsWith(nameOf("", "old", apply));
  return !isAside && name !== before && name !== nameWithoutAside(before);
}

/** The new one: that of an earlier attempt, or one that is made now. */
async function freshOf({ hand, own, old }: Pair): Promise<InspectedContainer> {
  const { acts, apply, orders, step } = hand;
  const passing = nameOf(own, "new", apply);
  for (const name of hand.isAgain ? [passing, own] : []) {
    const found = await acts.find(name);
    if (found === null || !isMine(hand, found)) continue;
    await finish(hand, found, await orders.container(step, acts));
    return found;
  }
  if (old === null) throw touched(own, "removed");
  const asked = await orders.container(step, acts);
  const spec = { ...asked, mounts: carriedOver(asked, old) };
  const lost = lostWith(old, spec.mounts);
  if (lost.length > 0) {
    const places = lost.map((target) => `"${target}"`).join(", ");
    throw failed(
      `"${own}" was made with --rm, and its engine would remove its volume at ${places} with it, which the new ` +
        "container does not mount: keep a volume without a name there, or copy its data and remove the container",
    );
  }
  // The note of an earlier attempt was true before it began.
  if ((hand.noted["first"] ?? undefined) === undefined) {
    const { name, maximumRetries } = old.restart;
    const first = isUp(old) && startsFirst(orders.declared(step), spec) ? "new" : "old";
    await hand.note({ running: isUp(old), restart: name, retries: maximumRetries, first, own });
  }
  return await makeContainer(hand, passing, spec);
}

/**
 * Stopped, so that its ports are free; and without its restart policy, or a new start of the engine would start it. Null
 * for one that its engine removes then: the new one has its volumes by now, which keeps them.
 */
async function putAside(
  { hand, own }: Pair,
  old: InspectedContainer,
): Promise<InspectedContainer | null> {
  const { acts, apply, orders } = hand;
  if (isRenamed(hand, old)) return old; // it is stopped, and stays as somebody keeps it
  if (orders.kind === "docker" && !["", "no"].includes(old.restart.name)) {
    await acts.update(old.id, { restart: { name: "no", maximumRetries: 0 } });
  }
  if (isUp(old)) {
    await hand.hooks("preStop", old);
    await acts.stop(old.id, graceOf(old));
  }
  if (await isRemovedByItself(acts, old)) return null;
  const aside = nameOf(own, "old", apply);
  if (old.name !== aside) await rename(hand, old.id, aside);
  return old;
}

export async function takeName({ hand, own }: Pair<SettlingHand>, { id }: InspectedContainer): Promise<void> {
  const now = await hand.acts.find(id);
  if (now !== null && now.name !== own) await rename(hand, id, own);
}

/** Starts it, runs its hooks, and waits until it is sound. */
async function bringUp({ hand }: Pair, { id }: InspectedContainer): Promise<void> {
  const { acts } = hand;
  const now = await acts.find(id);
  if (now === null) throw failed("The new container was removed by somebody else");
  const isJob = mayEnd(hand, now);
  // A job that has run is not run again; a server that an engine's end took down is.
  if (now.state === "created" || (!isUp(now) && !isJob)) await acts.start(id);
  await hand.hooks("postStart", now);
  await waitForSound(hand, id, isJob);
}

/**
 * Its volumes stay, and all of it that somebody renamed meanwhile. Podman lets nobody go whose namespaces others share:
 * the end of the apply sees to that one.
 */
export async function removeOld({ hand }: Pair<SettlingHand>, old: InspectedContainer): Promise<void> {
  const now = await hand.acts.find(old.id);
  if (now === null || isRenamed(hand, now)) return;
  try {
    await hand.acts.remove(old.id);
  } catch (error) {
    if (hand.acts.isAway(error)) throw error;
    const isGone = await hand.acts.find(old.id) === null; // Compose, or somebody else, was faster
    if (!isGone && (await sharersOf(hand, old.id)).length === 0) throw error;
  }
}

/** The old one serves again, and who shares its namespaces has them again; then the step fails. */
export async function goBack({ hand, own, old }: Pair<SettlingHand>, error: unknown): Promise<never> {
  const { acts, apply, subject } = hand;
  if (old === null || subject === null) throw touched(own, "removed");
  const passing = nameOf(own, "new", apply);
  const kept: string[] = [];
  for (const name of [passing, own]) {
    const fresh = await acts.find(name);
    if (fresh === null || !isMine(hand, fresh)) continue;
    await hand.keepWords(fresh).catch(() => {});
    if (await takeAway(hand, fresh)) continue;
    const refusal = await refusalOf(hand, () => rename(hand, fresh.id, passing));
    kept.push(refusal === null ? passing : name);
  }
  const { running, why } = hand.noted;
  const reason = error instanceof ServiceError ? error.discreet : String(why);
  const refusal = await comeBack(hand, subject.name, old.id);
  if (refusal !== null) {
    const stuck = `the old container "${subject.name}" cannot come back: ${refusal.discreet}`;
    if (hand.isAbandoned) throw failed(`${reason}; ${stuck}`);
    // Tried again for as long as an engine may be away; then a person has to say what to do.
    throw new ServiceError("engine_unavailable", `${reason}; ${stuck}`);
  }
  const rest = kept.length === 0 ? "" : `, and "${kept.join('", "')}" could not be removed`;
  throw failed(`${reason}; the old container ${running === true ? "serves again" : "is back"}${rest}`);
}

/** Does one part of the way back. Returns why the engine refuses it. */
async function refusalOf(
  { acts }: SettlingHand,
  act: () => Promise<void>,
): Promise<ServiceError | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError) || isAway(acts, error)) throw error;
    return error;
  }
}

/** Its name, its restart policy and its start: what one of them is refused keeps back no other. */
async function comeBack(hand: SettlingHand, before: string, id: string): Promise<ServiceError | null> {
  const { acts, noted: { running, restart, retries } } = hand;
  const old = await acts.find(id);
  if (old === null) throw touched(before, "removed");
  const name = nameWithoutAside(before);
  let refusal: ServiceError | null = null;
  const attempt = async (act: () => Promise<void>) => {
    const refused = await refusalOf(hand, act);
    refusal ??= refused;
  };
  if (old.name !== name) await attempt(() => rename(hand, id, name));
  if (typeof restart === "string" && restart !== "" && restart !== old.restart.name) {
    const policy = { name: restart, maximumRetries: Number(retries ?? 0) };
    await attempt(() => acts.update(id, { restart: policy }));
  }
  if (running !== true) return refusal;
  if (await isCutOff(hand, old)) return failed("the container whose namespaces it shares was replaced");
  if (!isUp(old)) await attempt(() => acts.start(id));
  for (const sharer of await strandedBy(hand, id)) {
    await attempt(() => acts.restart(sharer.id, graceOf(sharer)));
  }
  return refusal;
}

/**
 * The milliseconds that a name may stay taken by a container that another caller removes or the engine starts again.
 */
const FREE_MS = 10_000;
const LOOK_MS = 100;

/** Removes the new container. Returns true if it is gone: in any case the old one has to come back. */
async function takeAway({ acts }: SettlingHand, fresh: InspectedContainer): Promise<boolean> {
  const end = performance.now() + FREE_MS;
  for (let now: InspectedContainer | null = fresh; now !== null; now = await acts.find(fresh.id)) {
    try {
      if (isUp(now)) await acts.stop(now.id, graceOf(now));
      await acts.remove(now.id);
    } catch (error) {
      if (!(error instanceof ServiceError) || acts.isAway(error)) throw error;
      if (performance.now() > end) return false;
      await pause(LOOK_MS);
    }
  }
  return true;
}
