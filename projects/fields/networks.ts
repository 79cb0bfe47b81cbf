/** Which networks a container is in, by the engine's names, and what it is called and where it stands in each. */

import type { Node, Place } from "../../artifacts/artifact.ts";
import { oneOrMany, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { driftInMode } from "./namespaces.ts";
import {
  type Declaration,
  type Declared,
  type Difference,
  type EngineKind,
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
  readonly at: Place;
  readonly node: Node | null;
}

/** How a service is connected: a mode, or networks by their names, those with the highest priority first. */
interface Connection {
  readonly mode: string | null;
  readonly networks: readonly Membership[];
}

function connectionOf(of: Declared): Declaration<Connection> {
  const modeAt = nodeAt(of, "network_mode");
  if (modeAt !== null) {
    const mode = textOf(modeAt);
    return mode === null ? UNKNOWN : { value: { mode, networks: [] }, at: modeAt };
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
      at,
      node,
    });
  }
  const at = nodeAt(of, "networks") ?? networks[0]?.at;
  return at === undefined ? null : { value: { mode: null, networks }, at };
}

export const networks: Row = row<Connection>({
  key: "networks",
  covers: [
    "network_mode",
    "networks.*",
    "networks.*.aliases",
    "networks.*.ipv4_address",
    "networks.*.ipv6_address",
  ],
  declared: connectionOf,
  ask: (asked, { mode, networks }, of, { name, containerOf }) => {
    const service = /^service:(.+)$/.exec(mode ?? "")?.[1];
    const id = service === undefined ? undefined : containerOf(service);
    asked.networkMode = id === undefined ? mode ?? networks[0]?.name ?? "none" : `container:${id}`;
    asked.networks = networks.map(({ name: network, aliases, ipv4Address, ipv6Address }) => ({
      name: network,
      aliases: [name, of.unit.label, ...aliases],
      ipv4Address,
      ipv6Address,
    }));
  },
  compare: (declared, container, view, { unit }) => {
    if (declared === null) return [];
    const { value: { mode, networks }, at } = declared;
    if (mode !== null) return driftInMode("networks", mode, container.networkMode, view, at);
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
    return networks.flatMap((one) => membershipDrift(one, container, unit.label, view.kind));
  },
});

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
  // Compose and the engine add the names of the container and the service, and the short id.
  const own = [container.name, service, container.hostname, container.id.slice(0, 12), container.id];
  const given = actual.aliases.filter((alias) => !own.includes(alias));
  const asked = wanted.aliases.filter((alias) => !own.includes(alias));
  if (!sameSet(asked, given)) {
    note("aliases", "aliases", asked.join(", ") || "(none)", given.join(", ") || "(none)");
  }
  if (kind === "podman") return found; // it does not tell which addresses were asked for
  for (const [key, property] of [["ipv4_address", "ipv4Address"], ["ipv6_address", "ipv6Address"]] as const) {
    if (wanted[property] === actual[property]) continue;
    note(key, "address", wanted[property] ?? "(any)", actual[property] ?? "(any)");
  }
  return found;
}
