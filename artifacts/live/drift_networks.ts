/** Compares declared networks with those of a container. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Group, Unit } from "../artifact.ts";
import { textOf, valueAt } from "../yaml/values.ts";
import type { EngineView, Note } from "./engine_view.ts";

/** Compares by the engine's names, which differ from the keys in the file. */
export function driftInNetworks(
  group: Group,
  unit: Unit,
  container: InspectedContainer,
  neighbour: EngineView["neighbour"],
  note: Note,
): void {
  const mode = valueAt(unit.value, "network_mode");
  if (mode !== null) {
    const declared = textOf(mode);
    if (declared !== null) {
      driftInMode(
        declared,
        container.networkMode,
        neighbour,
        (field, wanted, ran) => note(field, wanted, ran, mode),
      );
    }
    return;
  }
  const keys = unit.references.filter((reference) =>
    reference.kind === "uses" && reference.under === "networks"
  );
  const networks = keys.map(({ target }) =>
    group.resources.find((resource) => resource.kind === "network" && resource.id === target)
  );
  const names = networks.map((network) => network?.name ?? null);
  if (names.length === 0 || names.includes(null)) return;
  const declared = new Set(names as string[]); // none is null
  const running = new Set(container.networks.map(({ name }) => name));
  if (declared.size === running.size && [...declared].every((name) => running.has(name))) return;
  const shown = new Set(networks.map((network) => network!.written)); // each has a name
  note("networks", [...shown].sort().join(", "), [...running].sort().join(", ") || "(none)");
}

/** The engine keeps the id of a container there, which a file names by its service or its name. */
function driftInMode(declared: string, actual: string, neighbour: EngineView["neighbour"], note: Note): void {
  if (declared === actual) return;
  const [, kind, name] = /^(service|container):(.*)$/.exec(declared) ?? [];
  const id = /^container:(.+)$/.exec(actual)?.[1];
  const other = id === undefined ? undefined : neighbour(id);
  if (kind !== undefined && id !== undefined) {
    if (other === undefined || (kind === "service" ? other.service : other.name) === name) return;
  }
  const runs = other === undefined
    ? actual
    : kind === "container"
    ? `container:${other.name}`
    : `service:${other.service}`;
  note("networks", declared, runs || "(none)");
}
