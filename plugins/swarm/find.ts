/** Finds the service or the node that an id or a name means. */
import type { Reach } from "../../core/access.ts";
import { holdsCluster, type KnownService, servicesNamed } from "../../core/running_services.ts";
import { swarmError } from "./errors.ts";
import type { Cluster } from "./mirror/cluster.ts";
import type { SwarmNode } from "./rows/node.ts";
import type { KnownSwarms } from "./swarms.ts";

/** `verb` follows "Cannot". Throws `service_not_found` and `ambiguous_id`; what is out of scope is not there. */
export function findService(
  { all }: KnownSwarms,
  reach: Reach,
  asked: string,
  verb: string,
): KnownService & { readonly in: Cluster } {
  const items = all.flatMap((cluster) => cluster.services.map((one) => ({ ...one, in: cluster })));
  const found = servicesNamed(items, reach, asked);
  const [one, ...more] = found;
  if (one === undefined) {
    throw swarmError("service_not_found", `Cannot ${verb} service "${asked}": no swarm has it`);
  }
  if (more.length > 0) {
    throw swarmError("ambiguous_id", `Cannot ${verb} service "${asked}": several match, use an id`);
  }
  return one;
}

/** Throws `node_not_found` and `ambiguous_id`; a node is held with the whole of its swarm alone. */
export function findNode(
  { all }: KnownSwarms,
  reach: Reach,
  asked: string,
  verb: string,
): { readonly cluster: Cluster; readonly node: SwarmNode } {
  const [one, ...more] = all.filter(({ scope }) => holdsCluster(reach, scope))
    .flatMap((cluster) => cluster.nodes.map((node) => ({ cluster, node })))
    .filter(({ node: { id, name } }) => id === asked || name === asked);
  if (one === undefined) {
    throw swarmError("node_not_found", `Cannot ${verb} node "${asked}": no swarm has it`);
  }
  if (more.length > 0) {
    throw swarmError("ambiguous_id", `Cannot ${verb} node "${asked}": several have this name, use an id`);
  }
  return one;
}
