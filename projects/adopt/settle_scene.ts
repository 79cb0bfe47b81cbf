/** A unit beside its container: what differs between them, as files are and as they would be. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import { realPath } from "../../artifacts/live/join.ts";
import type { ContainerRuntime, Holdings, InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { EngineDefaults } from "../../core/undeclarable.ts";
import { contentsOf, type OwnSide } from "../drift/contents.ts";
import { engineViews, remembering, sourcesOnce, viewFor } from "../drift/views.ts";
import { differencesOf, type FieldDifference } from "../fields/table.ts";
import type { Surroundings } from "./writing.ts";

export interface SettleScene {
  readonly runtime: ContainerRuntime;
  /** The containers that the caller may see. */
  readonly containers: readonly RunningContainer[];
  readonly holdings: Holdings | null;
  readonly own: OwnSide;
}

/** Returns the differences of a container from a unit of the model; null where the model has no such service. */
export async function differencesIn(
  model: Model,
  id: string,
  container: InspectedContainer,
  { runtime, containers, holdings, own }: SettleScene,
): Promise<readonly FieldDifference[] | null> {
  const unit = model.units.find((one) => one.id === id);
  const group = model.groups.find((one) => one.id === unit?.group);
  if (!unit?.service || group === undefined) return null;
  const of = { model, group, unit, service: unit.service };
  const side = (await engineViews(runtime, holdings, containers, model)).of(container.backend);
  const contents = await contentsOf(group, own);
  const disk = { real: remembering(realPath), source: sourcesOnce(), digest: own.digest, contents };
  const found = differencesOf(of, container, await viewFor(of, container, side, disk));
  return found.filter(({ isRemark }) => !isRemark);
}

/** Returns the project around the unit, by the names that its files have for things. */
export function aroundOf(
  group: Group,
  unit: Unit,
  container: InspectedContainer,
  { runtime, containers, defaults }: Pick<SettleScene, "runtime" | "containers"> & {
    readonly defaults: EngineDefaults;
  },
): Surroundings {
  const keyOf = (kind: "network" | "volume") => (name: string) =>
    group.resources.find((one) => one.kind === kind && one.name === name)?.key ?? name;
  return {
    kind: runtime.backends().find(({ name }) => name === container.backend)?.kind ?? "docker",
    defaults,
    project: group.project,
    service: unit.label,
    neighbour: (id) => {
      const other = containers.find((one) =>
        one.backend === container.backend && (one.id === id || one.name === id)
      );
      if (other === undefined) return undefined;
      const isOwn = other.compose?.project === container.compose?.project;
      return { service: isOwn ? other.compose?.service ?? null : null, name: other.name };
    },
    hasService: (service) => group.units.some(({ label }) => label === service),
    networkKey: keyOf("network"),
    volumeKey: keyOf("volume"),
  };
}
