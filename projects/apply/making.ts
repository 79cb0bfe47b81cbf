/** Makes one container, with all of its networks and files; one that was made and not noted is found and finished. */

import { pause } from "../../core/pause.ts";
import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";
import { failed, type Hand, isMine, unlessDone } from "./hand.ts";

/** The milliseconds that a name may be taken by a container that the engine does not show yet. */
const MAKING_MS = 10_000;
const LOOK_MS = 100;

/** It carries the mark of the step, so whoever takes the step up again finds it. */
export async function makeContainer(
  hand: Hand,
  name: string,
  spec: Partial<ContainerSpec>,
): Promise<InspectedContainer> {
  const { acts } = hand;
  const found = async () => {
    const there = await acts.find(name);
    return there !== null && isMine(hand, there) ? there : null;
  };
  await unlessDone(acts, () => acts.create(name, spec), async ({ code }) => {
    if (code === "name_taken") await turnsUp(() => acts.find(name));
    return await found() !== null;
  });
  const made = await found();
  if (made === null) throw failed(`Container "${name}" was made, and is gone again`);
  await finish(hand, made, spec);
  return made;
}

/**
 * Waits for the container whose name is taken. An engine reserves the name first and shows the container later: one that
 * an earlier attempt asked for may still be in the making.
 */
async function turnsUp(find: () => Promise<InspectedContainer | null>): Promise<void> {
  const end = performance.now() + MAKING_MS;
  while (await find() === null && performance.now() < end) await pause(LOOK_MS);
}

/** Engines take one network when a container is made; the others, and what is copied, follow before it starts. */
export async function finish(
  { acts }: Hand,
  { id, state, networks: joined }: InspectedContainer,
  { networks = [], files = [] }: Partial<ContainerSpec>,
): Promise<void> {
  const names = new Set(joined.map(({ name }) => name));
  for (const network of networks.slice(1)) if (!names.has(network.name)) await acts.connect(id, network);
  if (state === "created") await acts.copy(id, files);
}
