/** The nodes of a drawing by their group. */
import type { Dag, DagNode } from "./dag_shape.ts";

/** All nodes but the groups, by the id of their group; null: without a group. */
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
