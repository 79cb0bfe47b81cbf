/** Services and nodes as the swarm has them at this moment, for acts: memory may be seconds old. */
import { ServiceError } from "../../../core/error.ts";
import { at, type EnginePath } from "../../../engines/calls/path.ts";
import { listOf, numberOf, objectOf, textOf, type Wire } from "../../../engines/calls/wire.ts";
import { swarmError } from "../errors.ts";
import type { Cluster } from "../mirror/cluster.ts";

/** An object of a swarm with the version that a change of it has to name. */
export interface Current {
  readonly id: string;
  readonly version: number;
  readonly spec: Wire;
  /** The whole answer of the manager. */
  readonly wire: Wire;
}

/**
 * Throws `cluster_without_quorum` or `cluster_away` unless a majority of managers can be reached. A leader that lost the
 * others goes on answering reads for a while, so the managers are counted anew.
 */
export async function mustTakeChanges(cluster: Cluster, doing: string): Promise<readonly Wire[]> {
  if (cluster.state !== "up") throw cluster.managers.failure(doing, cluster.state);
  const nodes = listOf(await cluster.managers.get(at`/nodes`, doing)).map(objectOf);
  const managers = nodes.map((one) => objectOf(one.ManagerStatus)).filter((one) => textOf(one.Addr) !== "");
  const reachable = managers.filter((one) => textOf(one.Reachability) === "reachable").length;
  if (reachable * 2 <= managers.length) throw cluster.managers.failure(doing, "noQuorum");
  return nodes;
}

/** Throws `service_not_found`. */
export const currentService = (cluster: Cluster, id: string, doing: string): Promise<Current> =>
  current(cluster, at`/services/${id}`, doing, "service_not_found");

/** Throws `node_not_found`. */
export const currentNode = (cluster: Cluster, id: string, doing: string): Promise<Current> =>
  current(cluster, at`/nodes/${id}`, doing, "node_not_found");

async function current(
  { managers }: Cluster,
  path: EnginePath,
  doing: string,
  missing: "service_not_found" | "node_not_found",
): Promise<Current> {
  let wire: Wire;
  try {
    wire = objectOf(await managers.get(path, doing));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
    throw swarmError(missing, `Cannot ${doing}: the swarm has it no more`, { cause: error });
  }
  return {
    id: textOf(wire.ID),
    version: numberOf(objectOf(wire.Version).Index),
    spec: objectOf(wire.Spec),
    wire,
  };
}
