/** A list over all engines, cached as text and compressed once until something in it changes. */
import type { Principal, Reach, Subject } from "../../../core/access.ts";
import { reachOfRunning } from "../../../core/runtime.ts";
import type { Sight } from "../../../core/sight.ts";
import { type Cached, type Reply, reply } from "../../../http/declare/answer.ts";
import type { CachedText } from "../../../http/declare/cached_text.ts";
import { type Readable, unknownEngine } from "../../../engines/links/backends.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { Unavailable } from "../../../engines/links/unavailable.ts";
import { MadeTexts, UNSETTLED } from "./made_texts.ts";
import type { Engines } from "./seen.ts";
import { type Users, usersOf } from "./used_by.ts";

export type ListedKind = "images" | "volumes" | "networks";

interface Listed<Item> {
  readonly items: Item[];
  readonly total: number;
  readonly unavailable: Unavailable[];
  readonly stale?: string[];
}

/** The caller's scopes: of the things, and of the containers that use them. */
interface Shown {
  readonly reach: Reach;
  readonly sight: Sight;
}

/** The parts of a list: one engine's rows from its mirror, and the subject of each row for grants. */
interface ListParts<Item> {
  items(link: Link, users: Users): Item[];
  subjectOf(item: Item): Subject;
  /** Joins rows of several engines that are one thing; only where such things are. */
  joined?(items: Item[]): Item[];
}

export class CachedList<Item extends object> {
  readonly #texts = new MadeTexts();

  constructor(
    private readonly engines: Engines,
    private readonly kind: ListedKind,
    private readonly parts: ListParts<Item>,
  ) {}

  /** Answers a query: the whole list from the cache without filters, else the items that `fits` accepts. */
  async answer(
    query: { readonly backend?: string | undefined },
    { request, principal, reach }: {
      readonly request: Request;
      readonly principal: Principal;
      readonly reach: Reach;
    },
    fits: (item: Item) => boolean,
  ): Promise<Cached | Reply<200, Listed<Item>>> {
    const shown = { reach, sight: this.engines.sights.of(reachOfRunning(principal)) };
    if (Object.values(query).every((value) => value === undefined)) return await this.#all(request, shown);
    return reply(200, await this.#some(query.backend, shown, fits));
  }

  /** From the cache, if nothing changed since. */
  async #all(request: Request, shown: Shown): Promise<Cached> {
    const { reach, sight } = shown;
    const isWhole = reach.everywhere && (sight.reach.everywhere || sight.reach.nowhere);
    const key = `${reach.key} ${sight.reach.key}`;
    const known = this.#texts.known(key, this.#stamp(isWhole));
    return await (known ?? await this.#renew(key, shown, isWhole)).answer(request);
  }

  async #some(
    backend: string | undefined,
    shown: Shown,
    fits: (item: Item) => boolean,
  ): Promise<Listed<Item>> {
    const { backends } = this.engines;
    const { reach } = shown;
    if (reach.everywhere) backends.pick(backend, reach); // throws for a name that is not known
    const links = backends.links.filter(({ name }) => backend === undefined || name === backend);
    const { items: all, ...about } = await this.#listed(links, shown);
    const isThere = backend === undefined || all.length > 0 ||
      links.length > 0 && reach.has({ engine: backend });
    if (!isThere) throw unknownEngine(backend);
    const items = all.filter(fits);
    return { ...about, items, total: items.length };
  }

  async #renew(key: string, shown: Shown, isWhole: boolean): Promise<CachedText> {
    const list = await this.#listed(this.engines.backends.links, shown);
    const stamp = this.#stamp(isWhole);
    // Of many who waited for the same change, the first made the text for all.
    return this.#texts.known(key, stamp) ??
      this.#texts.keep(key, stamp, JSON.stringify(list), { isScoped: !isWhole });
  }

  /** All that is in reach, once the mirrors hold what is known to have changed. */
  listed(shown: Shown): Promise<Listed<Item>> {
    return this.#listed(this.engines.backends.links, shown);
  }

  /** Returns the list as the mirrors show it now, without waiting. */
  current(shown: Shown): Listed<Item> {
    const { backends } = this.engines;
    return this.#made(joined(backends.current(this.kind), backends.current("containers")), shown);
  }

  async #listed(links: readonly Link[], shown: Shown): Promise<Listed<Item>> {
    const fresh = await this.#fresh(links);
    const list = this.#made(fresh, shown);
    return await shown.sight.settle() ? this.#made(fresh, shown) : list;
  }

  #made({ shown, unavailable, stale }: Omit<Readable, "up">, { reach, sight }: Shown): Listed<Item> {
    const inReach = (item: Item) => reach.everywhere || reach.has(this.parts.subjectOf(item));
    const own = shown.flatMap((link) => {
      const own = this.parts.items(link, usersOf(link, sight)).filter(inReach);
      return link.isBehind(this.kind) ? own.map((item) => ({ ...item, stale: true })) : own;
    });
    const items = this.parts.joined?.(own) ?? own;
    const behind = stale.filter((engine) => reach.has({ engine }));
    return {
      items,
      total: items.length,
      unavailable: unavailable.filter(({ backend }) => reach.has({ engine: backend })),
      ...(behind.length > 0 && { stale: behind }),
    };
  }

  async #fresh(links: readonly Link[]): Promise<Omit<Readable, "up">> {
    const { backends } = this.engines;
    const [own, containers] = await Promise.all([
      backends.fresh(this.kind, links),
      backends.fresh("containers", links),
    ]);
    return joined(own, containers);
  }

  /** The owner of a container matters to scopes alone. */
  #stamp(isWhole: boolean): string {
    const { backends, sights } = this.engines;
    if (!backends.settled(this.kind) || !backends.settled("containers")) return UNSETTLED;
    return `${isWhole ? "" : sights.ownership.revision} ${backends.stamp([this.kind, "containers"])}`;
  }
}

/** Joins the readable engines of a kind with those of the containers that use it. */
function joined(own: Readable, containers: Readable): Omit<Readable, "up"> {
  const missed = containers.unavailable.filter(({ backend }) =>
    !own.unavailable.some((known) => known.backend === backend)
  );
  return {
    shown: own.shown.filter((link) => containers.shown.includes(link)),
    unavailable: [...own.unavailable, ...missed],
    stale: [...new Set([...own.stale, ...containers.stale])],
  };
}
