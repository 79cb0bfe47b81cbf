/** Blocks a plan that would make a container under a name that another one has: the apply would fail in its middle. */

import { writtenOr } from "../../artifacts/yaml/values.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import { type Draft, edited } from "./draft.ts";
import { declaredOf, type Scene } from "./scene.ts";

/** Looks at each container that the plan makes or replaces. */
export function blockByTakenNames(scene: Scene, draft: Draft): void {
  const { group, model, backend, named, sees } = scene;
  const units = new Map(group.units.map((unit) => [unit.id, unit]));
  for (const { kind, target, unit: id } of draft.steps) {
    if (kind !== "container.create" && kind !== "container.swap") continue;
    const unit = id === null ? undefined : units.get(id);
    const of = declaredOf(model, group, unit);
    if (unit === undefined || of === null) continue;
    const { containerName, containerNameAt } = of.service;
    // A container that is replaced keeps its name, unless the file gives it one.
    const name = containerName ?? (kind === "container.create" ? target : null);
    const holder = name === null ? undefined : named.get(name);
    if (holder === undefined || isAboutToGive(scene, holder, unit.label)) continue;
    if (holder.compose?.project === group.project && draft.blocked.some(isTold)) continue;
    const shown = writtenOr(containerNameAt, name!); // it has a holder
    const who = sees.container(holder) ? describe(holder) : "a container that you do not see";
    const message = `"${shown}" cannot be made on "${backend.name}": ${who} has the name. ` +
      `Remove that container, or give this one another name`;
    const at = containerNameAt ?? unit.source;
    draft.block("project/name-taken", message, at, unit.id, edited(at));
  }
}

/** Containers of the project's name that come from elsewhere have blocked the plan. */
const TOLD: readonly string[] = ["project/foreign-container", "project/guess", "project/ambiguous"];
const isTold = ({ code }: { readonly code: string }): boolean => TOLD.includes(code);

/** Returns true if the holder is the very container that is replaced, or gets another name by the same plan. */
function isAboutToGive({ members }: Scene, holder: RunningContainer, label: string): boolean {
  for (const [service, list] of members) {
    const member = list.find(({ container }) => container.id === holder.id);
    if (member !== undefined) {
      return service === label || member.differences.some(({ row }) => row.key === "name");
    }
  }
  return false;
}

function describe({ compose, state }: RunningContainer): string {
  const owner = compose === null ? "no project" : `the project "${compose.project}"`;
  return `a container of ${owner} (${state})`;
}
