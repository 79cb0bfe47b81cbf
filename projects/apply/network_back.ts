/**
 * The way back of a network that is replaced: its definition and its members are noted before it is removed. Where the
 * new one is refused, the old one is made again, and the containers that were stopped for it run again.
 */

import type { NetworkSpec } from "../../core/engine_acts.ts";
import { isStoreAway, ServiceError } from "../../core/error.ts";
import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";
import { projectOf } from "../hash/labels.ts";
import type { Step } from "../plan/plan_shape.ts";
import { failed, type Hand, isAway, isUp, touched, unlessDone } from "./hand.ts";
import { Cut } from "./waiting.ts";
import { stepsOf } from "./work.ts";

/** A container's membership in the network. */
interface Member {
  readonly id: string;
  readonly network: ContainerSpec["networks"][number];
}

/** Returns the step that removes the network which this step makes anew, or which it removes; null where none comes back. */
function replacedBy({ step, work }: Hand): Step | null {
  const steps = stepsOf(work);
  const made = steps.find(({ n, kind, after }) =>
    kind === "network.create" && (n === step.n || after.includes(step.n))
  );
  return steps.find(({ n, kind }) => kind === "network.remove" && made?.after.includes(n)) ?? null;
}

/** Notes the network and its members, before anything of them changes. */
export async function noteNetwork(hand: Hand, members: readonly { readonly id: string }[]): Promise<void> {
  const { acts, step: { target }, noted } = hand;
  if (noted["held"] !== undefined || replacedBy(hand) === null) return;
  const joined: Member[] = [];
  for (const { id } of members) {
    const network = (await acts.find(id))?.networks.find(({ name }) => name === target);
    if (network !== undefined) joined.push({ id, network });
  }
  const held = await acts.networkNow(target);
  await hand.note({ held: JSON.stringify(held), joined: JSON.stringify(joined) });
}

/**
 * Does a step about a network that is replaced. Where the engine refuses it, the network and its containers come back,
 * and the step fails. Continues with the way back where an earlier attempt had begun it.
 */
export async function orNetworkBack(hand: Hand, work: () => Promise<void>): Promise<void> {
  const removal = replacedBy(hand);
  if (removal === null) return await work();
  if (hand.noted["back"] === true) return await networkBack(hand, removal, String(hand.noted["why"]));
  try {
    await work();
  } catch (error) {
    // Cut, or the engine or the store is away: nothing is known, so nothing is turned back.
    const isOpen = error instanceof Cut || !(error instanceof ServiceError) || isStoreAway(error) ||
      isAway(hand.acts, error);
    if (isOpen) throw error;
    await hand.note({ back: true, why: error.discreet });
    await networkBack(hand, removal, error.discreet);
  }
}

/** Connects a container as it was. Podman tells no address that was asked for: that of the file is tried first. */
async function joinAgain(
  { acts, orders }: Hand,
  container: InspectedContainer,
  network: Member["network"],
): Promise<void> {
  const declared = orders.kind === "podman" ? orders.membership(container, network.name) : null;
  if (declared !== null) {
    const { ipv4Address, ipv6Address } = declared;
    try {
      return await acts.connect(container.id, { ...network, ipv4Address, ipv6Address });
    } catch (error) {
      if (!(error instanceof ServiceError) || isAway(acts, error)) throw error;
    }
  }
  await acts.connect(container.id, network);
}

async function networkBack(hand: Hand, removal: Step, why: string): Promise<never> {
  const { acts, work } = hand;
  const { target: name } = removal;
  const noted = removal.n === hand.step.n ? hand.noted : await hand.notedOf(removal.n);
  const held: NetworkSpec | null = JSON.parse(String(noted["held"] ?? null));
  const joined: readonly Member[] = JSON.parse(String(noted["joined"] ?? "[]"));
  let refusal: ServiceError | null = null;
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ServiceError) || isAway(acts, error)) throw error;
      refusal ??= error;
    }
  };
  const isThere = async () => await acts.network(name) !== null;
  if (held !== null && !await isThere()) {
    await attempt(() => unlessDone(acts, () => acts.recreateNetwork(held), isThere));
  }
  const there = await acts.network(name);
  if (there === null || projectOf(there.labels) !== work.plan.project) {
    refusal ??= failed(`nothing could bring the network "${name}" back`);
    throw failed(`${why}; ${refusal.discreet}. Its containers stay stopped`);
  }
  for (const { id, network } of joined) {
    const found = await acts.find(id);
    if (found === null || found.networks.some((one) => one.name === name)) continue;
    await attempt(() => joinAgain(hand, found, network));
  }
  for (const { n, kind, target } of stepsOf(work)) {
    if (kind !== "container.stop" || !removal.after.includes(n)) continue;
    const found = await acts.find(work.subjects[n]?.id ?? target);
    if (found === null) refusal ??= touched(target, "removed");
    else if (!isUp(found)) await attempt(() => acts.start(found.id));
  }
  if (refusal !== null) throw failed(`${why}; ${(refusal as ServiceError).discreet}`);
  throw failed(`${why}; the network "${name}" is what it was, and its containers run again`);
}
