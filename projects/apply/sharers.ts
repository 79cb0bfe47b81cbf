/** Containers that share another one's namespaces: stopped and started, that one has others than before. */

import type { InspectedContainer, RunningContainer } from "../../core/runtime.ts";
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

/** Returns the containers of the project that share a namespace with any other one. */
export async function allSharers(
  { acts, siblings }: Pick<Hand, "acts" | "siblings">,
): Promise<RunningContainer[]> {
  const found: RunningContainer[] = [];
  for (const container of await siblings()) {
    const one = await acts.find(container.id);
    if (one !== null && modesOf(one).some((mode) => mode.startsWith("container:"))) found.push(container);
  }
  return found;
}

/** Returns those that share the namespaces of one and were started before it: they run with those of an earlier life. */
export async function strandedBy(
  hand: Pick<Hand, "acts" | "siblings">,
  id: string,
): Promise<InspectedContainer[]> {
  const startedAt = (await hand.acts.find(id))?.startedAt ?? "";
  return (await sharersOf(hand, id)).filter((one) => isUp(one) && (one.startedAt ?? "") <= startedAt);
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
