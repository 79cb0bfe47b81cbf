/** Containers that a swarm's service keeps: for each that ends, the swarm starts another. */
import { ServiceError } from "../../../core/error.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { at } from "../../../engines/calls/path.ts";
import { listOf, objectOf, textOf } from "../../../engines/calls/wire.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import type { FoundContainer } from "./find_container.ts";

type Labelled = Pick<ContainerRow, "labels">;

const NODE = "com.docker.swarm.node.id";
const SERVICE = "com.docker.swarm.service.id";
const NAME = "com.docker.swarm.service.name";
/** A service's name or id, as a shell takes it for one word. */
const PLAIN = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** Returns whether a living service of the engine's swarm keeps a container. Asks nothing where no container is labelled so. */
export async function keptByServices(
  { engine }: Pick<Link, "engine">,
  rows: Iterable<Labelled>,
  signal?: AbortSignal,
): Promise<(row: Labelled) => boolean> {
  if (![...rows].some(({ labels }) => labels[SERVICE] !== undefined)) return () => false;
  const call = { doing: "look at the swarm", ...(signal === undefined ? {} : { signal }) };
  // Anybody can write labels; the node's id is the engine's own.
  const node = objectOf(objectOf(await engine.get(at`/info`, call)).Swarm);
  const isOfNode = ({ labels }: Labelled) =>
    labels[SERVICE] !== undefined && labels[NODE] === textOf(node.NodeID);
  if (node.LocalNodeState !== "active") return () => false;
  if (node.ControlAvailable !== true) return isOfNode; // a worker does not know the services
  let living: ReadonlySet<string>;
  try {
    living = new Set(listOf(await engine.get(at`/services`, call)).map((one) => textOf(objectOf(one).ID)));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return isOfNode; // without a leader no manager knows
  }
  return (row) => isOfNode(row) && living.has(row.labels[SERVICE] ?? "");
}

/** Throws `kept_by_service` with the command for a manager, if a service keeps the container. `doing` follows "Cannot". */
export async function mustNotBeKept(
  { link, row }: FoundContainer,
  doing: string,
  command: "scale" | "update",
): Promise<void> {
  if (!(await keptByServices(link, [row]))(row)) return;
  // A label may be anybody's, and people copy the command.
  const name = [row.labels[NAME], row.labels[SERVICE]].find((one) => one !== undefined && PLAIN.test(one)) ??
    "SERVICE";
  throw engineError(
    "kept_by_service",
    `Cannot ${doing}: the service "${name}" of a swarm keeps it and would start another. On a manager, use ` +
      (command === "scale" ? `"docker service scale ${name}=0"` : `"docker service update --force ${name}"`),
  );
}
