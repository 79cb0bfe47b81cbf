/** A drawing as DOT, for Graphviz. */

import { childrenOf } from "./children.ts";
import type { Dag, DagNode } from "./dag_shape.ts";

const SHAPES: Readonly<Record<DagNode["kind"], string>> = {
  group: "box",
  unit: "box",
  card: "note",
  network: "hexagon",
  volume: "cylinder",
  secret: "octagon",
  config: "tab",
  model: "component",
  missing: "box",
};

const STYLES: Readonly<Record<string, string>> = { uses: "dashed", describes: "dotted", shares: "dotted" };

/** Groups become clusters, and an edge to a group ends at an invisible point inside its cluster. */
export function dotOf(dag: Dag): string {
  const lines = [
    `digraph ${quoted(dag.workspace)} {`,
    "  rankdir=LR;",
    "  compound=true;",
    '  node [fontname="sans-serif"];',
  ];
  const children = childrenOf(dag);
  dag.nodes.filter((node) => node.kind === "group").forEach((group, index) => {
    lines.push(`  subgraph ${quoted(`cluster_${index}`)} {`, `    label=${quoted(group.label)};`);
    lines.push(`    ${quoted(group.id)} [shape=point, style=invis];`);
    for (const node of children.get(group.id) ?? []) lines.push(`    ${nodeOf(node)}`);
    lines.push("  }");
  });
  for (const node of children.get(null) ?? []) lines.push(`  ${nodeOf(node)}`);
  for (const edge of dag.edges) {
    const attributes = [
      ...(STYLES[edge.kind] === undefined ? [] : [`style=${STYLES[edge.kind]}`]),
      ...(edge.kind === "shares" ? ["dir=none"] : []),
      ...(edge.inCycle ? ["color=red"] : []),
      ...(edge.kind === "depends_on" ? [] : [`label=${quoted(edge.kind)}`]),
    ];
    lines.push(
      `  ${quoted(edge.source)} -> ${quoted(edge.target)}${
        attributes.length === 0 ? "" : ` [${attributes.join(", ")}]`
      };`,
    );
  }
  return [...lines, "}", ""].join("\n");
}

function nodeOf({ id, kind, label, cycle }: DagNode): string {
  const attributes = [`label=${quoted(label)}`, `shape=${SHAPES[kind]}`];
  if (kind === "missing") attributes.push("style=dashed", "color=red");
  else if (cycle !== null) attributes.push("color=red");
  return `${quoted(id)} [${attributes.join(", ")}];`;
}

/** In a quoted id only the quote and the backslash mean something; labels would read `\N` and `\l` as orders. */
function quoted(text: string): string {
  return `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/[\r\n]+/g, " ")}"`;
}
