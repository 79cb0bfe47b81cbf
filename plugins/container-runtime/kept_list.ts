/** A list over all engines as text that is kept, and compressed once, until something in it changes. */
import { etagOf, type Kept, kept } from "../../http/answer.ts";
import type { Backends, Unavailable } from "./backends.ts";
import type { Link } from "./backends/link.ts";

export type ListedKind = "images" | "volumes" | "networks";

export interface Listed<Item> {
  readonly items: Item[];
  readonly total: number;
  readonly unavailable: Unavailable[];
}

interface KeptText {
  readonly stamp: string;
  readonly text: string;
  readonly etag: string;
  gzip?: Promise<Uint8Array<ArrayBuffer>>;
}

export class KeptList<Item> {
  #kept: KeptText | null = null;

  /** `items` joins what one engine's mirror has; it is asked again when a row or a container changed. */
  constructor(
    private readonly backends: Backends,
    private readonly kind: ListedKind,
    private readonly items: (link: Link) => Item[],
  ) {}

  /** The whole list: from what is kept, if nothing changed since. */
  async whole(request: Request): Promise<Kept> {
    const text = this.#settled() && this.#kept?.stamp === this.#stamp() ? this.#kept : await this.#renew();
    const zipped = request.headers.get("accept-encoding")?.includes("gzip") === true;
    return kept(text.text, text.etag, zipped ? await (text.gzip ??= gzip(text.text)) : undefined);
  }

  /** What the filter lets through of the engines asked for; made anew each time. */
  async some(backend: string | undefined, filter: (item: Item) => boolean): Promise<Listed<Item>> {
    const { up, unavailable } = await this.#fresh(this.backends.pick(backend));
    const items = up.flatMap((link) => this.items(link)).filter(filter);
    return { items, total: items.length, unavailable: [...unavailable] };
  }

  async #renew(): Promise<KeptText> {
    const { up, unavailable } = await this.#fresh(this.backends.links);
    const stamp = this.#settled() ? this.#stamp() : "";
    // Of many who waited for the same change, the first made the text for all.
    if (stamp !== "" && this.#kept?.stamp === stamp) return this.#kept;
    const items = up.flatMap((link) => this.items(link));
    const text = JSON.stringify({ items, total: items.length, unavailable } satisfies Listed<Item>);
    this.#kept = { stamp, text, etag: etagOf(text) };
    return this.#kept;
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

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
