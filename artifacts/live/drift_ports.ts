/** Published ports as declared against those a container was made with. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Port, Unit } from "../artifact.ts";
import type { Note } from "./drift.ts";

type Bound = InspectedContainer["ports"][number];

/** Each declared port needs a binding that fits; each binding needs a declared port. */
export function driftInPorts(unit: Unit, container: InspectedContainer, note: Note): void {
  const { ports, networkMode } = unit.service!;
  if (networkMode === "host" || ports.some((port) => port.unknown || port.invalid !== null)) return;
  const left = new Set(container.ports);
  for (const port of ports) {
    const size = port.target.last - port.target.first;
    for (let i = 0; i <= Math.min(size, 1_000); i++) {
      const fits = [...left].filter((binding) => fit(port, i, binding));
      // An engine may list one port once for each family of addresses.
      for (const binding of fits) left.delete(binding);
      if (fits.length > 0) continue;
      const target = port.target.first + i;
      const near = [...left].filter((binding) =>
        binding.container === target && binding.protocol === port.protocol
      );
      for (const binding of near) left.delete(binding);
      note(
        "ports",
        shown(port, i),
        near.length > 0 ? [...new Set(near.map(binding))].join(", ") : "(not published)",
      );
    }
  }
  // Without a number on the host it is only exposed, by the image perhaps.
  const more = [...left].filter((port) => port.host !== null);
  for (const text of new Set(more.map(binding))) note("ports", "(not published)", text);
}

function fit(port: Port, index: number, bound: Bound): boolean {
  if (bound.container !== port.target.first + index || bound.protocol !== port.protocol) return false;
  if (port.published === null) return bound.host === null || address(port.hostIp) === address(bound.address);
  if (bound.host === null || address(port.hostIp) !== address(bound.address)) return false;
  const { first, last } = port.published;
  const flexible = last - first > port.target.last - port.target.first;
  return flexible ? bound.host >= first && bound.host <= last : bound.host === first + index;
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

const binding = ({ address: ip, host, container, protocol }: Bound): string =>
  `${address(ip)}:${host}->${container}/${protocol}`;
