/** Compares a network with its file. */

import type { Resource } from "../../artifacts/artifact.ts";
import { locationOf } from "../../artifacts/position.ts";
import { listOf, textOf, truthOf, valueAt, writtenIn } from "../../artifacts/yaml/values.ts";
import type { HeldNetwork } from "../../core/held_objects.ts";
import { isSameRange } from "../../core/address_range.ts";
import type { Reason } from "./plan_shape.ts";

/** Returns the differences of a network from its file; engines fill in what the file leaves out. */
export function networkDifferences({ value, at }: Resource, held: HeldNetwork): Reason[] {
  const found: Reason[] = [];
  const compare = (field: string, path: readonly string[], seen: string, read: (text: string) => string) => {
    const node = valueAt(value, ...path);
    const text = textOf(node);
    if (node === null || text === null || read(text) === seen) return;
    found.push({ code: "field", field, declared: writtenIn(node, read(text)), seen, at: locationOf(node) });
  };
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
  compare("driver", ["driver"], held.driver, (text) => text);
  flag("internal", "internal", held.internal, false);
  flag("attachable", "attachable", held.attachable, null); // only a swarm's networks keep it
  flag("ipv6", "enable_ipv6", held.ipv6, null);
  for (const pool of listOf(valueAt(value, "ipam", "config"))) {
    const node = valueAt(pool, "subnet");
    const subnet = textOf(node);
    if (node === null || subnet === null || held.subnets.some((one) => isSameRange(one, subnet))) continue;
    const seen = held.subnets.join(", ") || "(none)";
    found.push({
      code: "field",
      field: "subnet",
      declared: writtenIn(node, subnet),
      seen,
      at: locationOf(node),
    });
  }
  return found;
}
