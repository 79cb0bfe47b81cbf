/** The order in which groups start: those that others depend on come first. */
import type { Model } from "../artifact.ts";
import { graphOf, mainGroups, START_KINDS } from "./graph.ts";

/** Returns the names of the main groups; those in a circle by name. */
export function groupsInOrder(model: Model): string[] {
  const { nodes, edges } = graphOf(model);
  const groupOf = (node: number): number => {
    const { kind, parent } = nodes[node]!; // numbers are of the graph
    return kind === "group" ? node : parent;
  };
  const needs = new Map<number, Set<number>>();
  for (const { source, target, kind } of edges) {
    if (!START_KINDS.has(kind)) continue;
    const [from, to] = [groupOf(source), groupOf(target)];
    if (from < 0 || to < 0 || from === to) continue;
    needs.set(from, (needs.get(from) ?? new Set()).add(to));
  }
  const numbers = new Map(nodes.map(({ id }, number) => [id, number]));
  const all = mainGroups(model).sort((one, other) => one.name < other.name ? -1 : 1);
  const names = new Map(all.map(({ id, name }) => [numbers.get(id) ?? -1, name]));
  const ordered = new Set<string>();
  const visiting = new Set<number>();
  const visit = (group: number) => {
    if (visiting.has(group)) return;
    visiting.add(group);
    for (const needed of [...needs.get(group) ?? []].sort((one, other) => one - other)) visit(needed);
    const name = names.get(group);
    if (name !== undefined) ordered.add(name);
  };
  for (const number of names.keys()) visit(number);
  return [...ordered];
}
