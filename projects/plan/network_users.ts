/** Finds the containers in a network that a replacement of it would cut off for good. */

import type { Resource } from "../../artifacts/artifact.ts";
import type { HeldNetwork } from "../../core/held_objects.ts";
import { NO_REMEDY, planWith, type Remedies } from "../../core/remedy.ts";
import type { Draft } from "./draft.ts";
import type { PlanRequest } from "./plan_shape.ts";
import { named, type Scene } from "./scene.ts";

interface Replaced {
  readonly resource: Resource;
  readonly held: HeldNetwork;
  /** The containers that are connected to the new one. */
  readonly members: readonly WithId[];
  /** Null where the plan could not remove them. */
  readonly orphans: PlanRequest["orphans"] | null;
}

interface WithId {
  readonly id: string;
}

/** Blocks the replacement where there are any, and returns true if it did. */
export function blockByOthers(
  scene: Scene,
  { resource, held, members, orphans }: Replaced,
  draft: Draft,
): boolean {
  const isOf = (list: readonly WithId[]) => ({ id }: WithId) => list.some((one) => one.id === id);
  const going = [...scene.leftovers.values()].flat().concat(orphans === "remove" ? scene.orphans : []);
  const others = held.users.filter((one) => !isOf(members)(one) && !isOf(going)(one));
  if (others.length === 0) return false;
  const names = named(others, (one) => scene.sees.container(one));
  const areOrphans = others.every(isOf(scene.orphans));
  const message = `The network "${held.name}" must be replaced, and others are connected to it: ${names}; ` +
    (areOrphans ? "remove the containers that are not in the files" : "disconnect them first");
  const remedies: Remedies = areOrphans && orphans !== null
    ? [planWith("orphans", "remove")]
    : NO_REMEDY("berth changes nothing that others use");
  draft.block("project/network-in-use", message, resource.at, resource.id, remedies);
  return true;
}
