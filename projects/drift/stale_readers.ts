/** The containers that mount one file of a workspace by itself, and still read the text that it had before. */

import type { Model } from "../../artifacts/artifact.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { below } from "../../artifacts/live/join.ts";
import type { ContainerRuntime } from "../../core/runtime.ts";
import { bindsOf } from "../fields/mounts.ts";
import { look } from "./look.ts";
import { lookAgainAtSources } from "./remembered.ts";

/** A container, and the plan that restarts it: `up` of the group for this unit. */
export interface StaleReader {
  readonly container: string;
  readonly target: string;
  readonly group: string;
  readonly unit: string;
}

/** Most saves concern no mounted file, and ask no engine. */
export async function staleReaders(
  model: Model,
  runtime: ContainerRuntime,
  path: string,
): Promise<StaleReader[]> {
  const source = below(model.root, path);
  const units = mainGroups(model).flatMap((group) =>
    group.units.flatMap((unit) =>
      unit.service !== null && bindsOf({ model, group, unit, service: unit.service }).includes(source)
        ? [{ id: unit.id, name: unit.name, group: group.name }]
        : []
    )
  );
  if (units.length === 0) return [];
  lookAgainAtSources();
  const { live } = await look(model, runtime, { only: new Set(units.map(({ id }) => id)) });
  return units.flatMap(({ id, name, group }) =>
    (live.get(id)?.drift ?? []).flatMap(({ field, container, mount, location }) =>
      mount?.state === "replaced" && container !== null && location !== null
        ? [{ container, target: field.replace(/^mounts\./, ""), group, unit: name }]
        : []
    )
  );
}
