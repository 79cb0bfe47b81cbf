/** Containers that share another one's namespaces: stopped and started, that one has others than before. */

import type { InspectedContainer } from "../../core/runtime.ts";
import { type Hand, isUp } from "./hand.ts";

/** Returns the containers of the project that share a namespace with this one. */
export async function sharersOf(
  { acts, siblings }: Pick<Hand, "acts" | "siblings">,
  id: string,
): Promise<InspectedContainer[]> {
  const mode = `container:${id}`;
  const found: InspectedContainer[] = [];
  for (const container of await siblings()) {
    if (container.id === id) continue;
    const one = await acts.find(container.id);
    if (one === null) continue;
    if (modesOf(one).includes(mode)) found.push(one);
  }
  return found;
}

/**
 * Returns true if a container shares the namespaces of one that is gone or stopped. It cannot serve then, and Podman would
 * start that other one with it.
 */
export async function isCutOff(
  { acts }: Pick<Hand, "acts">,
  container: InspectedContainer,
): Promise<boolean> {
  for (const mode of modesOf(container)) {
    const [, id] = /^container:(.+)$/.exec(mode) ?? [];
    if (id === undefined) continue;
    const owner = await acts.find(id);
    if (owner === null || !isUp(owner)) return true;
  }
  return false;
}

const modesOf = ({ networkMode, ipcMode, pidMode, utsMode }: InspectedContainer) => [
  networkMode,
  ipcMode,
  pidMode,
  utsMode,
];
