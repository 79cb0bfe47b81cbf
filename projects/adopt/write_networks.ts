/** Writes the networks and namespaces that a container is in. */

import type { Yaml } from "../../artifacts/yaml/write.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { OWN_MODE } from "../fields/namespaces.ts";
import { ownNames } from "../fields/networks.ts";
import { type Fragment, keyOf, modeOf, type Surroundings, type Writer } from "./writing.ts";

type Attachment = InspectedContainer["networks"][number];

/** The network that every engine has, by its name and by the words for it. */
const DEFAULTS: readonly string[] = ["", "default", "bridge", "podman"];

/** Returns the networks that the file has to name; none where a mode says it. */
export function namedNetworks({ networks, networkMode }: InspectedContainer): readonly Attachment[] {
  if (networkMode.startsWith("container:") || networkMode === "host" || networkMode === "none") return [];
  return networks.filter(({ name }) => !DEFAULTS.includes(name));
}

/** True if it is in the engine's own network and in others: no file can declare that. */
export const isInBoth = (container: InspectedContainer): boolean => {
  const named = namedNetworks(container);
  return named.length > 0 && named.length < container.networks.length;
};

function membership(
  one: Attachment,
  container: InspectedContainer,
  { service, kind }: Surroundings,
): Fragment {
  const own = ownNames(container, service, kind);
  const aliases = one.aliases.filter((alias) => !own.includes(alias));
  return {
    ...keyOf("aliases", aliases),
    ...(kind === "docker" && {
      ...keyOf("ipv4_address", one.ipv4Address),
      ...keyOf("ipv6_address", one.ipv6Address),
      ...keyOf("link_local_ips", one.linkLocalAddresses),
      ...keyOf("driver_opts", one.driverOptions),
      ...(one.gatewayPriority !== 0 && { gw_priority: one.gatewayPriority }),
    }),
  };
}

/** `links` to services of the project, and `external_links` to other containers. */
function linksOf(container: InspectedContainer, { neighbour }: Surroundings): Fragment {
  const links = new Map<string, Set<string>>();
  for (const text of [...container.links, ...container.networks.flatMap(({ links }) => links)]) {
    const [other = "", alias = other] = text.split(":");
    links.set(other, (links.get(other) ?? new Set()).add(alias));
  }
  const [services, others]: [string[], string[]] = [[], []];
  for (const [name, aliases] of links) {
    const service = neighbour(name)?.service ?? null;
    // Compose adds the container's own names by itself.
    const own = [name, ...service === null ? [] : [name.slice(name.lastIndexOf(`-${service}-`) + 1)]];
    const given = [...aliases].filter((alias) => !own.includes(alias));
    for (const alias of given.length === 0 ? [service ?? name] : given) {
      if (service === null) others.push(alias === name ? name : `${name}:${alias}`);
      else services.push(alias === service ? service : `${service}:${alias}`);
    }
  }
  return { ...keyOf("links", services), ...keyOf("external_links", others) };
}

const networks: Writer = (container, around) => {
  const { networkMode, askedMacAddress } = container;
  const named = namedNetworks(container);
  const mac = networkMode.startsWith("container:") ? null : keyOf("mac_address", askedMacAddress);
  if (named.length === 0) {
    const mode = DEFAULTS.includes(networkMode) ? "bridge" : modeOf(networkMode, around);
    return { network_mode: mode, ...mac, ...(around.kind === "docker" && linksOf(container, around)) };
  }
  const isSeveral = named.length > 1 && named.some(({ name }) => name === networkMode);
  const parts = named.map((one): [string, Fragment] => [
    around.networkKey(one.name),
    {
      ...membership(one, container, around),
      // The first network has the container's name in its mode, and its routes.
      ...(isSeveral && one.name === networkMode && { priority: 1 }),
    },
  ]);
  const isPlain = parts.every(([, part]) => Object.keys(part).length === 0);
  const keys = parts.map(([key]) => key);
  const isDefault = isPlain && keys.length === 1 && keys[0] === "default";
  return {
    ...(!isDefault && { networks: isPlain ? keys : Object.fromEntries(parts) as Yaml }),
    ...mac,
    ...(around.kind === "docker" && linksOf(container, around)),
  };
};

const namespace =
  (key: string, property: "ipcMode" | "pidMode" | "utsMode" | "userMode"): Writer => (container, around) =>
    OWN_MODE.includes(container[property]) ? null : { [key]: modeOf(container[property], around) };

/** Podman tells none of its own that can be asked for again. */
const cgroup: Writer = ({ cgroupMode }, { kind, defaults }) =>
  kind === "podman" || cgroupMode === defaults.cgroupMode ? null : keyOf("cgroup", cgroupMode);

export const networkWriters: Readonly<Record<string, Writer>> = {
  networks,
  ipc: namespace("ipc", "ipcMode"),
  pid: namespace("pid", "pidMode"),
  uts: namespace("uts", "utsMode"),
  cgroup,
  userNamespace: namespace("userns_mode", "userMode"),
};
