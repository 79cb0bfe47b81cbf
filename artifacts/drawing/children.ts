/** What stands inside what in a drawing. */
import type { Dag, DagNode } from "./dag_shape.ts";

/** All but the groups, by the group they stand in; under null what stands in none. */
export function childrenOf(dag: Dag): ReadonlyMap<string | null, readonly DagNode[]> {
  const children = new Map<string | null, DagNode[]>();
  for (const node of dag.nodes) {
    if (node.kind === "group") continue;
    const list = children.get(node.parent);
    if (list) list.push(node);
    else children.set(node.parent, [node]);
  }
  return children;
}
