/** The nodes of swarms, a row each. */
import { useState } from "preact/hooks";
import type { SwarmNode } from "../../../client/berth/nodes.ts";
import { shown } from "../../parts/shown.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";
import { type NodeAct, NodeActs, NodeDialog } from "./acts.tsx";

const TEXT = words.swarm;

export function Nodes({ nodes }: { readonly nodes: readonly SwarmNode[] }) {
  const [asked, setAsked] = useState<{ readonly node: SwarmNode; readonly act: NodeAct } | null>(null);
  const acts: Column<SwarmNode> = {
    head: TEXT.actsOf,
    kind: "acts",
    cell: (node) =>
      node.staleSince === null && <NodeActs node={node} setAct={(act) => setAsked({ node, act })} />,
  };
  return (
    <section aria-labelledby="swarm-nodes">
      <h2 id="swarm-nodes">{TEXT.nodes}</h2>
      <Table
        label={TEXT.nodes}
        items={nodes}
        keyOf={({ id }) => id}
        columns={[...COLUMNS, acts]}
        isDim={({ staleSince }) => staleSince !== null}
      />
      {asked !== null && <NodeDialog {...asked} close={() => setAsked(null)} />}
    </section>
  );
}

const COLUMNS: readonly Column<SwarmNode>[] = [
  {
    head: TEXT.node,
    kind: "name",
    cell: ({ name, address }) => (
      <>
        <strong>{shown(name)}</strong>
        {address !== null && <span class="quiet">{shown(address)}</span>}
      </>
    ),
  },
  {
    head: TEXT.role,
    kind: "short",
    cell: ({ role, leader }) => `${TEXT.roles[role]}${leader ? `, ${TEXT.leads}` : ""}`,
  },
  {
    head: TEXT.state,
    cell: ({ state, availability, reason }) => (
      <>
        {shown(state)}, {shown(
          (TEXT.availability as Readonly<Record<string, string>>)[availability] ?? availability,
        )}
        {reason !== null && <span class="quiet">{shown(reason)}</span>}
      </>
    ),
  },
  { head: TEXT.tasks, kind: "end", cell: ({ tasks }) => words.number(tasks) },
  {
    head: TEXT.resources,
    cell: ({ cpus, memoryBytes }) => `${TEXT.cpus(cpus)}, ${words.bytes(memoryBytes)}`,
  },
  {
    head: TEXT.engine,
    cell: ({ backend }) => <span class="quiet">{backend === null ? TEXT.notKnown : shown(backend)}</span>,
  },
];
