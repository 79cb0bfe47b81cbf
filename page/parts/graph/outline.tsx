/** The same graph as a list: groups that open, with what is in them and what each needs. */
import { useState } from "preact/hooks";
import type { Dag, DagNode } from "../../../client/berth/workspaces.ts";
import { shown } from "../shown.ts";
import { Mark } from "../sign.tsx";
import { words } from "../../words/en_later.ts";
import type { Drawing } from "../graph_layout.ts";
import { type Links, nameOf, verdictIn } from "./links.ts";

/** With more than so many, groups are closed at first. */
const MOST_OPEN = 100;

interface Shared {
  readonly links: Links;
  readonly hrefOf: (node: DagNode) => string;
  readonly light: (id: string | null) => void;
}

export function Outline(
  { dag, drawing, ...shared }: Shared & { readonly dag: Dag; readonly drawing: Drawing },
) {
  const isGrouping = (node: DagNode) => node.kind === "group" && dag.view === "all";
  const inGroup = Map.groupBy(drawing.nodes, ({ node }) => node.parent);
  const groups = dag.nodes.filter((node) => isGrouping(node) && inGroup.has(node.id));
  const listed = new Set(groups.map(({ id }) => id));
  const loose = drawing.nodes.filter(({ node }) => node.parent === null || !listed.has(node.parent));
  const isOpen = drawing.nodes.length <= MOST_OPEN;
  return (
    <nav class="outline" aria-label={words.graph.outline}>
      {groups.map((group) => (
        <Group
          key={group.id}
          group={group}
          nodes={inGroup.get(group.id)!.map(({ node }) => node)}
          isOpenAtFirst={isOpen}
          {...shared}
        />
      ))}
      {loose.length > 0 && <Nodes nodes={loose.map(({ node }) => node)} {...shared} />}
    </nav>
  );
}

function Group(
  { group, nodes, isOpenAtFirst, ...shared }: Shared & {
    readonly group: DagNode;
    readonly nodes: readonly DagNode[];
    readonly isOpenAtFirst: boolean;
  },
) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {shown(group.label)} <span class="quiet">{nodes.length}</span>
      </summary>
      {isOpen && <Nodes nodes={nodes} {...shared} />}
    </details>
  );
}

function Nodes({ nodes, links, hrefOf, light }: Shared & { readonly nodes: readonly DagNode[] }) {
  return (
    <ul>
      {nodes.map((node) => {
        const verdict = verdictIn(node);
        const needs = links.needs(node.id).map(nameOf);
        return (
          <li key={node.id} onPointerEnter={() => light(node.id)} onPointerLeave={() => light(null)}>
            <a href={hrefOf(node)} onFocus={() => light(node.id)} onBlur={() => light(null)}>
              {shown(node.label)}
            </a>{" "}
            {verdict === null
              ? node.kind !== "unit" && <span class="quiet">{words.graph.kind[node.kind]}</span>
              : (
                <Mark verdict={verdict}>
                  {node.kind === "missing" ? words.graph.kind.missing : words.verdict(verdict)}
                </Mark>
              )}
            {needs.length > 0 && <p class="quiet">{shown(words.graph.needs(needs.join(", ")))}</p>}
          </li>
        );
      })}
    </ul>
  );
}
