/** Makes one container, with all of its networks and files; one that was made and not noted is found and finished. */

import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";
import { failed, type Hand, isMine, unlessDone } from "./hand.ts";

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
  await unlessDone(acts, () => acts.create(name, spec), async () => await found() !== null);
  const made = await found();
  if (made === null) throw failed(`Container "${name}" was made, and is gone again`);
  await finish(hand, made, spec);
  return made;
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
