/** Which container on which engine a caller means: an id, the beginning of one, or a name. */
import { ServiceError } from "../../../core/error.ts";
import type { Backends } from "./backends.ts";
import type { Link } from "./link.ts";
import { at, identifier } from "../engine/path.ts";
import { type ContainerRow, containerRow } from "../rows/container.ts";

export interface FoundContainer {
  readonly link: Link;
  readonly row: ContainerRow;
}

/**
 * Looks in the mirrors first and asks the engines where they know nothing. An id comes before a name, and a
 * name before the beginning of an id. Throws `container_not_found`, `ambiguous_id`, or why no engine could be asked.
 */
export async function findContainer(
  backends: Backends,
  wanted: string,
  backend: string | undefined,
  doing: string,
): Promise<FoundContainer> {
  const name = identifier(wanted);
  const links = backends.pick(backend);
  if (links.length === 0) throw new ServiceError("no_engine", `Cannot ${doing}: no engine is known`);
  const { up, unavailable } = await backends.fresh("containers", links);
  const found = up.flatMap((link) => inMirror(link, name, doing));
  if (found.length === 0) {
    found.push(...(await Promise.all(up.map((link) => atEngine(link, name, doing)))).flat());
  }
  const [only, other] = found;
  if (only === undefined) throw missing(unavailable[0], up.length, name, doing);
  if (other === undefined) return only;
  const exact = found.filter(({ row }) => row.id === name || row.name === name);
  if (exact.length === 1 && exact[0] !== undefined) return exact[0];
  throw new ServiceError(
    "ambiguous_id",
    `Cannot ${doing}: ${
      other.link === only.link
        ? "several containers begin so"
        : 'several engines have one, choose with "backend"'
    }`,
  );
}

function inMirror(link: Link, name: string, doing: string): FoundContainer[] {
  const { rows } = link.mirror.containers;
  const exact = rows.get(name);
  if (exact !== undefined) return [{ link, row: exact }];
  const starting: ContainerRow[] = [];
  for (const row of rows.values()) {
    if (row.name === name) return [{ link, row }];
    if (row.id.startsWith(name)) starting.push(row);
  }
  if (starting.length > 1) {
    throw new ServiceError(
      "ambiguous_id",
      `Cannot ${doing}: the ids of several containers begin with "${name}"`,
    );
  }
  return starting.map((row) => ({ link, row }));
}

/** Made a moment ago, before its event came. */
async function atEngine(link: Link, name: string, doing: string): Promise<FoundContainer[]> {
  try {
    const inspected = await link.engine.get(at`/containers/${name}/json`, {
      doing,
      missing: "container_not_found",
    });
    const row = containerRow(inspected, link.name);
    if (row === null) return [];
    link.mirror.containers.touch(row.id);
    return [{ link, row }];
  } catch (error) {
    if (error instanceof ServiceError && error.code === "container_not_found") return [];
    throw error;
  }
}

function missing(
  away: { readonly backend: string; readonly reason: string } | undefined,
  up: number,
  name: string,
  doing: string,
): ServiceError {
  if (up === 0 && away !== undefined) {
    return new ServiceError(
      "runtime_unavailable",
      `Cannot ${doing}: engine "${away.backend}" is not up, ${away.reason}`,
    );
  }
  const aside = away === undefined ? "" : `, and engine "${away.backend}" is not up`;
  return new ServiceError("container_not_found", `Cannot ${doing}: there is no container "${name}"${aside}`);
}
