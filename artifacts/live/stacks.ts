/** Services of a swarm that a group may run as: a stack has a project's name, and no path that would prove more. */
import type { RunningContainer } from "../../core/runtime.ts";
import type { Group, Unit } from "../artifact.ts";

const STACK = "com.docker.stack.namespace";
const SERVICE = "com.docker.swarm.service.name";

/** Containers of stacks that run, by the names of their services. */
export type StackContainers = ReadonlyMap<string, readonly RunningContainer[]>;

const NONE: StackContainers = new Map();

/** Returns the containers of stacks that run. */
export function stackContainers(containers: readonly RunningContainer[]): StackContainers {
  const found = containers.filter(({ labels, state }) => labels[STACK] !== undefined && state === "running");
  return found.length === 0 ? NONE : Map.groupBy(found, ({ labels }) => labels[SERVICE] ?? "");
}

/** Returns the service that a unit may run as, by its name alone; null for none. */
export function serviceOf(group: Group | null, unit: Unit, stacks: StackContainers): string | null {
  if (stacks.size === 0 || group === null || unit.service === null) return null;
  const name = `${group.project}_${unit.label}`;
  const isOfStack = stacks.get(name)?.some(({ labels }) => labels[STACK] === group.project);
  return isOfStack === true ? name : null;
}

/** Returns the containers of the stack that has the group's project name. */
export function ofStack(group: Group, containers: readonly RunningContainer[]): RunningContainer[] {
  return containers.filter(({ labels, state }) => state === "running" && labels[STACK] === group.project);
}
