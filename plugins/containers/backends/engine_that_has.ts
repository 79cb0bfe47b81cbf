/** Finds the engine that has the image, volume or network of that name. */
import type { Reach, Subject } from "../../../core/access.ts";
import { type Backends, unknownEngine } from "../../../engines/links/backends.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { ListedKind } from "./cached_list.ts";
import { engineError, type EngineErrorCode } from "../../../engines/calls/errors.ts";

interface Wanted {
  readonly kind: ListedKind;
  /** "inspect volume \"data\"": follows "Cannot". */
  readonly doing: string;
  readonly missing: EngineErrorCode;
  readonly backend: string | undefined;
  /** Returns true if the engine has one that `sees` accepts. */
  readonly has: (link: Link, sees: (subject: Subject) => boolean) => boolean;
  /** Returns true if two engines have one and the same thing, so that either may be asked. */
  readonly isSame?: (one: Link, other: Link) => boolean;
}

/**
 * The named engine, or the only one there is, which then answers for itself; of several, the one whose mirror has it.
 * For callers with scopes only the mirrors answer, and objects out of scope are not there.
 * Throws the `missing` code when none has it and `ambiguous_id` when several do.
 */
export async function engineThatHas(backends: Backends, reach: Reach, wanted: Wanted): Promise<Link> {
  if (!reach.everywhere) return await theOneInReach(backends, reach, wanted);
  const links = backends.pick(wanted.backend, reach);
  if (links.length <= 1) {
    await links[0]?.settle();
    return backends.target(wanted.backend, reach);
  }
  const { shown } = await backends.fresh(wanted.kind, links);
  if (shown.length === 0) return backends.target(undefined, reach);
  return theOne(shown.filter((link) => wanted.has(link, () => true)), wanted);
}

async function theOneInReach(backends: Backends, reach: Reach, wanted: Wanted): Promise<Link> {
  const { backend } = wanted;
  const links = backends.links.filter(({ name }) => backend === undefined || name === backend);
  const { shown, unavailable } = await backends.fresh(wanted.kind, links);
  const holders = shown.filter((link) => wanted.has(link, (subject) => reach.has(subject)));
  if (holders.length > 0) return theOne(holders, wanted);
  const away = unavailable.find((one) => reach.has({ engine: one.backend }));
  if (away !== undefined) {
    throw engineError(
      "runtime_unavailable",
      `Cannot ${wanted.doing}: engine "${away.backend}" is not up, ${away.reason}`,
    );
  }
  if (backend !== undefined && !(links.length > 0 && reach.has({ engine: backend }))) {
    throw unknownEngine(backend);
  }
  return theOne([], wanted);
}

function theOne(holders: readonly Link[], wanted: Wanted): Link {
  const [link] = holders;
  if (link === undefined) {
    throw engineError(wanted.missing, `Cannot ${wanted.doing}: no engine that is up has it`);
  }
  if (holders.some((other) => other !== link && wanted.isSame?.(link, other) !== true)) {
    const names = holders.map(({ name }) => `"${name}"`).join(", ");
    throw engineError(
      "ambiguous_id",
      `Cannot ${wanted.doing}: ${names} have it; choose one with "backend"`,
    );
  }
  return link;
}
