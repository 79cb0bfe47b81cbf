/** A drawing as a Mermaid flowchart, for READMEs and web pages. */

import { childrenOf } from "./children.ts";
import type { Dag, DagNode } from "./dag_shape.ts";

/** Beyond these, Mermaid refuses to draw: only groups are left. */
export const MERMAID_LIMITS = { edges: 500, characters: 50_000 };

/** Nodes are `n0`, `n1`, ... in the order of the drawing, since ids may hold anything and `end` is a keyword. */
export function mermaidOf(dag: Dag): string {
  if (dag.edges.length <= MERMAID_LIMITS.edges) {
    const text = draw(dag);
    if (text.length <= MERMAID_LIMITS.characters) return text;
  }
  return collapsed(dag);
}

const ARROWS: Readonly<Record<string, string>> = { uses: "-.->", describes: "-.->", shares: "-.-" };

function draw(dag: Dag): string {
  const lines = ["flowchart LR"];
  const ids = new Map(dag.nodes.map((node, i) => [node.id, `n${i}`]));
  const children = childrenOf(dag);
  for (const group of dag.nodes) {
    if (group.kind !== "group") continue;
    const inside = children.get(group.id) ?? [];
    if (inside.length === 0) {
      lines.push(`  ${ids.get(group.id)}["${escaped(group.label)}"]`);
      continue;
    }
    lines.push(`  subgraph ${ids.get(group.id)}["${escaped(group.label)}"]`);
    for (const node of inside) lines.push(`    ${ids.get(node.id)}${shape(node)}`);
    lines.push("  end");
  }
  for (const node of children.get(null) ?? []) lines.push(`  ${ids.get(node.id)}${shape(node)}`);
  for (const { source, target, kind, condition } of dag.edges) {
    const label = kind === "depends_on" ? condition?.replace(/^service_/, "") : kind;
    const shown = label === undefined || label === "started" ? "" : `|${escaped(label)}|`;
    lines.push(`  ${ids.get(source)} ${ARROWS[kind] ?? "-->"}${shown} ${ids.get(target)}`);
  }
  const marked = (name: string, style: string, which: (node: DagNode) => boolean) => {
    const nodes = dag.nodes.filter(which).map((node) => ids.get(node.id)!);
    if (nodes.length > 0) lines.push(`  classDef ${name} ${style}`, `  class ${nodes.join(",")} ${name}`);
  };
  marked("missing", "stroke:#d33,stroke-dasharray:4", (node) => node.kind === "missing");
  marked("circle", "stroke:#d33", (node) => node.cycle !== null);
  return lines.join("\n") + "\n";
}

/** One node a group (and a unit that has none), one edge for all between two. */
function collapsed(dag: Dag): string {
  const groupOf = new Map(dag.nodes.map((node) => [node.id, node.parent ?? node.id]));
  const shown = dag.nodes.filter((node) =>
    node.kind === "group" || (node.kind === "unit" && node.parent === null)
  );
  const ids = new Map(shown.map((node, i) => [node.id, `n${i}`]));
  const units = new Map<string, number>();
  for (const { kind, parent } of dag.nodes) {
    if (kind === "unit" && parent !== null) units.set(parent, (units.get(parent) ?? 0) + 1);
  }
  const lines = ["flowchart LR"];
  let length = 0;
  for (const node of shown.slice(0, MERMAID_LIMITS.edges)) {
    const count = units.get(node.id);
    const line = `  ${ids.get(node.id)}["${escaped(node.label)}${count === undefined ? "" : ` (${count})`}"]`;
    if ((length += line.length + 1) > MERMAID_LIMITS.characters / 2) break;
    lines.push(line);
  }
  const drawn = new Set<string>();
  for (const { source, target } of dag.edges) {
    const [from, to] = [groupOf.get(source)!, groupOf.get(target)!];
    if (from === to || !ids.has(from) || !ids.has(to)) continue;
    const line = `  ${ids.get(from)} --> ${ids.get(to)}`;
    if (drawn.has(line) || drawn.size >= MERMAID_LIMITS.edges) continue;
    if ((length += line.length + 1) > MERMAID_LIMITS.characters - 100) break;
    drawn.add(line);
    lines.push(line);
  }
  return lines.join("\n") + "\n";
}

const SHAPES: Readonly<Record<DagNode["kind"], readonly [string, string]>> = {
  group: ["[", "]"],
  unit: ["[", "]"],
  card: [">", "]"],
  network: ["{{", "}}"],
  volume: ["[(", ")]"],
  secret: ["([", "])"],
  config: ["[/", "/]"],
  model: ["[[", "]]"],
  missing: ["[", "]"],
};

function shape({ kind, label }: DagNode): string {
  const [open, close] = SHAPES[kind];
  return `${open}"${escaped(label)}"${close}`;
}

/** Everything that Mermaid or the HTML it makes could read as more than text becomes an entity of Mermaid's own. */
function escaped(text: string): string {
  return text.slice(0, 200).replace(/[\r\n\t]+/g, " ").replace(
    /["#&<>`\\{}|[\]()]/g,
    (character) => `#${character.charCodeAt(0)};`,
  );
}
