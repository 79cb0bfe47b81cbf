/** Compares a network with its file. */

import type { Node, Resource } from "../../artifacts/artifact.ts";
import { locationOf } from "../../artifacts/position.ts";
import { listOf, textOf, truthOf, valueAt, writtenIn } from "../../artifacts/yaml/values.ts";
import type { HeldNetwork } from "../../core/held_objects.ts";
import { isSameRange } from "../../core/address_range.ts";
import type { Reason } from "./plan_shape.ts";

/** Returns the differences of a network from its file; engines fill in what the file leaves out. */
export function networkDifferences({ value, at }: Resource, held: HeldNetwork): Reason[] {
  const found: Reason[] = [];
  const differs = (field: string, node: Node, declared: string, seen: string) =>
    found.push({ code: "field", field, declared: writtenIn(node, declared), seen, at: locationOf(node) });
  const flag = (field: string, key: string, seen: boolean, otherwise: boolean | null) => {
    const node = valueAt(value, key);
    const declared = truthOf(node) ?? otherwise;
    if (declared === null || declared === seen) return;
    found.push({
      code: "field",
      field,
      declared: writtenIn(node, String(declared)),
      seen: String(seen),
      at: locationOf(node ?? at),
    });
  };
  const driverAt = valueAt(value, "driver");
  const driver = textOf(driverAt);
  if (driverAt !== null && driver !== null && driver !== held.driver) {
    differs("driver", driverAt, driver, held.driver);
  }
  flag("internal", "internal", held.internal, false);
  flag("attachable", "attachable", held.attachable, null); // only a swarm's networks keep it
  flag("ipv6", "enable_ipv6", held.ipv6, null);
  for (const pool of listOf(valueAt(value, "ipam", "config"))) {
    const node = valueAt(pool, "subnet");
    const subnet = textOf(node);
    if (node === null || subnet === null || held.subnets.some((one) => isSameRange(one, subnet))) continue;
    differs("subnet", node, subnet, held.subnets.join(", ") || "(none)");
  }
  return found;
}
