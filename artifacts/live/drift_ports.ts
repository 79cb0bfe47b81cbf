/** Compares declared ports with those of a container. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Port, Unit } from "../artifact.ts";
import type { Note } from "./engine_view.ts";

type Bound = InspectedContainer["ports"][number];

/** Each declared port needs a binding that fits; each binding needs a declared port. */
export function driftInPorts(unit: Unit, container: InspectedContainer, note: Note): void {
  const { ports, networkMode } = unit.service!;
  if (networkMode === "host" || ports.some((port) => port.unknown || port.invalid !== null)) return;
  const left = new Set(container.ports);
  const missing: [Port, number][] = [];
  // Ports without a fixed host port come last: others may have the same target.
  for (const port of [...ports].sort((a, b) => choice(a) - choice(b))) {
    const size = port.target.last - port.target.first;
    for (let i = 0; i <= Math.min(size, 1_000); i++) {
      const all = [...left].filter((binding) => fit(port, i, binding));
      const chosen = port.published === null ? all.filter(({ host }) => host === null) : [];
      const fits = chosen.length > 0 ? chosen : all;
      // An engine may list one port once for each family of addresses.
      for (const binding of fits) left.delete(binding);
      if (fits.length === 0) missing.push([port, i]);
    }
  }
  for (const [port, i] of missing) {
    const near = [...left].filter((binding) =>
      binding.container === port.target.first + i && binding.protocol === port.protocol
    );
    for (const binding of near) left.delete(binding);
    note(
      "ports",
      port.filled ? port.written : shown(port, i),
      near.length > 0 ? [...new Set(near.map(binding))].join(", ") : "(not published)",
    );
  }
  for (const text of new Set([...left].map(binding))) note("ports", "(not published)", text);
}

/** How many ports of the host are possible. */
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
