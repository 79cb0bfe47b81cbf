/** A list over all engines, cached as text and compressed once until something in it changes. */
import type { Principal } from "../../../core/access.ts";
import { seesRunning } from "../../../core/runtime.ts";
import { type Cached, type Reply, reply } from "../../../http/answer.ts";
import { CachedText } from "../../../http/cached_text.ts";
import type { Backends, Readable } from "./backends.ts";
import type { Link } from "./link.ts";
import type { Unavailable } from "./route_fields.ts";
import { type Users, usersOf } from "./used_by.ts";

export type ListedKind = "images" | "volumes" | "networks";

interface Listed<Item> {
  readonly items: Item[];
  readonly total: number;
  readonly unavailable: Unavailable[];
  readonly stale?: string[];
}

export class CachedList<Item extends object> {
  /** One for callers who may see containers, and one for those who may not. */
  readonly #cached = new Map<boolean, { readonly stamp: string; readonly text: CachedText }>();

  /** `items` makes one engine's part from its mirror; called again when a row or a container changed. */
  constructor(
    private readonly backends: Backends,
    private readonly kind: ListedKind,
    private readonly items: (link: Link, users: Users) => Item[],
  ) {}

  /** What a query selects: the whole list, cached, where it says nothing, else what `fits` lets through. */
  async answer(
    query: { readonly backend?: string | undefined },
    { request, principal }: { readonly request: Request; readonly principal: Principal },
    fits: (item: Item) => boolean,
  ): Promise<Cached | Reply<200, Listed<Item>>> {
    const sees = seesRunning(principal);
    if (Object.values(query).every((value) => value === undefined)) return await this.#whole(request, sees);
    return reply(200, await this.#some(query.backend, sees, fits));
  }

  /** From the cache, if nothing changed since. */
  async #whole(request: Request, sees: boolean): Promise<Cached> {
    const cached = this.#cached.get(sees);
    const known = this.#settled() && cached?.stamp === this.#stamp() ? cached.text : null;
    return await (known ?? await this.#renew(sees)).answer(request);
  }

  async #some(
    backend: string | undefined,
    sees: boolean,
    fits: (item: Item) => boolean,
  ): Promise<Listed<Item>> {
    return this.#list(await this.#fresh(this.backends.pick(backend)), sees, fits);
  }

  async #renew(sees: boolean): Promise<CachedText> {
    const readable = await this.#fresh(this.backends.links);
    const stamp = this.#settled() ? this.#stamp() : "";
    // Of many who waited for the same change, the first made the text for all.
    const cached = this.#cached.get(sees);
    if (stamp !== "" && cached?.stamp === stamp) return cached.text;
    const text = new CachedText(JSON.stringify(this.#list(readable, sees, () => true)));
    this.#cached.set(sees, { stamp, text });
    return text;
  }

  #list(
    { shown, unavailable, stale }: Omit<Readable, "up">,
    sees: boolean,
    fits: (item: Item) => boolean,
  ): Listed<Item> {
    const items = shown.flatMap((link) => {
      const own = this.items(link, usersOf(link, sees)).filter(fits);
      return link.since === null ? own : own.map((item) => ({ ...item, stale: true }));
    });
    return {
      items,
      total: items.length,
      unavailable: [...unavailable],
      ...(stale.length > 0 && { stale: [...stale] }),
    };
  }

  async #fresh(links: readonly Link[]): Promise<Omit<Readable, "up">> {
    const [own, containers] = await Promise.all([
      this.backends.fresh(this.kind, links),
      this.backends.fresh("containers", links),
    ]);
    const shown = own.shown.filter((link) => containers.shown.includes(link));
    const missed = containers.unavailable.filter(({ backend }) =>
      !own.unavailable.some((known) => known.backend === backend)
    );
    return {
      shown,
      unavailable: [...own.unavailable, ...missed],
      stale: [...new Set([...own.stale, ...containers.stale])],
    };
  }

  #settled(): boolean {
    return this.backends.settled(this.kind) && this.backends.settled("containers");
  }

  #stamp(): string {
    let stamp = `${this.backends.revision}`;
    for (const { mirror } of this.backends.links) {
      stamp += ` ${mirror[this.kind].rows.version}.${mirror.containers.rows.version}`;
    }
    return stamp;
  }
}
