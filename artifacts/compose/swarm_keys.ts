/** Keys of a service that a swarm has nothing for: its tasks run without what they say. */

import type { Node, Place, Unit } from "../artifact.ts";
import { entriesOf, listOf, oneOrMany, textOf, truthOf, valueAt } from "../yaml/values.ts";

const LIMITS = "deploy.resources.limits";

/** Each key, and what to write in its place; nothing where a swarm has no other way. */
const KEYS: Readonly<Record<string, string>> = {
  annotations: "",
  blkio_config: "",
  cgroup: "",
  cgroup_parent: "",
  cpu_count: `${LIMITS}.cpus`,
  cpu_percent: `${LIMITS}.cpus`,
  cpu_period: `${LIMITS}.cpus`,
  cpu_quota: `${LIMITS}.cpus`,
  cpu_rt_period: "",
  cpu_rt_runtime: "",
  cpu_shares: "",
  cpus: `${LIMITS}.cpus`,
  cpuset: "",
  device_cgroup_rules: "",
  devices: "",
  domainname: "",
  external_links: "",
  gpus: "deploy.resources.reservations.generic_resources",
  ipc: "",
  mac_address: "",
  mem_limit: `${LIMITS}.memory`,
  mem_reservation: "deploy.resources.reservations.memory",
  mem_swappiness: "",
  memswap_limit: "",
  models: "",
  network_mode: "networks",
  oom_kill_disable: "",
  pid: "",
  pids_limit: `${LIMITS}.pids`,
  platform: "deploy.placement.constraints",
  post_start: "",
  pre_start: "",
  pre_stop: "",
  privileged: "",
  provider: "",
  runtime: "",
  security_opt: "",
  shm_size: "a mount of tmpfs at /dev/shm",
  storage_opt: "",
  tmpfs: "volumes, with mounts of the type tmpfs",
  umask: "",
  use_api_socket: "",
  userns_mode: "",
  uts: "",
  volumes_from: "volumes",
};

/** Keys of a service's entry below `networks`. */
const OF_NETWORK: ReadonlySet<string> = new Set([
  "gw_priority",
  "interface_name",
  "ipv4_address",
  "ipv6_address",
  "link_local_ips",
  "mac_address",
  "priority",
]);

/** Returns true if a swarm has nothing for a key, whatever it says. */
export const isSwarmKey = (key: string): boolean => Object.hasOwn(KEYS, key);

/** A key that a swarm ignores. */
interface IgnoredKey {
  readonly key: string;
  /** The key where it is written. */
  readonly at: Place;
  readonly value: Node;
  /** The words to write in its place; empty for none. */
  readonly instead: string;
}

/** Returns the keys of a unit that a swarm ignores, as far as they ask for anything. */
export function ignoredBySwarm({ value }: Pick<Unit, "value">): IgnoredKey[] {
  const found: IgnoredKey[] = [];
  for (const [key, entry] of entriesOf(value)) {
    const instead = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (instead !== undefined && asks(entry.value)) {
      found.push({ key, at: entry.key, value: entry.value, instead });
    }
    if (key === "links" && listOf(entry.value).some(isRenaming)) {
      found.push({ key, at: entry.key, value: entry.value, instead: "aliases below networks" });
    }
  }
  for (const [network, { value: of }] of entriesOf(valueAt(value, "networks"))) {
    for (const [key, entry] of entriesOf(of)) {
      if (!OF_NETWORK.has(key) || !asks(entry.value)) continue;
      found.push({ key: `networks.${network}.${key}`, at: entry.key, value: entry.value, instead: "" });
    }
  }
  for (const [key, entry] of entriesOf(valueAt(value, "deploy", "resources", "reservations"))) {
    if (key !== "devices" || !asks(entry.value)) continue;
    const instead = "generic_resources";
    found.push({ key: `deploy.resources.reservations.${key}`, at: entry.key, value: entry.value, instead });
  }
  return found;
}

/** Nothing, `false` and an empty list ask for nothing. */
const asks = (node: Node): boolean =>
  node.kind === "scalar"
    ? node.value !== null && node.value !== "" && truthOf(node) !== false
    : node.kind === "list"
    ? node.items.length > 0
    : node.entries.size > 0;

/** Services of one network reach each other by their names; another name is lost. */
const isRenaming = (item: Node): boolean => {
  const [name, alias = name] = (textOf(item) ?? "").split(":");
  return alias !== name;
};

/** Returns the constraints of a unit that hold its tasks to chosen nodes. */
export function pinsOf({ value }: Pick<Unit, "value">): readonly Node[] {
  return oneOrMany(valueAt(value, "deploy", "placement", "constraints")).filter((item) =>
    /^\s*(?:node\.(?:id|hostname|ip|labels\.)|engine\.labels\.)[^=!]*==/.test(textOf(item) ?? "node.id==")
  );
}
