/** Networks and volumes as their files declare them, in the words that every engine is asked with. */

import type { Node, Resource } from "../../artifacts/artifact.ts";
import { entriesOf, listOf, textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { NetworkSpec, VolumeSpec } from "../../core/engine_acts.ts";

/** The author's, and those by which berth and Compose know the object. */
type Labels = Readonly<Record<string, string>>;

export function networkSpec({ value }: Resource, name: string, labels: Labels): NetworkSpec {
  const ipam = valueAt(value, "ipam");
  return {
    name,
    driver: textOf(valueAt(value, "driver")),
    driverOptions: texts(valueAt(value, "driver_opts")),
    internal: truthOf(valueAt(value, "internal")) ?? false,
    attachable: truthOf(valueAt(value, "attachable")) ?? false,
    ipv4: truthOf(valueAt(value, "enable_ipv4")),
    ipv6: truthOf(valueAt(value, "enable_ipv6")),
    ipamDriver: textOf(valueAt(ipam, "driver")),
    ipamOptions: texts(valueAt(ipam, "options")),
    pools: listOf(valueAt(ipam, "config")).map((pool) => ({
      subnet: textOf(valueAt(pool, "subnet")),
      range: textOf(valueAt(pool, "ip_range")),
      gateway: textOf(valueAt(pool, "gateway")),
      reserved: texts(valueAt(pool, "aux_addresses")),
    })),
    labels,
  };
}

export function volumeSpec({ value }: Resource, name: string, labels: Labels): VolumeSpec {
  return {
    name,
    driver: textOf(valueAt(value, "driver")),
    driverOptions: texts(valueAt(value, "driver_opts")),
    labels,
  };
}

function texts(node: Node | null): Record<string, string> {
  return Object.fromEntries([...entriesOf(node)].map(([key, { value }]) => [key, textOf(value) ?? ""]));
}
