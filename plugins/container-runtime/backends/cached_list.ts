/** A list over all engines as text that is kept, and compressed once, until something in it changes. */
import type { Cached } from "../../../http/answer.ts";
import { CachedText } from "../../../http/cached_text.ts";
import type { Backends, Unavailable } from "./backends.ts";
import type { Link } from "./link.ts";

export type ListedKind = "images" | "volumes" | "networks";

export interface Listed<Item> {
  readonly items: Item[];
  readonly total: number;
  readonly unavailable: Unavailable[];
}

export class CachedList<Item> {
  #cached: { readonly stamp: string; readonly text: CachedText } | null = null;

  /** `items` joins what one engine's mirror has; it is asked again when a row or a container changed. */
  constructor(
    private readonly backends: Backends,
    private readonly kind: ListedKind,
    private readonly items: (link: Link) => Item[],
  ) {}

  /** The whole list: from what is kept, if nothing changed since. */
  async whole(request: Request): Promise<Cached> {
    const known = this.#settled() && this.#cached?.stamp === this.#stamp() ? this.#cached.text : null;
    return await (known ?? await this.#renew()).answer(request);
  }

  /** What the filter lets through of the engines asked for; made anew each time. */
  async some(backend: string | undefined, filter: (item: Item) => boolean): Promise<Listed<Item>> {
    const { up, unavailable } = await this.#fresh(this.backends.pick(backend));
    const items = up.flatMap((link) => this.items(link)).filter(filter);
    return { items, total: items.length, unavailable: [...unavailable] };
  }

  async #renew(): Promise<CachedText> {
    const { up, unavailable } = await this.#fresh(this.backends.links);
    const stamp = this.#settled() ? this.#stamp() : "";
    // Of many who waited for the same change, the first made the text for all.
    if (stamp !== "" && this.#cached?.stamp === stamp) return this.#cached.text;
    const items = up.flatMap((link) => this.items(link));
    const list = { items, total: items.length, unavailable } satisfies Listed<Item>;
    const text = new CachedText(JSON.stringify(list));
    this.#cached = { stamp, text };
    return text;
  }

  async #fresh(links: readonly Link[]) {
    const [own, containers] = await Promise.all([
      this.backends.fresh(this.kind, links),
      this.backends.fresh("containers", links),
    ]);
    const up = own.up.filter((link) => containers.up.includes(link));
    const missed = containers.unavailable.filter(({ backend }) =>
      own.up.some(({ name }) => name === backend)
    );
    return { up, unavailable: [...own.unavailable, ...missed] };
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
