/** Services of a swarm that a group may run as: a stack has a project's name, and no path that would prove more. */
import { type KnownService, NO_SERVICES, type RunningServices } from "../../core/running_services.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import type { Group, Unit } from "../artifact.ts";

const STACK = "com.docker.stack.namespace";
const SERVICE = "com.docker.swarm.service.name";

/** A service that a unit may run as. */
export interface UnitService {
  readonly name: string;
  /** Null where only its containers are known: no manager of its swarm is an engine of berth's. */
  readonly known: KnownService | null;
}

/** Stacks that run: by their services, and by containers of services that berth does not know. */
export interface Stacks {
  readonly services: ReadonlyMap<string, readonly KnownService[]>;
  readonly containers: ReadonlyMap<string, readonly RunningContainer[]>;
}

const NONE: Stacks = { services: new Map(), containers: new Map() };

/** Returns the stacks that run, by the names of their services. */
export function stacksOf(
  containers: readonly RunningContainer[],
  services: RunningServices["items"],
): Stacks {
  const found = containers.filter(({ labels, state }) => labels[STACK] !== undefined && state === "running");
  if (found.length === 0 && services.length === 0) return NONE;
  return {
    services: Map.groupBy(
      services.filter(({ service }) => service.stack !== null),
      ({ service }) => service.name,
    ),
    containers: Map.groupBy(found, ({ labels }) => labels[SERVICE] ?? ""),
  };
}

/** Returns the service that a unit may run as, by its name alone; null for none. */
export function serviceOf(group: Group | null, unit: Unit, stacks: Stacks): UnitService | null {
  if (stacks === NONE || group === null || unit.service === null) return null;
  const name = `${group.project}_${unit.label}`;
  const known = stacks.services.get(name)?.filter(({ service }) => service.stack === group.project) ?? [];
  // Of several swarms with such a stack, nobody knows which one is meant.
  if (known.length > 0) return { name, known: known.length === 1 ? known[0]! : null };
  const isOfStack = stacks.containers.get(name)?.some(({ labels }) => labels[STACK] === group.project);
  return isOfStack === true ? { name, known: null } : null;
}

/** Returns the stack that has the group's project name: its services, and those of its containers that run. */
export function ofStack(
  group: Group,
  containers: readonly RunningContainer[],
  services: RunningServices = NO_SERVICES,
): { readonly containers: readonly RunningContainer[]; readonly services: readonly KnownService[] } {
  return {
    containers: containers.filter(({ labels, state }) =>
      state === "running" && labels[STACK] === group.project
    ),
    services: services.items.filter(({ service }) => service.stack === group.project),
  };
}
