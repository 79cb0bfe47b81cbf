/** Carries one step out. Each looks at its object right before it acts, and what is so already is done. */

import type { Labelled } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { fullImage } from "../fields/process.ts";
import { projectOf } from "../hash/labels.ts";
import type { StackStepKind, Step } from "../plan/plan_shape.ts";
import { removesItself } from "../specs/removes_itself.ts";
import {
  failed,
  graceOf,
  type Hand,
  isAway,
  isMine,
  isRemovedByItself,
  isUp,
  touched,
  unlessDone,
} from "./hand.ts";
import { runHook, type Skipped } from "./hook.ts";
import { buildImage } from "./building.ts";
import { finish, makeContainer } from "./making.ts";
import { noteNetwork } from "./network_back.ts";
import { swap } from "./swap.ts";
import { waitForUnit } from "./waiting.ts";
import { MARK, stepsOf } from "./work.ts";

/** The id of the container that a step has started. */
interface HasStarted {
  readonly started: string;
}

/** A step may turn out to have nothing to do, and says why. */
type CarryOut = (hand: Hand) => Promise<void | Skipped | HasStarted>;

/** Throws a `ServiceError` that says why it failed, `Cut`, or `NotKnown`. */
export const carryOut: CarryOut = async (hand) => {
  const { kind, target } = hand.step;
  if (kind in BY_KIND) return await BY_KIND[kind as keyof typeof BY_KIND](hand);
  throw failed(`Cannot carry out ${kind} of "${target}" on an engine: it is a step of a swarm`);
};

const BY_KIND: Readonly<Record<Exclude<Step["kind"], StackStepKind>, CarryOut>> = {
  "image.pull": pull,
  "image.build": buildImage,
  "network.create": createNetwork,
  "network.remove": removeNetwork,
  "network.connect": connect,
  "volume.create": createVolume,
  "volume.remove": removeVolume,
  "container.create": create,
  "container.start": start,
  "container.stop": stop,
  "container.remove": remove,
  "container.swap": swap,
  "container.update": update,
  "container.restart": restart,
  "hook.run": async (hand) => await runHook(hand, await existing(hand)),
  "wait": wait,
};

/** Notes whether the name means another image than before: other steps may be done only then. */
async function pull(hand: Hand): Promise<void> {
  const { acts, orders, step, ending: signal, progress, loginFor } = hand;
  const reference = orders.reference(step);
  if (hand.noted["before"] === undefined) {
    await hand.note({ before: await acts.imageId(fullImage(reference)) });
  }
  const platform = orders.platform(step);
  await acts.pull({ reference, digest: step.digest ?? null, platform, loginFor, signal, progress });
  await hand.note({ changed: await acts.imageId(fullImage(reference)) !== hand.noted["before"] });
}

async function create(hand: Hand): Promise<void> {
  const { acts, orders, step } = hand;
  const name = orders.containerName(step);
  const there = hand.isAgain ? await acts.find(name) : null;
  const spec = await orders.container(step, acts);
  if (there !== null && isMine(hand, there)) await finish(hand, there, spec);
  else await makeContainer(hand, name, spec);
}

async function start(hand: Hand): Promise<HasStarted> {
  const { acts, orders, step, subject } = hand;
  const found = await existing(hand);
  if (isUp(found)) return { started: found.id };
  if (subject !== null && found.state === "created") {
    // An earlier attempt may have ended before it copied the files.
    const { files = [] } = await orders.container(step, acts);
    await acts.copy(found.id, files);
  }
  await acts.start(found.id);
  return { started: found.id };
}

async function stop(hand: Hand): Promise<void> {
  const { acts, subject, isAgain, noted } = hand;
  // An earlier attempt stopped it, and its engine removed it then.
  if (
    isAgain && noted["removesItself"] === true && subject !== null && await acts.find(subject.id) === null
  ) {
    return;
  }
  const found = await existing(hand);
  if (!isUp(found)) return;
  if (removesItself(found)) await hand.note({ removesItself: true });
  await acts.stop(found.id, graceOf(found));
  await isRemovedByItself(acts, found);
}

/** The container of the step: the one that was there at first, or the one that this apply made under the name. */
async function existing(hand: Hand): Promise<InspectedContainer> {
  const { acts, orders, step, subject, apply } = hand;
  const name = subject?.name ?? orders.containerName(step);
  const found = await acts.find(subject?.id ?? name);
  if (found === null) throw touched(name, "removed");
  if (found.name !== name) throw touched(name, "renamed");
  if (subject === null && !found.labels[MARK]?.startsWith(`${apply}:`)) throw touched(name, "replaced");
  return found;
}

/** Removes a container; one that is gone already is fine. */
async function remove(hand: Hand): Promise<void> {
  const { acts, subject, step } = hand;
  const found = await acts.find(subject?.id ?? step.target);
  if (found === null) return;
  if (subject === null) throw touched(found.name, "made");
  if (found.name !== subject.name) throw touched(subject.name, "renamed");
  if (isUp(found)) throw touched(subject.name, "started");
  await unlessDone(acts, () => acts.remove(found.id), async () => await acts.find(found.id) === null);
}

