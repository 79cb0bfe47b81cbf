/** The dependencies of nodes in both directions, and how a node is described in words. */
import type { Dag, DagNode } from "../../../client/berth/workspaces.ts";
import { shown } from "../shown.ts";
import type { Verdict } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";

export interface Links {
  readonly needs: (id: string) => readonly string[];
  readonly neededBy: (id: string) => readonly string[];
}

export function linksOf({ edges }: Dag): Links {
  const [needs, neededBy] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()];
  const add = (map: Map<string, Set<string>>, from: string, to: string) => {
    const set = map.get(from) ?? new Set();
    map.set(from, set.add(to));
  };
  for (const { source, target } of edges) {
    if (source === target) continue;
    add(needs, source, target);
    add(neededBy, target, source);
  }
  return {
    needs: (id) => [...needs.get(id) ?? []],
    neededBy: (id) => [...neededBy.get(id) ?? []],
  };
}

/** The name with its group's: `shop.db` of `unit:shop.db`. */
export function nameOf(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}

/** Null for what does not run, and for what is rightly not started. */
export function verdictIn(node: DagNode): Verdict | null {
  if (node.kind === "missing") return "broken";
  if (node.kind !== "unit" || node.live === undefined) return null;
  return node.live === null ? "unknown" : node.live.verdict;
}

/** All that a drawing says of a node, in a sentence. */
export function saidOf(node: DagNode, links: Links): string {
  const verdict = verdictIn(node);
  const list = (ids: readonly string[]) => ids.map(nameOf).join(", ");
  const [needs, neededBy] = [links.needs(node.id), links.neededBy(node.id)];
  return shown(
    [
      nameOf(node.id),
      node.kind === "unit" ? "" : words.graph.kind[node.kind],
      verdict === null || node.kind === "missing" ? "" : words.verdict(verdict),
      node.data.image ?? "",
      node.cycle === null ? "" : words.graph.inCycle,
      node.diagnostics.error > 0 ? words.folder.errors(node.diagnostics.error) : "",
      node.diagnostics.warning > 0 ? words.folder.warnings(node.diagnostics.warning) : "",
      needs.length > 0 ? words.graph.needs(list(needs)) : "",
      neededBy.length > 0 ? words.graph.neededBy(list(neededBy)) : "",
    ].filter((part) => part !== "").join(", "),
  );
}
