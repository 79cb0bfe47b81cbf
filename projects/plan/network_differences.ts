/** Compares a network with its file. */

import type { Node, Resource } from "../../artifacts/artifact.ts";
import { locationOf } from "../../artifacts/position.ts";
import { listOf, textOf, truthOf, valueAt, writtenIn } from "../../artifacts/yaml/values.ts";
import type { HeldNetwork } from "../../core/held_objects.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { MASK } from "../../core/secrets.ts";
import { projectOf } from "../hash/labels.ts";
import { isRedefined } from "../hash/resource_labels.ts";
import { isSameRange } from "../../core/address_range.ts";
import type { Reason } from "./plan_shape.ts";
import type { Scene } from "./scene.ts";

/** Returns the differences of a network from its file; engines fill in what the file leaves out. */
export function networkDifferences(resource: Resource, held: HeldNetwork): Reason[] {
  const { value, at } = resource;
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
  // Only what Compose would replace as well, so that no engine's own form of a value is ever a difference.
  for (const key of isRedefined(resource, held.labels) ? redefined(value, held) : []) {
    const [declared, seen] = ["(as written)", "(another value)"];
    found.push({ code: "field", field: key, declared, seen, at: locationOf(valueAt(value, key) ?? at) });
  }
  return found;
}

/** Returns those of the resources whose network is the project's own and differs from its file. */
export function redefinedNetworks(scene: Scene, resources: readonly Resource[]): readonly Resource[] {
  const { holdings, backend, group } = scene;
  const own = holdings.networks.filter(({ backend: of, labels }) =>
    of === backend.name && projectOf(labels) === group.project
  );
  return resources.filter((resource) => {
    const { kind, external, name } = resource;
    const held = kind === "network" && !external ? own.find((one) => one.name === name) : undefined;
    return held !== undefined && networkDifferences(resource, held).length > 0;
  });
}

/** Options that Docker adds, and labels of Compose and berth. */
const OWN = /^(?:com\.docker\.(?:compose|network\.enable_ipv)|dev\.berth|io\.podman\.compose)/;

/** Returns the keys of a redefined network whose values are others, as far as its engine tells. */
function redefined(value: Node, { options = {}, labels, gateways }: HeldNetwork): string[] {
  const isOther = (key: string, held: Readonly<Record<string, string>>): boolean => {
    const declared = keyValues(valueAt(value, key));
    const isChanged = [...declared].some(([name, { value }]) =>
      Object.hasOwn(held, name) ? !held[name]!.includes(MASK) && held[name] !== (value ?? "") : true
    );
    return isChanged || Object.keys(held).some((name) => !declared.has(name) && !OWN.test(name));
  };
  const pools = listOf(valueAt(value, "ipam", "config"));
  const hasOtherGateway = pools.some((pool) => {
    const gateway = textOf(valueAt(pool, "gateway"));
    // Of the other version there are several forms.
    return gateway !== null && gateway.includes(".") && gateways?.includes(gateway) === false;
  });
  return [
    ...(isOther("driver_opts", options) ? ["driver_opts"] : []),
    ...(isOther("labels", labels) ? ["labels"] : []),
    ...(hasOtherGateway ? ["ipam"] : []),
  ];
}