/** A condition that no unit requires stops none of them, as with Compose. */
async function wait(hand: Hand): Promise<void | Skipped> {
  try {
    await waitForUnit(hand);
  } catch (error) {
    if (hand.step.optional !== true || !(error instanceof ServiceError) || error.code !== "apply_failed") {
      throw error;
    }
    return { skipped: `${error.discreet}, which is not required` };
  }
}

/** Notes that the engine refuses the change, if the plan has a swap for this case. */
async function update(hand: Hand): Promise<void | Skipped> {
  const { acts, orders, step, work } = hand;
  const found = await existing(hand);
  try {
    await acts.update(found.id, orders.limits(step, found));
  } catch (error) {
    const isReplaced = stepsOf(work).some(({ ifChanged = [] }) => ifChanged.includes(step.n));
    if (!(error instanceof ServiceError) || isAway(acts, error) || !isReplaced) throw error;
    await hand.note({ changed: true });
    return { skipped: `The container is replaced: ${error.discreet}` };
  }
}

async function restart(hand: Hand): Promise<HasStarted> {
  const found = await existing(hand);
  const before = hand.noted["startedAt"];
  // Started since an earlier attempt began: that attempt did it.
  if (typeof before === "string" && isUp(found) && found.startedAt !== null && found.startedAt > before) {
    return { started: found.id };
  }
  if (before === undefined) await hand.note({ startedAt: found.startedAt ?? "" });
  await hand.acts.restart(found.id, graceOf(found));
  return { started: found.id };
}

async function createNetwork(hand: Hand): Promise<void> {
  const spec = await hand.orders.network(hand.step);
  const there = await hand.acts.network(spec.name);
  if (there === null) {
    const isThere = async () => isMade(hand, await hand.acts.network(spec.name));
    await unlessDone(hand.acts, () => hand.acts.createNetwork(spec), isThere);
  } else if (!isOwn(spec, there)) {
    throw failed(`Somebody else made the network "${spec.name}": ask for a new plan`);
  }
}

async function createVolume(hand: Hand): Promise<void> {
  const spec = await hand.orders.volume(hand.step);
  const there = await hand.acts.volume(spec.name);
  if (there === null) {
    const isThere = async () => isMade(hand, await hand.acts.volume(spec.name));
    await unlessDone(hand.acts, () => hand.acts.createVolume(spec), isThere);
  } else if (!isOwn(spec, there)) {
    throw failed(`Somebody else made the volume "${spec.name}": ask for a new plan`);
  }
}

const isMade = (hand: Hand, there: Labelled | null): boolean => there !== null && isMine(hand, there);

/** Of the same project: made by an earlier attempt, or by Compose a moment ago. */
const isOwn = ({ labels: wanted }: Labelled, { labels }: Labelled): boolean =>
  projectOf(labels) === projectOf(wanted);

/** By nobody's force: who has it mounted keeps it. */
async function removeVolume({ acts, step, work }: Hand): Promise<void> {
  const { target } = step;
  const there = await acts.volume(target);
  if (there === null) return;
  if (projectOf(there.labels) !== work.plan.project) {
    throw failed(`Somebody else made the volume "${target}": ask for a new plan`);
  }
  await unlessDone(acts, () => acts.removeVolume(target), async () => await acts.volume(target) === null);
}

/** Its own containers let go of it first: they stand still, and are connected to the new one. */
async function removeNetwork(hand: Hand): Promise<void> {
  const { acts, orders, step, work } = hand;
  const { target } = step;
  const there = await acts.network(target);
  if (there === null) return;
  if (projectOf(there.labels) !== work.plan.project) {
    throw failed(`Somebody else made the network "${target}": ask for a new plan`);
  }
  const own = new Set((await orders.containers()).map(({ id }) => id));
  const users = await acts.usersOf(target);
  const others = users.filter(({ id }) => !own.has(id));
  if (others.length > 0) {
    const names = others.map(({ name }) => `"${name}"`).join(", ");
    throw failed(`Cannot remove the network "${target}": others are connected to it, ${names}`);
  }
  await noteNetwork(hand, users);
  for (const { id } of users) {
    const found = await acts.find(id);
    if (found !== null && !found.networkMode.startsWith("container:")) await acts.disconnect(id, target);
  }
  await unlessDone(acts, () => acts.removeNetwork(target), async () => await acts.network(target) === null);
}

/** To the network that the steps before it made, as its unit says. */
async function connect(hand: Hand): Promise<void> {
  const { acts, orders, step, work } = hand;
  const made = work.plan.steps.find(({ n, kind }) => kind === "network.create" && step.after.includes(n));
  if (made === undefined) throw failed(`Nobody knows which network "${step.target}" is to be connected to`);
  const { name } = orders.resource("network", made);
  const found = await existing(hand);
  const membership = orders.membership(found, name);
  // Its file no longer names the network: the swap that follows leaves it.
  if (membership !== null) await acts.connect(found.id, membership);
}
