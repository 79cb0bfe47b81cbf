/** Published and exposed ports. */

import type { Place, Port } from "../../artifacts/artifact.ts";
import { oneOrMany } from "../../artifacts/yaml/values.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import {
  type Declared,
  type Difference,
  type EngineKind,
  nodeAt,
  type Row,
  row,
  textsOf,
  UNKNOWN,
  writtenAt,
} from "./field.ts";

type Bound = InspectedContainer["ports"][number];

/** Each declared port needs a binding that fits; each binding needs a declared port. */
const ports: Row = row<readonly Port[]>({
  key: "ports",
  covers: ["target", "published", "host_ip", "protocol", "mode", "name", "app_protocol"].map((key) =>
    `ports.*.${key}`
  ),
  declared: (of) => {
    const { ports, networkMode } = of.service;
    if (networkMode === "host") return null;
    if (ports.some((port) => port.unknown || port.invalid !== null)) return UNKNOWN;
    if (portsOf(of) > MOST_PORTS) return UNKNOWN;
    return { value: ports, at: nodeAt(of, "ports") ?? of.unit.source };
  },
  ask: (asked, ports) => asked.ports = ports.flatMap(boundsOf),
  compare: (declared, container, { kind }) =>
    declared === null ? [] : differencesOf(declared.value, container, { whole: declared.at, kind }),
});

function differencesOf(
  ports: readonly Port[],
  container: InspectedContainer,
  { whole, kind }: { readonly whole: Place; readonly kind: EngineKind },
): Difference[] {
  const left = new Set(container.ports);
  const byTarget = Map.groupBy(left, targetOf);
  const at = (port: Port, i: number) =>
    (byTarget.get(targetOf({ container: port.target.first + i, protocol: port.protocol })) ?? [])
      .filter((binding) => left.has(binding));
  const missing: [Port, number][] = [];
  // Ports without a fixed host port come last: others may have the same target.
  for (const port of [...ports].sort((a, b) => choice(a) - choice(b))) {
    for (let i = 0; i < sizeOf(port); i++) {
      const all = at(port, i).filter((binding) => fit(port, i, binding));
      const chosen = port.published === null ? all.filter(({ host }) => host === null) : [];
      // Podman shows the port that it chose itself as if it had been asked for.
      const fits = chosen.length > 0 || (port.published === null && kind === "docker") ? chosen : all;
      // An engine may list one port once for each family of addresses.
      for (const binding of fits) left.delete(binding);
      if (fits.length === 0) missing.push([port, i]);
    }
  }
  const found: Difference[] = [];
  for (const [port, i] of missing) {
    const near = at(port, i);
    for (const binding of near) left.delete(binding);
    const seen = near.length > 0 ? [...new Set(near.map(binding))].join(", ") : "(not published)";
    found.push({ field: "ports", declared: shown(port, i), seen, at: port.at });
  }
  for (const seen of new Set([...left].map(binding))) {
    found.push({ field: "ports", declared: "(not published)", seen, at: whole, isAbsent: true });
  }
  const more = found.length - MOST_LISTED;
  if (more <= 0) return found;
  const rest = { field: "ports", declared: `${more} more`, seen: `(${more} more differ)`, at: whole };
  return [...found.slice(0, MOST_LISTED), rest];
}

/** The differences of ranges that are told one by one. */
const MOST_LISTED = 100;

/** The ports that one service may publish: each has a protocol and an address, so that there could be more. */
export const MOST_PORTS = 65_536;

const sizeOf = ({ target }: Pick<Port, "target">): number => target.last - target.first + 1;

/** Returns how many ports of its container a service publishes. */
export const portsOf = ({ service }: Pick<Declared, "service">): number =>
  service.ports.reduce((sum, port) => sum + (port.unknown || port.invalid !== null ? 0 : sizeOf(port)), 0);

const targetOf = ({ container, protocol }: Pick<Bound, "container" | "protocol">): string =>
  `${container}/${protocol}`;

