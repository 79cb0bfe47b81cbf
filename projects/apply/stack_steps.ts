/** Carries one step of a stack out. Each looks at its object right before it acts, and what is so already is done. */

import { pause } from "../../core/pause.ts";
import type { ServiceSpec } from "../../core/service_spec.ts";
import type { HeldService } from "../../core/stack_acts.ts";
import type { StackStepKind } from "../plan/plan_shape.ts";
import { makingFile, makingNetwork, makingService } from "../plan/stack_needs.ts";
import { failed } from "./hand.ts";
import { hasCode, isOwn, isPosted, type StackHand, touchedService, untilFree } from "./stack_hand.ts";
import { fileIdsIn } from "./stack_orders.ts";
import { waitForService } from "./stack_waiting.ts";

type CarryOut = (hand: StackHand) => Promise<void>;

/** The milliseconds that the tasks of a removed service may take to stop, before the apply goes on without them. */
const STOPPING_MS = 60_000;
const LOOK_MS = 1_000;

/** Throws a `ServiceError` that says why it failed, or `Cut`. */
export const carryOutOnSwarm: CarryOut = async (hand) => {
  const { kind, target } = hand.step;
  const act = BY_KIND[kind as keyof typeof BY_KIND] as CarryOut | undefined;
  if (act === undefined) throw failed(`Cannot carry out ${kind} of "${target}" on a swarm`);
  await act(hand);
};

const BY_KIND: Readonly<Record<StackStepKind | "network.create" | "network.remove", CarryOut>> = {
  "network.create": createNetwork,
  "network.remove": removeNetwork,
  "secret.create": (hand) => createFile(hand, "secret"),
  "secret.remove": (hand) => removeFile(hand, "secret"),
  "config.create": (hand) => createFile(hand, "config"),
  "config.remove": (hand) => removeFile(hand, "config"),
  "service.create": createService,
  "service.update": updateService,
  "service.wait": wait,
  "service.remove": removeService,
};

async function createNetwork(hand: StackHand): Promise<void> {
  const { orders, acts, step: { target } } = hand;
  const scene = await orders.scene(await hand.holder());
  const there = scene.now.networks.find(({ name }) => name === target);
  if (there !== undefined) return assertOwn(hand, "network", there);
  const { resource, spec } = orders.network(hand.step);
  await hand.refuse(makingNetwork(scene, resource, spec));
  await unlessOwn(hand, "network", () => acts.createNetwork(spec));
}

async function createFile(hand: StackHand, kind: "secret" | "config"): Promise<void> {
  const { orders, acts } = hand;
  const scene = await orders.scene(await hand.holder());
  const there = listOf(scene, kind).find(({ name }) => name === hand.step.target);
  if (there !== undefined) return assertOwn(hand, kind, there);
  const { resource, file } = await orders.file(scene, kind, hand.step);
  await hand.refuse(makingFile(scene, resource));
  await unlessOwn(hand, kind, () => acts.createFile(kind, file));
}

type Scene = Awaited<ReturnType<StackHand["orders"]["scene"]>>;

const listOf = ({ now }: Scene, kind: "network" | "secret" | "config") =>
  kind === "network" ? now.networks : kind === "secret" ? now.secrets : now.configs;

function assertOwn(
  hand: StackHand,
  kind: string,
  there: { readonly labels: Readonly<Record<string, string>> },
): void {
  if (!isOwn(hand, there)) {
    throw failed(`Somebody else made the ${kind} "${hand.step.target}": ask for a new plan`);
  }
}

/** Makes it. A name that is taken may be that of an earlier attempt, which nobody waited for to its end. */
async function unlessOwn(
  hand: StackHand,
  kind: "network" | "secret" | "config",
  make: () => Promise<void>,
): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (hand.acts.isAway(error)) throw error;
    const scene = await hand.orders.scene(await hand.holder());
    const there = listOf(scene, kind).find(({ name }) => name === hand.step.target);
    if (there === undefined) throw error;
    assertOwn(hand, kind, there);
  }
}

async function createService(hand: StackHand): Promise<void> {
  const { orders, acts, step, loginFor } = hand;
  const assertMade = async (): Promise<boolean> => {
    const there = await acts.service(step.target);
    if (there !== null) assertOwn(hand, "service", there);
    return there !== null;
  };
  if (await assertMade()) return;
  const scene = await orders.scene(await hand.holder());
  const spec = orders.service(scene, step, null);
  await hand.refuse(makingService(scene, orders.declared(step), spec));
  await hand.note({ image: imageOf(spec) });
  try {
    await acts.createService(spec, fileIdsIn(scene), loginFor);
  } catch (error) {
    if (acts.isAway(error) || !await assertMade()) throw error;
  }
}

