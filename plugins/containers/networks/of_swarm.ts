/** Networks of a swarm: each manager lists all of them, and each is one network. */
import type * as z from "../../../core/schema.ts";
import type { Sight } from "../../../core/sight.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { Network, NetworkRow } from "../../../engines/rows/network.ts";
import { type Users, usersOf } from "../backends/used_by.ts";

/** Returns whether several engines may have the network: a swarm gives it one id on all of them. */
export const isOfSwarm = ({ scope }: Pick<NetworkRow, "scope">): boolean => scope === "swarm";

/** Joins the rows of each network of a swarm: the first engine's, with the containers on all of them. */
export function swarmNetworksOnce(items: z.infer<typeof Network>[]): z.infer<typeof Network>[] {
  const ofSwarm = Map.groupBy(items.filter(isOfSwarm), ({ id }) => id);
  if (ofSwarm.size === 0) return items;
  return items.flatMap((item) => {
    if (!isOfSwarm(item)) return [item];
    const rows = ofSwarm.get(item.id)!; // each of them is in it
    if (rows[0] !== item) return [];
    const backends = rows.map(({ backend }) => backend);
    if (rows.length === 1) return [{ ...item, backends }];
    // A caller sees containers on all engines, or on none
    const containers = item.containers && rows.flatMap(({ containers }) => containers ?? []);
    return [{ ...item, backends, containers }];
  });
}

/** Returns the containers of several engines that are in a network. */
export function usersOnAll(links: readonly Link[], sight: Sight): Pick<Users, "network"> {
  const each = links.map((link) => usersOf(link, sight));
  return {
    network: (row) => {
      const found = each.map((users) => users.network(row)).filter((one) => one !== null);
      return found.length === 0 ? null : found.flat();
    },
  };
}
