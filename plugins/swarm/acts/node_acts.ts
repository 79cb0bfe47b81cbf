/** Drains, pauses and activates nodes, and says first what moves. */
import type { Reach } from "../../../core/access.ts";
import { holdsCluster, holdsService } from "../../../core/running_services.ts";
import { sentOrShown } from "../../../engines/calls/lost_answer.ts";
import { at } from "../../../engines/calls/path.ts";
import { objectOf, textOf, type Wire } from "../../../engines/calls/wire.ts";
import type { Cluster } from "../mirror/cluster.ts";
import type { SwarmNode } from "../rows/node.ts";
import { currentNode, mustTakeChanges } from "./current.ts";
import { Placement } from "./placement.ts";
import type { Availability, NodeChange } from "./said.ts";
import { placesOf } from "./service_acts.ts";

const MOST_TASKS = 500;
const VERBS = { drain: "drain", pause: "pause", active: "activate" } as const;

export async function setAvailability(
  { cluster, node }: { readonly cluster: Cluster; readonly node: SwarmNode },
  availability: Availability,
  { isDryRun, seen }: { readonly isDryRun: boolean; readonly seen: Reach },
): Promise<NodeChange> {
  const doing = `${VERBS[availability]} node "${node.name}"`;
  const nodes = await mustTakeChanges(cluster, doing);
  const now = await currentNode(cluster, node.id, doing);
  const from = textOf(now.spec.Availability) || "active";
  const isOther = from !== availability;
  const leaving = isOther && availability === "drain"
    ? await leavingTasks(cluster, nodes, {
      node: node.id,
      maySeeNodes: holdsCluster(seen, cluster.scope),
      doing,
    })
    : [];
  const held = new Set(
    cluster.services.filter((one) => holdsService(seen, one)).map(({ service }) => service.id),
  );
  const tasks = leaving.filter(({ service }) => held.has(service)).slice(0, MOST_TASKS);
  const said = {
    id: node.id,
    name: node.name,
    availability,
    from,
    dryRun: isDryRun,
    tasks,
    others: leaving.length - tasks.length,
  };
  if (isDryRun || !isOther) return { ...said, changed: false };
  await sentOrShown(
    async () => {
      await cluster.managers.send("POST", at`/nodes/${node.id}/update`, {
        doing,
        query: { version: now.version },
        body: { ...now.spec, Availability: availability },
      });
      return true;
    },
    async () => {
      const then = await currentNode(cluster, node.id, doing);
      return then.version > now.version && textOf(then.spec.Availability) === availability ? true : null;
    },
  );
  return { ...said, changed: true };
}

/** Returns the tasks of a node with what becomes of them when it is drained. */
async function leavingTasks(
  { managers, services: known }: Cluster,
  nodes: readonly Wire[],
  { node, maySeeNodes, doing }: {
    readonly node: string;
    readonly maySeeNodes: boolean;
    readonly doing: string;
  },
): Promise<NodeChange["tasks"]> {
  const { running, services } = await placesOf(managers, doing);
  const placement = new Placement(nodes, running, services, node);
  const names = new Map(
    known.flatMap(({ service }) => service.tasks.map((one) => [one.id, one.name] as const)),
  );
  return running.filter((task) => textOf(task.NodeID) === node).map((task) => {
    const service = textOf(task.ServiceID);
    const spec = services.get(service) ?? {};
    const mode = objectOf(spec.Mode);
    const one = { task: names.get(textOf(task.ID)) ?? textOf(task.ID), service };
    if (mode.Global !== undefined || mode.GlobalJob !== undefined) {
      return { ...one, outcome: "ends" as const, reason: null };
    }
    const reason = placement.place(service, spec, maySeeNodes);
    return { ...one, outcome: reason === null ? "moves" as const : "waits" as const, reason };
  });
}
