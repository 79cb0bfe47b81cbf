/** The volumes that nodes have of a stack: a swarm neither makes nor removes them, and no label says who has left one. */

import type { Group } from "../../artifacts/artifact.ts";
import type { ServiceSpec } from "../../core/service_spec.ts";
import type { Holdings } from "../../core/runtime.ts";
import type { StackCluster, StackService } from "../../core/stacks.ts";
import { STACK_LABEL } from "../specs/service_spec.ts";
import { type Draft, edited } from "./draft.ts";

/** Returns the names of the volumes that nodes have of a stack, as far as berth sees them. */
export function volumesOf(
  project: string,
  { nodes }: Pick<StackCluster, "nodes">,
  volumes: Holdings["volumes"],
): ReadonlySet<string> {
  const own = (volumes ?? []).filter(({ backend, labels }) =>
    nodes.includes(backend) && labels[STACK_LABEL] === project
  );
  return new Set(own.map(({ name }) => name));
}

interface Scene {
  readonly group: Group;
  readonly volumes: ReadonlySet<string>;
  readonly services: ReadonlyMap<string, Pick<StackService, "volumes">>;
}

/** Warns of each volume that services which are to be made will find, and that none of the stack's own has now. */
export function warnOfVolumes(
  { group, volumes, services }: Scene,
  specs: readonly ServiceSpec[],
  draft: Draft,
): void {
  const inUse = new Set([...services.values()].flatMap(({ volumes }) => volumes));
  for (const resource of group.resources) {
    const { kind, name, external, at, id } = resource;
    if (kind !== "volume" || external || name === null || !volumes.has(name) || inUse.has(name)) continue;
    const users = specs.filter(({ container: { mounts = [] } }) =>
      mounts.some(({ type, source }) => type === "volume" && source === name)
    );
    if (users.length === 0) continue;
    const names = users.map((one) => `"${one.name}"`).join(", ");
    const message =
      `A node has the volume "${name}" already, of an earlier stack "${group.project}", and nothing says who deployed ` +
      `that: tasks of ${names} that start there find its data`;
    draft.warn("swarm/left-volume", message, at, id, edited(at));
  }
}
