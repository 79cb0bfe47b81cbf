/** Which networks a container is in, by the engine's names, and what it is called and where it stands in each. */

import type { Node, Place } from "../../artifacts/artifact.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { numberOf, oneOrMany, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { looksSecret, MASK } from "../../core/secrets.ts";
import { driftInMode, isEnginesNetwork } from "./namespaces.ts";
import {
  type Declaration,
  type Declared,
  type Difference,
  type EngineKind,
  isSame,
  nodeAt,
  type Row,
  row,
  sameSet,
  UNKNOWN,
} from "./field.ts";

/** Membership of one network as declared. */
interface Membership {
  readonly name: string;
  /** The name as the author wrote it. */
  readonly written: string;
  readonly aliases: readonly string[];
  readonly ipv4Address: string | null;
  readonly ipv6Address: string | null;
  readonly linkLocalAddresses: readonly string[];
  readonly macAddress: string | null;
  readonly driverOptions: Readonly<Record<string, string>>;
  readonly gatewayPriority: number;
  readonly priority: number;
  readonly at: Place;
  readonly node: Node | null;
}

/** The connection of a service: a mode, or networks by their names, those with the highest priority first. */
interface Connection {
  readonly mode: string | null;
  readonly networks: readonly Membership[];
  /** `service:name` or `container:name`, as it is called. */
  readonly links: readonly Link[];
}

interface Link {
  readonly service: string | null;
  readonly container: string | null;
  readonly alias: string;
}

/** `links` are services of the project, `external_links` are containers. */
function linksOf(of: Declared): readonly Link[] {
  const read = (key: string) =>
    oneOrMany(nodeAt(of, key)).map((item) => {
      const [name = "", alias = name] = (textOf(item) ?? "").split(":");
      return { name, alias };
    });
  return [
    ...read("links").map(({ name, alias }) => ({ service: name, container: null, alias })),
    ...read("external_links").map(({ name, alias }) => ({ service: null, container: name, alias })),
  ];
}

function connectionOf(of: Declared): Declaration<Connection> {
  const modeAt = nodeAt(of, "network_mode");
  if (modeAt !== null) {
    const mode = textOf(modeAt);
    if (mode === null) return UNKNOWN;
    // Only the engine's own network and those of the project have links.
    return { value: { mode, networks: [], links: isEnginesNetwork(mode) ? linksOf(of) : [] }, at: modeAt };
  }
  const keys = of.unit.references.filter(({ kind, under }) => kind === "uses" && under === "networks");
  const networks: Membership[] = [];
  for (const { target, written, at } of keys) {
    const network = of.group.resources.find(({ kind, id }) => kind === "network" && id === target);
    if (network === undefined || network.name === null) return UNKNOWN;
    const node = nodeAt(of, "networks", written);
    networks.push({
      name: network.name,
      written: network.written ?? network.name,
      aliases: oneOrMany(valueAt(node, "aliases")).flatMap((item) => textOf(item) ?? []),
      ipv4Address: textOf(valueAt(node, "ipv4_address")),
      ipv6Address: textOf(valueAt(node, "ipv6_address")),
      linkLocalAddresses: oneOrMany(valueAt(node, "link_local_ips")).flatMap((item) => textOf(item) ?? []),
      macAddress: textOf(valueAt(node, "mac_address")),
      driverOptions: driverOptionsOf(node),
      gatewayPriority: numberOf(valueAt(node, "gw_priority")) ?? 0,
      priority: numberOf(valueAt(node, "priority")) ?? 0,
      at,
      node,
    });
  }
  const at = nodeAt(of, "networks") ?? networks[0]?.at;
  if (at === undefined) return null;
  networks.sort((a, b) => b.priority - a.priority || (a.written < b.written ? -1 : 1));
  const mac = textOf(nodeAt(of, "mac_address"));
  // The address of the service is for its first network.
  const [first, ...others] = networks;
  const all = first === undefined ? [] : [{ ...first, macAddress: first.macAddress ?? mac }, ...others];
  return { value: { mode: null, networks: all, links: linksOf(of) }, at };
}

/** The name of the interface is an option of the driver, too. */
function driverOptionsOf(node: Node | null): Readonly<Record<string, string>> {
  const options = [...keyValues(valueAt(node, "driver_opts"))].map((
    [name, { value }],
  ) => [name, value ?? ""]);
  const name = textOf(valueAt(node, "interface_name"));
  return {
    ...(name !== null && { "com.docker.network.endpoint.ifname": name }),
    ...Object.fromEntries(options),
  };
}

