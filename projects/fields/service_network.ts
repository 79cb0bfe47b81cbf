/** The reach of a service of a swarm: its published ports, and its networks with its names in them. */

import type { Node, Place } from "../../artifacts/artifact.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { oneOrMany, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { KnownService, ServiceDefinition } from "../../core/running_services.ts";
import { type Declared, type Difference, isSame, nodeAt, sameSet } from "./field.ts";
import { shownOptions } from "./networks.ts";
import { MOST_PORTS, portsOf } from "./ports.ts";

/** An address is left out by `docker stack deploy`: the port is open on all addresses of every node. */
export function ports(
  { service, unit }: Declared,
  { ports: published }: KnownService["service"],
): Difference[] {
  if (service.ports.some(({ unknown, invalid }) => unknown || invalid !== null)) return [];
  if (portsOf({ service }) > MOST_PORTS) return [];
  const actual = new Set(
    published.map(({ host, container, protocol, mode }) => portKey(host, container, protocol, mode)),
  );
  const wanted = new Map<
    string,
    { readonly written: string; readonly at: Place; readonly hostIp: string | null; readonly mode: string }
  >();
  for (const port of service.ports) {
    const size = port.target.last - port.target.first;
    const mode = "kind" in port.at ? textOf(valueAt(port.at as Node, "mode")) ?? "ingress" : "ingress";
    for (let step = 0; step <= size; step += 1) {
      const host = port.published === null ? null : port.published.first + step;
      wanted.set(portKey(host, port.target.first + step, port.protocol, mode), { ...port, mode });
    }
  }
  const found: Difference[] = [];
  const anyHost = (key: string) => key.slice(key.indexOf(":"));
  const targets = new Set([...actual].map(anyHost));
  const left = new Set([...actual].filter((key) => !wanted.has(key) && !wanted.has(anyHost(key))));
  const byTarget = Map.groupBy(left, targetIn);
  for (const [key, { written, at, hostIp, mode }] of wanted) {
    if (!actual.has(key) && !(key.startsWith(":") && targets.has(key))) {
      const near = byTarget.get(targetIn(key))?.shift();
      if (near !== undefined) left.delete(near);
      found.push({ field: "ports", declared: written, seen: near ?? "(not set)", at });
    } else if (hostIp !== null && hostIp !== "0.0.0.0" && hostIp !== "::") {
      const where = mode === "host" ? "each node with a task" : "every node";
      found.push({ field: "ports", declared: written, seen: `0.0.0.0:${key}, on ${where}`, at });
    }
  }
  const at = valueAt(unit.value, "ports") ?? unit.source;
  for (const seen of left) found.push({ field: "ports", declared: "(not set)", seen, at, isAbsent: true });
  return found;
}

const portKey = (host: number | null, container: number, protocol: string, mode: string): string =>
  `${host ?? ""}:${container}/${protocol}${mode === "host" ? " of the node itself" : ""}`;

/** `80/tcp` of `8080:80/tcp`. */
const targetIn = (key: string): string => key.slice(key.indexOf(":")).split(" ")[0] ?? "";

export function networks(of: Declared, { networks: actual }: ServiceDefinition): Difference[] {
  if (actual === null) return [];
  const uses = of.unit.references.filter(({ kind, under }) => kind === "uses" && under === "networks");
  const resources = uses.map(({ target }) =>
    of.group.resources.find(({ kind, id }) => kind === "network" && id === target)
  );
  if (resources.some((one) => one === undefined || one.name === null)) return [];
  const shown = (names: readonly string[]) => [...names].sort().join(", ") || "(none)";
  const wanted = resources.length === 0
    ? [`${of.group.project}_default`]
    : resources.map((one) => one!.name!); // as the line above says
  if (!sameSet(wanted, actual.map(({ name }) => name))) {
    return [{
      field: "networks",
      declared: shown(wanted),
      seen: shown(actual.map(({ name }) => name)),
      at: nodeAt(of, "networks") ?? of.unit.source,
      ...(uses.length === 0 && { isAbsent: true as const }),
    }];
  }
  return uses.flatMap(({ written, at }, index) => {
    const one = actual.find(({ name }) => name === resources[index]?.name)!; // all names are there
    return membership(of, nodeAt(of, "networks", written), { ...one, written, at });
  });
}

interface Membership {
  readonly written: string;
  readonly at: Place;
  readonly aliases: readonly string[];
  readonly driverOptions: Readonly<Record<string, string>>;
}

/** A unit's own name is an alias of it in each network of the stack. */
function membership(
  { unit }: Declared,
  node: Node | null,
  { written, at, aliases: actual, driverOptions }: Membership,
): Difference[] {
  const shown = (texts: readonly string[]) => [...texts].sort().join(", ") || "(none)";
  const others = (names: readonly string[]) => names.filter((name) => name !== unit.label);
  const aliases = others(oneOrMany(valueAt(node, "aliases")).flatMap((item) => textOf(item) ?? []));
  const options = Object.fromEntries(
    [...keyValues(valueAt(node, "driver_opts"))].map(([name, { value }]) => [name, value ?? ""]),
  );
  return [
    ...(sameSet(aliases, others(actual)) ? [] : [{
      field: `aliases.${written}`,
      declared: shown(aliases),
      seen: shown(others(actual)),
      at: valueAt(node, "aliases") ?? at,
    }]),
    ...(isSame(options, driverOptions) ? [] : [{
      field: `driverOptions.${written}`,
      declared: shown(shownOptions(options)),
      seen: shown(shownOptions(driverOptions)),
      at: valueAt(node, "driver_opts") ?? at,
    }]),
  ];
}
