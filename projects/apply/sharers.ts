/** Who lives in another container's namespaces: stopped and started, that one has others than before. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Hand } from "./hand.ts";

/** Those of the project that share a namespace with this container. */
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
    if ([one.networkMode, one.ipcMode, one.pidMode, one.utsMode].includes(mode)) found.push(one);
  }
  return found;
}
