/** Rules for a new container beside the old one: what it takes over, and what it may do. */

import { textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";
import type { Declared } from "../fields/field.ts";
import type { Hand } from "./hand.ts";

/** Returns true if a container may end with code 0: a job, and no server. */
export function mayEnd({ orders, step, noted }: Hand, { restart }: InspectedContainer): boolean {
  if (["always", "unless-stopped"].includes(restart.name)) return false;
  const { unit, group } = orders.declared(step);
  const isAwaited = group.units.some(({ references }) =>
    references.some(({ target, condition }) =>
      target === unit.id && condition === "service_completed_successfully"
    )
  );
  return isAwaited || noted["running"] === false;
}

/** Returns true if the file asks for it, and the container as it is made holds nothing that only one can have. */
export function startsFirst(of: Declared, spec: Partial<ContainerSpec>): boolean {
  if (textOf(valueAt(of.unit.value, "deploy", "update_config", "order")) !== "start-first") return false;
  const { ports = [], networks = [], mounts = [], volumesFrom = [], devices = [], networkMode = "" } = spec;
  return of.service.containerName === null &&
    networkMode !== "host" && !networkMode.startsWith("container:") &&
    ports.every(({ host }) => host === null) &&
    devices.length === 0 &&
    networks.every(({ ipv4Address, ipv6Address, macAddress, linkLocalAddresses }) =>
      ipv4Address === null && ipv6Address === null && macAddress === null && linkLocalAddresses.length === 0
    ) &&
    mounts.every(({ type, readOnly }) => readOnly || type === "tmpfs") &&
    volumesFrom.every((from) => from.endsWith(":ro"));
}