/** Posts the service once: its own post is known by the label, and the swarm refuses every other version. */
async function updateService(hand: StackHand): Promise<void> {
  const { orders, acts, step, subject, loginFor } = hand;
  const held = await acts.service(step.target);
  if (held === null) throw touchedService(step.target, "removed");
  if (held.id !== subject?.id) throw touchedService(step.target, "made anew");
  if (isOwn(hand, held)) return;
  // The swarm may have rolled an earlier attempt's post back since: the wait that follows says so.
  if (hand.isAgain && held.version !== subject.version && await isRolledBack(hand, held)) return;
  if (!isAsPlanned(hand, held)) throw touchedService(step.target, "changed");
  const scene = await orders.scene(await hand.holder());
  const spec = orders.service(scene, step, held);
  await hand.refuse(makingService(scene, orders.declared(step), spec));
  await hand.note({ undo: await hand.seal(held.definition), image: imageOf(spec) });
  try {
    await acts.updateService({ id: held.id, version: held.version }, spec, fileIdsIn(scene), loginFor);
  } catch (error) {
    if (acts.isAway(error)) throw error;
    const now = await acts.service(step.target);
    if (now !== null && isOwn(hand, now)) return;
    // Nothing was posted that could be taken back; of an unclear failure nobody knows.
    if (!hasCode(error, "engine_failed")) await hand.note({ undo: null });
    throw hasCode(error, "changed_meanwhile") ? touchedService(step.target, "changed") : error;
  }
}

/** A swarm counts the version up while it updates, so that the definition tells if somebody has changed it. */
const isAsPlanned = ({ orders, subject }: StackHand, { definition }: HeldService): boolean =>
  subject?.definition === orders.ground.digest(definition);

const imageOf = ({ container }: ServiceSpec): string => container.image ?? "";

async function isRolledBack(
  { noted, acts, open }: StackHand,
  { update, definition }: HeldService,
): Promise<boolean> {
  const sealed = noted["undo"];
  if (typeof sealed !== "string" || update?.state.startsWith("rollback") !== true) return false;
  const before = await open(sealed);
  return before !== null && acts.isSame(before, definition);
}

async function wait(hand: StackHand): Promise<void> {
  const { step, work } = hand;
  const posted = work.plan.steps.find(({ n }) => n === step.after[0]);
  const noted = posted === undefined ? {} : await hand.notedBy(posted.n);
  const judge = async (held: HeldService) => {
    const is = posted !== undefined && await isPosted({ ...hand, step: posted, noted }, held);
    return is ? null : touchedService(step.target, "changed");
  };
  await waitForService(hand, { judge });
}

async function removeService(hand: StackHand): Promise<void> {
  const { acts, step: { target }, subject } = hand;
  const held = await acts.service(target);
  if (held !== null) {
    if (held.id !== subject?.id) throw touchedService(target, "made anew");
    if (!isAsPlanned(hand, held)) throw touchedService(target, "changed");
    await hand.note({ undo: await hand.seal(held.definition) });
    await hand.refuse(hand.step.needs);
    await acts.removeService(held.id, target);
  }
  if (subject === null) return;
  const until = performance.now() + STOPPING_MS;
  while (performance.now() < until && !hand.ending.aborted && await acts.hasTasks(subject.id)) {
    await pause(LOOK_MS, hand.ending);
  }
}

async function removeFile(hand: StackHand, kind: "secret" | "config"): Promise<void> {
  const { orders, acts, subject, step: { target } } = hand;
  const scene = await orders.scene(await hand.holder());
  const there = listOf(scene, kind).find(({ name }) => name === target);
  if (there === undefined) return;
  if (there.id !== subject?.id || there.stack !== hand.work.plan.project) {
    throw failed(`Somebody else made the ${kind} "${target}": ask for a new plan`);
  }
  // The swarm lets one go that only a rollback would need, and the rollback fails then.
  const users = scene.now.services.filter(({ files }) => files[`${kind}s`].includes(target));
  if (users.length > 0) {
    const names = users.map(({ name }) => `"${name}"`).join(", ");
    throw failed(`Cannot remove the ${kind} "${target}": ${names} has it, or would after a rollback`);
  }
  await untilFree(hand, async () => {
    await hand.refuse(hand.step.needs);
    await acts.removeFile(kind, there.id, target);
  });
}

async function removeNetwork(hand: StackHand): Promise<void> {
  const { orders, acts, subject, step: { target } } = hand;
  const scene = await orders.scene(await hand.holder());
  const there = scene.now.networks.find(({ name }) => name === target);
  if (there === undefined) return;
  if (there.id !== subject?.id || there.stack !== hand.work.plan.project) {
    throw failed(`Somebody else made the network "${target}": ask for a new plan`);
  }
  await untilFree(hand, async () => {
    await hand.refuse(hand.step.needs);
    await acts.removeNetwork(there.id, target);
  });
}
