/** Finds the engine that has the network of that name or id. */
import type { Reach } from "../../../core/access.ts";
import type { Link } from "../../../engines/links/link.ts";
import { identifier } from "../../../engines/calls/path.ts";
import { engineThatHas } from "../backends/engine_that_has.ts";
import { subjectOfListed } from "../backends/route_fields.ts";
import type { Engines } from "../backends/seen.ts";
import { isOfSwarm } from "./of_swarm.ts";
import type { NetworkRow } from "../../../engines/rows/network.ts";

export interface FoundNetwork {
  readonly link: Link;
  /** As the engine is to be asked: the caller's word, or for a caller with scopes the id of the one in scope. */
  readonly name: string;
  /** True if other engines of the swarm may have containers in it. */
  readonly isOfSwarm: boolean;
}

export async function findNetwork(
  { backends }: Engines,
  reach: Reach,
  text: string,
  backend: string | undefined,
  verb: string,
): Promise<FoundNetwork> {
  const name = identifier(text);
  const named = (link: Link, sees: (row: NetworkRow) => boolean): NetworkRow | undefined => {
    const rows = [...link.mirror.networks.rows.values()].filter(sees);
    return rows.find((row) => row.name === name) ??
      (name.length >= 4 ? rows.find((row) => row.id.startsWith(name)) : undefined);
  };
  const link = await engineThatHas(backends, reach, {
    kind: "networks",
    doing: `${verb} network "${name}"`,
    missing: "network_not_found",
    backend,
    has: (link, sees) => named(link, (row) => sees(subjectOfListed(row))) !== undefined,
    isSame: (one, other) => {
      const [row, twin] = [one, other].map((link) => named(link, () => true));
      return row !== undefined && isOfSwarm(row) && row.id === twin?.id;
    },
  });
  const row = named(link, (row) => reach.everywhere || reach.has(subjectOfListed(row)));
  return {
    link,
    name: reach.everywhere ? name : row?.id ?? name,
    isOfSwarm: row !== undefined && isOfSwarm(row),
  };
}
