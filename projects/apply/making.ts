/** Makes one container, with all of its networks; one that was made and not noted is found and finished. */

import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";
import { failed, type Hand } from "./hand.ts";

/** It carries the mark of the step, so whoever takes the step up again finds it. */
export async function makeContainer(
  hand: Hand,
  name: string,
  spec: Partial<ContainerSpec>,
): Promise<InspectedContainer> {
  const id = await hand.acts.create(name, spec);
  const made = await hand.acts.find(id);
  if (made === null) throw failed(`Container "${name}" was made, and is gone again`);
  await joinNetworks(hand, made, spec);
  return made;
}

/** Engines take one network when a container is made; the others follow before it starts. */
export async function joinNetworks(
  { acts }: Hand,
  { id, networks: joined }: InspectedContainer,
  { networks = [] }: Partial<ContainerSpec>,
): Promise<void> {
  const names = new Set(joined.map(({ name }) => name));
  for (const network of networks.slice(1)) if (!names.has(network.name)) await acts.connect(id, network);
}
