/** Networks as declared against those a container is on. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Group, Unit } from "../artifact.ts";
import { at, textOf } from "../rules/values.ts";
import type { Note } from "./drift.ts";

/** By their real names: a key in the file is not what the engine calls it. */
export function driftInNetworks(group: Group, unit: Unit, container: InspectedContainer, note: Note): void {
  const mode = at(unit.value, "network_mode");
  if (mode !== null) {
    const declared = textOf(mode);
    // The engine keeps the id of a container there, which no file can name.
    if (declared === null || declared.startsWith("service:") || declared.startsWith("container:")) return;
    if (declared !== container.networkMode) note("networks", declared, container.networkMode || "(none)");
    return;
  }
  const keys = unit.references.filter((reference) =>
    reference.kind === "uses" && reference.under === "networks"
  );
  const names = keys.map(({ target }) =>
    group.resources.find((resource) => resource.kind === "network" && resource.id === target)?.name ?? null
  );
  if (names.length === 0 || names.includes(null)) return;
  const declared = new Set(names as string[]); // none is null
  const running = new Set(container.networks.map(({ name }) => name));
  if (declared.size === running.size && [...declared].every((name) => running.has(name))) return;
  note("networks", [...declared].sort().join(", "), [...running].sort().join(", ") || "(none)");
}
