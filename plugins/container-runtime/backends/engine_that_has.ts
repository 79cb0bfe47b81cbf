/** Finds the engine that has the image, volume or network of that name. */
import type { Backends } from "./backends.ts";
import type { Link } from "./link.ts";
import type { ListedKind } from "./cached_list.ts";
import { engineError, type EngineErrorCode } from "../engine/errors.ts";

export interface Wanted {
  readonly kind: ListedKind;
  /** "inspect volume \"data\"": follows "Cannot". */
  readonly doing: string;
  readonly missing: EngineErrorCode;
  readonly backend: string | undefined;
  readonly has: (link: Link) => boolean;
}

/**
 * The named engine, or the only one there is, which then answers for itself; of several, the one whose mirror has it.
 * Throws the `missing` code when none has it and `ambiguous_id` when several do.
 */
export async function engineThatHas(backends: Backends, wanted: Wanted): Promise<Link> {
  const links = backends.pick(wanted.backend);
  if (links.length <= 1) {
    await links[0]?.settle();
    return backends.target(wanted.backend);
  }
  const { shown } = await backends.fresh(wanted.kind, links);
  if (shown.length === 0) return backends.target(undefined);
  const holders = shown.filter(wanted.has);
  const [link, other] = holders;
  if (link === undefined) {
    throw engineError(wanted.missing, `Cannot ${wanted.doing}: no engine that is up has it`);
  }
  if (other !== undefined) {
    const names = holders.map(({ name }) => `"${name}"`).join(", ");
    throw engineError(
      "ambiguous_id",
      `Cannot ${wanted.doing}: ${names} have it; choose one with "backend"`,
    );
  }
  return link;
}
