/** Sorts containers into projects: those of one Compose project, and those that are connected with each other. */

import type { InspectedContainer } from "../../core/runtime.ts";
import { namedNetworks } from "./write_networks.ts";

/** The containers of one project to write. */
export interface Part {
  readonly name: string;
  readonly backend: string;
  readonly containers: readonly InspectedContainer[];
}

/**
 * Containers belong together by their Compose project, a network that somebody made, a namespace of another one, a
 * link, or `volumesFrom`. Each other one is alone.
 */
export function partsOf(containers: readonly InspectedContainer[]): Part[] {
  const parts: InspectedContainer[][] = [];
  for (const container of containers) {
    const own = parts.filter((part) => part.some((other) => isTogether(container, other)));
    for (const part of own) parts.splice(parts.indexOf(part), 1);
    parts.push([...own.flat(), container]);
  }
  const taken = new Set<string>();
  return parts.map((part) => {
    const sorted = [...part].sort((one, other) => one.name < other.name ? -1 : 1);
    const wanted = projectName(
      sorted.find(({ compose }) => compose !== null)?.compose?.project ?? sorted[0]!.name,
    );
    let name = wanted;
    for (let n = 2; taken.has(name); n++) name = `${wanted}-${n}`;
    taken.add(name);
    return { name, backend: sorted[0]!.backend, containers: sorted }; // no part is empty
  });
}

/** Brings a name into the form that Compose takes. */
const projectName = (text: string): string =>
  text.toLowerCase().replace(/[^a-z0-9_-]/g, "-").replace(/^[^a-z0-9]+/, "") || "project";

function isTogether(one: InspectedContainer, other: InspectedContainer): boolean {
  if (one.backend !== other.backend) return false;
  if (one.compose !== null && other.compose !== null) return one.compose.project === other.compose.project;
  const networks = new Set(namedNetworks(one).map(({ name }) => name));
  return namedNetworks(other).some(({ name }) => networks.has(name)) || names(one, other) ||
    names(other, one);
}

/** True if one container names the other. */
function names(one: InspectedContainer, { id, name }: InspectedContainer): boolean {
  const modes = [one.networkMode, one.ipcMode, one.pidMode].map((mode) => mode.replace(/^container:/, ""));
  const links = [...one.links, ...one.networks.flatMap((network) => network.links)];
  return [...modes, ...one.volumesFrom, ...links].some((text) => {
    const [first = ""] = text.split(":");
    return first === id || first === name || (first.length >= 12 && id.startsWith(first));
  });
}