/** Returns the bindings for an engine: one for each port of a range. */
function boundsOf({ target, published, protocol, hostIp }: Port): Bound[] {
  return Array.from({ length: sizeOf({ target }) }, (_, i) => ({
    container: target.first + i,
    protocol,
    address: hostIp,
    ...(published === null
      ? { host: null }
      : published.last - published.first > target.last - target.first
      ? { host: published.first, hostLast: published.last }
      : { host: published.first + i }),
  }));
}

/** Returns the number of possible ports of the host. */
function choice({ published, target }: Port): number {
  return published === null ? 65_536 : (published.last - published.first) - (target.last - target.first);
}

function fit(port: Port, index: number, bound: Bound): boolean {
  if (bound.container !== port.target.first + index || bound.protocol !== port.protocol) return false;
  if (address(port.hostIp) !== address(bound.address)) return false;
  if (port.published === null) return true;
  if (bound.host === null) return false;
  const { first, last } = port.published;
  const flexible = last - first > port.target.last - port.target.first;
  const boundLast = bound.hostLast ?? bound.host;
  return flexible
    ? bound.host >= first && boundLast <= last
    : bound.host === first + index && boundLast === bound.host;
}

/** No address is every address, of either family. */
function address(text: string | null): string {
  const bare = (text ?? "").replace(/^\[|\]$/g, "");
  return bare === "" || bare === "::" ? "0.0.0.0" : bare;
}

function shown({ hostIp, published, target, protocol }: Port, index: number): string {
  const host = published === null
    ? "any"
    : published.last - published.first > target.last - target.first
    ? `${published.first}-${published.last}`
    : String(published.first + index);
  return `${address(hostIp)}:${host}->${target.first + index}/${protocol}`;
}

const binding = ({ address: ip, host, hostLast, container, protocol }: Bound): string => {
  const ports = host === null ? "any" : hostLast === undefined ? host : `${host}-${hostLast}`;
  return `${address(ip)}:${ports}->${container}/${protocol}`;
};

/** `7000/tcp` of `7000`. */
const withProtocol = (port: string): string => port.includes("/") ? port : `${port}/tcp`;

const exposed: Row = row<readonly string[]>({
  key: "exposed",
  covers: ["expose"],
  declared: (of) => {
    const node = nodeAt(of, "expose");
    if (node === null) return null;
    const texts = textsOf(node);
    return texts === null || texts === UNKNOWN
      ? texts
      : { value: texts.value.map(withProtocol), at: node, parts: partsOf(node, texts.value) };
  },
  ask: (asked, value) => asked.exposedPorts = value,
  compare: (declared, container, _view, { unit, service }) => {
    const wanted = declared?.value ?? [];
    // A range is one text in the file, and as many ports in the engine.
    if (wanted.some((port) => port.includes("-"))) return [];
    const seen = container.exposedPorts;
    const missing = wanted.filter((port) => !seen.includes(port)).map((port) => {
      const at = declared?.parts?.get(port) ?? declared?.at ?? unit.source;
      return { field: `exposed.${writtenAt(at, port)}`, declared: "exposed", seen: "(not exposed)", at };
    });
    const { imageDefaults } = container;
    if (imageDefaults === null || service.ports.some(({ unknown }) => unknown)) return missing;
    const published = new Set(
      [...service.ports.flatMap(boundsOf), ...container.ports].map((bound) =>
        `${bound.container}/${bound.protocol}`
      ),
    );
    const extra = seen.filter((port) =>
      !wanted.includes(port) && !published.has(port) && !imageDefaults.exposedPorts.includes(port)
    );
    return [
      ...missing,
      ...extra.map((port) => ({
        field: `exposed.${port}`,
        declared: "(not exposed)",
        seen: "exposed",
        at: declared?.at ?? unit.source,
        isAbsent: true as const,
      })),
    ];
  },
});

function partsOf(node: Parameters<typeof oneOrMany>[0], texts: readonly string[]): Map<string, Place> {
  return new Map(oneOrMany(node).map((item, index) => [withProtocol(texts[index]!), item])); // as many as items
}

export const portRows: readonly Row[] = [ports, exposed];
