/** Networks to make whose addresses another network of the engine has. */

import type { Resource } from "../../artifacts/artifact.ts";
import { listOf, textOf, valueAt, writtenIn } from "../../artifacts/yaml/values.ts";
import type { HeldNetwork } from "../../core/held_objects.ts";
import { rangesMeet } from "../../core/address_range.ts";
import { type Draft, edited } from "./draft.ts";
import { named, type Scene } from "./scene.ts";

/**
 * Returns true if it blocked. An engine refuses such a network when it is made, which is too late for the one that it
 * replaces.
 */
export function blockBySubnet(
  scene: Scene,
  { id, name, written, value }: Resource,
  replaced: HeldNetwork | null,
  draft: Draft,
): boolean {
  const driver = textOf(valueAt(value, "ipam", "driver")) ?? "default";
  if (isOfSwarm(textOf(valueAt(value, "driver"))) || driver !== "default") return false;
  const others = scene.holdings.networks.filter((one) =>
    one.backend === scene.backend.name && one.id !== replaced?.id && !isOfSwarm(one.driver)
  );
  for (const pool of listOf(valueAt(value, "ipam", "config"))) {
    const at = valueAt(pool, "subnet");
    const subnet = textOf(at);
    if (at === null || subnet === null) continue;
    const other = others.find(({ subnets }) => subnets.some((one) => rangesMeet(one, subnet)));
    if (other === undefined) continue;
    const whose = named([other], ({ labels }) => scene.sees.resource(labels));
    const message =
      `The subnet "${writtenIn(at, subnet)}" of the network "${written ?? name}" meets that of ` +
      `another network of the engine (${whose}): choose other addresses, or remove that network`;
    draft.block("project/subnet-taken", message, at, id, edited(at));
    return true;
  }
  return false;
}

/** Its addresses are the swarm's, and may be those of a network of the engine alone. */
const isOfSwarm = (driver: string | null): boolean => driver === "overlay";