export const networks: Row = row<Connection>({
  key: "networks",
  covers: [
    "network_mode",
    "networks.*",
    "networks.*.aliases",
    ...["ipv4_address", "ipv6_address", "link_local_ips", "mac_address", "driver_opts", "interface_name"].map(
      (key) => `networks.*.${key}`,
    ),
    "networks.*.gw_priority",
    "networks.*.priority",
    "mac_address",
    "links",
    "external_links",
  ],
  declared: connectionOf,
  ask: (asked, { mode, networks, links }, of, { name, containerOf, nameOf }) => {
    const service = /^service:(.+)$/.exec(mode ?? "")?.[1];
    const id = service === undefined ? undefined : containerOf(service);
    asked.networkMode = id === undefined ? mode ?? networks[0]?.name ?? "none" : `container:${id}`;
    const called = links.flatMap(({ service, container, alias }) => {
      const other = service === null ? container : nameOf(service);
      if (other === undefined || other === null) return [];
      // Compose calls a service by its container's names, too.
      const short = other.replace(`${of.group.project}-`, "");
      return [...new Set(service === null ? [alias] : [alias, short, other])].map((one) => `${other}:${one}`);
    });
    if (mode !== null && called.length > 0) asked.links = called;
    asked.networks = networks.map(({ name: network, aliases, ...rest }) => ({
      name: network,
      aliases: [name, of.unit.label, ...aliases],
      ipv4Address: rest.ipv4Address,
      ipv6Address: rest.ipv6Address,
      linkLocalAddresses: rest.linkLocalAddresses,
      macAddress: rest.macAddress,
      links: called,
      driverOptions: rest.driverOptions,
      gatewayPriority: rest.gatewayPriority,
    }));
  },
  compare: (declared, container, view, of) => {
    const { unit } = of;
    if (declared === null) return [];
    const { value: { mode, networks, links }, at } = declared;
    const linksAt = nodeAt(of, "links") ?? nodeAt(of, "external_links") ?? at;
    if (mode !== null) {
      const found = driftInMode("networks", mode, container.networkMode, view, at);
      // Podman does not tell its links.
      return found.length > 0 || view.kind === "podman" || !isEnginesNetwork(mode)
        ? found
        : linkDrift(links, container.links, linksAt);
    }
    const wanted = networks.map(({ name }) => name);
    if (container.networkMode.startsWith("container:")) {
      return driftInMode("networks", wanted.join(", "), container.networkMode, view, at);
    }
    const running = container.networks.map(({ name }) => name);
    if (!sameSet(wanted, running)) {
      const shown = (names: readonly string[]) => [...new Set(names)].sort().join(", ") || "(none)";
      return [{
        field: "networks",
        declared: shown(networks.map(({ written }) => written)),
        seen: shown(running),
        at,
      }];
    }
    return [
      ...priorityDrift(networks, container, view.kind),
      ...networks.flatMap((one) => membershipDrift(one, container, unit.label, view.kind)),
      ...(view.kind === "podman"
        ? [] // as above
        : linkDrift(links, container.networks.flatMap((one) => one.links), linksAt)),
    ];
  },
});

/** Returns options as `name=value`, without those whose names tell of a secret. */
export const shownOptions = (options: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(options).map(([name, value]) => `${name}=${looksSecret(name) ? MASK : value}`);

/** Finds a container whose first network is not the one with the highest priority, where the file gives one. */
function priorityDrift(
  [first, second]: readonly Membership[],
  { networkMode }: InspectedContainer,
  kind: EngineKind,
): Difference[] {
  if (kind !== "docker" || first === undefined || second === undefined) return [];
  if (first.priority === second.priority || networkMode === first.name) return [];
  const at = valueAt(first.node, "priority") ?? first.at;
  return [{ field: "networks.first", declared: first.written, seen: networkMode, at }];
}

/** Returns the names that Compose and the engine give a container in each of its networks. */
export const ownNames = (
  { name, hostname, id }: InspectedContainer,
  service: string,
  kind: EngineKind,
): readonly string[] => [name, service, ...kind === "podman" ? [hostname] : [], id.slice(0, 12), id];

function membershipDrift(
  wanted: Membership,
  container: InspectedContainer,
  service: string,
  kind: EngineKind,
): Difference[] {
  const actual = container.networks.find(({ name }) => name === wanted.name)!; // compared by name before
  const found: Difference[] = [];
  const note = (key: string, field: string, declared: string, seen: string) =>
    found.push({
      field: `${field}.${wanted.written}`,
      declared,
      seen,
      at: valueAt(wanted.node, key) ?? wanted.at,
    });
  const own = ownNames(container, service, kind);
  const given = actual.aliases.filter((alias) => !own.includes(alias));
  const asked = wanted.aliases.filter((alias) => !own.includes(alias));
  if (!sameSet(asked, given)) {
    note("aliases", "aliases", asked.join(", ") || "(none)", given.join(", ") || "(none)");
  }
  if (wanted.macAddress !== null && actual.macAddress?.toLowerCase() !== wanted.macAddress.toLowerCase()) {
    // Before it is started a container may have none.
    const isAsked = container.state === "running" || actual.macAddress !== null;
    if (isAsked) note("mac_address", "macAddress", wanted.macAddress, actual.macAddress ?? "(any)");
  }
  if (kind === "podman") return found; // it does not tell which addresses were asked for
  for (const [key, property] of [["ipv4_address", "ipv4Address"], ["ipv6_address", "ipv6Address"]] as const) {
    if (wanted[property] === actual[property]) continue;
    note(key, "address", wanted[property] ?? "(any)", actual[property] ?? "(any)");
  }
  const list = (texts: readonly string[]) => texts.join(", ") || "(none)";
  if (!sameSet(wanted.linkLocalAddresses, actual.linkLocalAddresses)) {
    note("link_local_ips", "linkLocal", list(wanted.linkLocalAddresses), list(actual.linkLocalAddresses));
  }
  if (!isSame(wanted.driverOptions, actual.driverOptions)) {
    const shown = (options: Readonly<Record<string, string>>) => list(shownOptions(options));
    note("driver_opts", "driverOptions", shown(wanted.driverOptions), shown(actual.driverOptions));
  }
  if (wanted.gatewayPriority !== actual.gatewayPriority) {
    note("gw_priority", "gatewayPriority", String(wanted.gatewayPriority), String(actual.gatewayPriority));
  }
  return found;
}

/** Compose adds names of its own for each link: what the author calls it is among them. */
function linkDrift(links: readonly Link[], running: readonly string[], at: Place): Difference[] {
  const actual = new Set(running.map((one) => one.split(":")[1] ?? one));
  const missing = links.filter(({ alias }) => !actual.has(alias)).map(({ alias }) => alias);
  if (missing.length === 0 && (links.length > 0 || actual.size === 0)) return [];
  return [{
    field: "links",
    declared: links.map(({ alias }) => alias).join(", ") || "(none)",
    seen: [...actual].join(", ") || "(none)",
    at,
  }];
}
