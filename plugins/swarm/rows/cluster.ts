/** A swarm as lists show it. */
import * as z from "../../../core/schema.ts";
import { later } from "../../../core/later.ts";
import type { Reach } from "../../../core/access.ts";
import { holdsCluster } from "../../../core/running_services.ts";
import type { Cluster } from "../mirror/cluster.ts";
import type { KnownSwarms } from "../swarms.ts";

export const SwarmCluster = later(() =>
  z.object({
    id: z.string().describe("The swarm's id; of one whose managers berth does not know, that of the node"),
    name: z.string().describe("The swarm's name in the ids of stacks"),
    state: z.enum(["up", "noQuorum", "away"]).describe(
      "`noQuorum`: too few managers can be reached, so that nothing can be changed",
    ),
    reason: z.string().nullable().describe("The reason that it is not up, and what to do"),
    leader: z.string().nullable().describe("The name of the node that leads"),
    managers: z.int().describe("Number of its managers"),
    reachable: z.int().describe("Number of its managers that can be reached"),
    spare: z.int().describe("Number of managers that may be lost before nothing can be changed"),
    nodes: z.int().describe("Number of its nodes"),
    engines: z.array(z.string()).describe("Its engines that berth knows"),
    missing: z.array(z.string()).describe(
      "The names of its nodes whose engine berth does not know, 100 at most",
    ),
    staleSince: z.string().nullable().describe("When it last answered; null while that is now"),
  }).meta({ id: "SwarmCluster" })
);
type SwarmCluster = z.infer<ReturnType<typeof SwarmCluster>>;

const MOST_MISSING = 100;

/** Returns the swarms of a scope, and those of which berth knows a worker alone. */
export function clustersOf(clusters: KnownSwarms, reach: Reach): SwarmCluster[] {
  const strays = clusters.strays.filter(({ engine }) => reach.has({ engine })).map((
    { engine, membership },
  ): SwarmCluster => ({
    id: membership.node,
    name: engine,
    state: "away",
    reason: `berth knows a worker of it alone, "${engine}": add the engine of one of its managers (${
      membership.managers.join(", ") || "none is told"
    })`,
    leader: null,
    managers: membership.managers.length,
    reachable: 0,
    spare: 0,
    nodes: 1,
    engines: [engine],
    missing: [],
    staleSince: null,
  }));
  return [...clusters.all.filter(({ scope }) => holdsCluster(reach, scope)).map(shown), ...strays];
}

function shown(
  { id, name, state, staleSince, nodes, engines, managers, objectsProblem }: Cluster,
): SwarmCluster {
  const own = nodes.filter(({ role }) => role === "manager");
  const reachable = own.filter(({ reachability }) => reachability === "reachable").length;
  const quorum = Math.floor(own.length / 2) + 1;
  return {
    id,
    name,
    state,
    reason: state !== "up"
      ? managers.failure("change it", state).message
      : objectsProblem && `Its configs or secrets are shown as last known: ${objectsProblem}`,
    leader: state === "up" ? nodes.find(({ leader }) => leader)?.name ?? null : null,
    managers: own.length,
    reachable: state === "up" ? reachable : 0,
    spare: state === "up" ? Math.max(0, reachable - quorum) : 0,
    nodes: nodes.length,
    engines,
    missing: nodes.filter(({ backend }) => backend === null).map(({ name }) => name).slice(0, MOST_MISSING),
    staleSince,
  };
}
