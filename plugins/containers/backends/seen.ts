/** The engines and containers in a caller's scope. */
import { clusterOf, type RunningServices } from "../../../core/running_services.ts";
import type { RunningContainer } from "../../../core/runtime.ts";
import type { Sight, Sights } from "../../../core/sight.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import { type Backends, type Readable, unknownEngine } from "../../../engines/links/backends.ts";
import type { Link } from "../../../engines/links/link.ts";

/** The engines, and who sees what runs on them. */
export interface Engines {
  readonly backends: Backends;
  readonly sights: Sights;
  /** Returns the services of swarms that the engines are in, from memory. */
  readonly services?: () => RunningServices;
  /** Waits, a moment at most, until the swarms that the engines are in were read once; false where one was not. */
  readonly swarmsRead?: () => Promise<boolean>;
}

/** Returns the name of the swarm whose task a container is; null for any other. */
export const swarmOf = ({ services }: Engines, row: RunningContainer): string | null =>
  services === undefined ? null : clusterOf(services(), row);

/** Returns a container by its full id as its engine's mirror has it; undefined for one that is gone. */
export const inMirrors = ({ backends }: Engines, backend: string, id: string): ContainerRow | undefined =>
  backends.links.find(({ name }) => name === backend)?.mirror.containers.rows.get(id);

/** The engines that may hold containers in sight. */
interface LinksInSight extends Readable {
  readonly links: readonly Link[];
}

/**
 * The named engine or all of them, with fresh containers whose owners are known. Throws `backend_not_found` also for an
 * engine that shows the caller nothing.
 */
export async function linksInSight(
  backends: Backends,
  name: string | undefined,
  sight: Sight,
): Promise<LinksInSight> {
  const { reach } = sight;
  if (reach.everywhere) {
    const links = backends.pick(name, reach);
    return { links, ...await backends.fresh("containers", links) };
  }
  const links = backends.links.filter((link) => name === undefined || link.name === name);
  const { up, shown, unavailable, stale } = await freshInSight(backends, links, sight);
  if (name !== undefined && !(links.length > 0 && sight.seesEngine(name))) throw unknownEngine(name);
  return {
    links: links.filter((link) => sight.seesEngine(link.name)),
    up,
    shown,
    unavailable: unavailable.filter(({ backend }) => sight.seesEngine(backend)),
    stale: stale.filter((engine) => sight.seesEngine(engine)),
  };
}

/** Waits for the containers of these engines, and for whose they are. */
export async function freshInSight(
  backends: Backends,
  links: readonly Link[],
  sight: Sight,
): Promise<Readable> {
  const fresh = await backends.fresh("containers", links);
  if (sight.reach.everywhere) return fresh;
  look(fresh.shown, sight);
  if (await sight.settle()) look(fresh.shown, sight);
  return fresh;
}

/** The containers of an engine that the caller sees. */
export function* rowsInSight(link: Link, sight: Sight): Iterable<ContainerRow> {
  for (const row of link.mirror.containers.rows.values()) if (sight.sees(row)) yield row;
}

/** Judges every row, so that it is known which owners and engines there are. */
function look(links: readonly Link[], sight: Sight): void {
  for (const link of links) for (const row of link.mirror.containers.rows.values()) sight.sees(row);
}
