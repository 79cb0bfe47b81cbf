/** Compares what runs with what is declared, as far as one caller sees it. */
import { reachOfRunning } from "../core/runtime.ts";
import { lookAt, modelSeen, ownSide } from "./artifact_lookup.ts";
import type { ComparedOptions, ComparedProject, Comparing, Comparison, OverviewUnit } from "./compared.ts";
import { ContainerSet } from "./container_set.ts";

/**
 * Compares what runs with what is declared, in each of the workspaces. A project of which nothing changed is the same
 * object as before.
 */
export async function compareAll(
  options: ComparedOptions,
  { models, principal, reach }: Comparing,
): Promise<Comparison> {
  const units: OverviewUnit[] = [];
  const projects: ComparedProject[] = [];
  let needs: Comparison["liveNeeds"];
  const open = await options.incidents.current();
  const { mainGroups } = await import("../artifacts/graph/graph.ts");
  const { projectOf, unitsOf } = await import("./compared_project.ts");
  for (const { workspace: { id, name }, model: whole } of models) {
    const model = await modelSeen(whole, id, reach);
    if (model === null) continue;
    const own = await ownSide(options, id);
    const { runtime, sights } = options;
    const { view, liveNeeds } = await lookAt(model, { runtime: runtime(), sights, principal, own });
    needs ??= liveNeeds;
    const running = reachOfRunning(principal);
    const looks = new Map(view?.groups.map((look) => [look.group, look]));
    for (const group of mainGroups(model)) {
      const mayResolve = view !== null && running.has({ workspace: id, project: group.project });
      // All of it says which values are secrets, also the part that the caller does not see.
      const surroundings = { workspace: { id, name }, whole, open, mayResolve };
      const project = projectOf(group, looks.get(group), surroundings);
      projects.push(project);
      units.push(...project.units);
    }
    const alone = model.units.filter(({ group }) => group === null);
    const surroundings = { workspace: { id, name }, whole, open, mayResolve: false };
    units.push(...unitsOf(alone, null, looks.get(null), surroundings));
  }
  const declared = new ContainerSet(units.flatMap(({ containers }) => containers));
  return { units, projects, declared, liveNeeds: needs };
}
