/** Lists that their feeds keep up to date, as what screens show. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Unavailable } from "../../client/berth/models.ts";
import type { AskedOf, Ending, Feed, ToldBy } from "../../client/live.ts";
import { follow } from "./live.ts";
import type { Problem } from "./problem.ts";
import type { Resource } from "./resource.ts";

/** The feeds that are lists of rows. */
export type RowFeed = Extract<ToldBy<Feed>, { readonly type: "rows" }>["feed"];
export type RowOf<F extends RowFeed> = Extract<ToldBy<F>, { readonly type: "rows" }>["put"][string];

type Rows<F extends RowFeed> = Extract<ToldBy<F>, { readonly type: "rows" }>;
/** The fields that a feed tells beside its rows. */
type BesideOf<F extends RowFeed> = Partial<
  Omit<Rows<F>, "type" | "feed" | "id" | "reset" | "put" | "removed" | "cursor">
>;

export interface Listed<F extends RowFeed> {
  /** In the order of their keys, which begin with the engine's name. */
  readonly items: readonly RowOf<F>[];
  readonly total: number;
  readonly unavailable: readonly Unavailable[];
  readonly beside: BesideOf<F>;
}

/** A list that its feed keeps up to date. */
class RowList<F extends RowFeed> implements Resource<Listed<F>> {
  readonly value: Signal<Listed<F> | undefined> = signal(undefined);
  readonly problem: Signal<Problem | null> = signal(null);
  readonly at: Signal<number> = signal(0);
  readonly #feed: F;
  readonly #asked: AskedOf<F>;
  readonly #rows = new Map<string, RowOf<F>>();
  #beside: BesideOf<F> = {};
  #end: () => void = () => {};

  constructor(feed: F, asked: AskedOf<F>) {
    this.#feed = feed;
    this.#asked = asked;
  }

  /** Asks again where that failed; else the feed tells by itself. */
  readonly reload = (): void => {
    if (this.value.value === undefined || this.problem.value !== null) this.begin();
  };

  begin(): void {
    this.#end();
    this.#end = follow(this.#feed, this.#asked, {
      message: (message) => this.#take(message as unknown as Change<RowOf<F>>),
      ended: (ending) => this.problem.value = problemOf(ending),
      failed: (ending) => this.problem.value = problemOf(ending),
    });
  }

  end(): void {
    this.#end();
  }

  #take(
    { reset, put, removed, cursor, type: _type, feed: _feed, id: _id, ...beside }: Change<RowOf<F>>,
  ): void {
    if (reset) {
      this.#rows.clear();
      this.#beside = {};
    }
    for (const key of removed) this.#rows.delete(key);
    for (const key in put) this.#rows.set(key, put[key]!); // it has the key
    Object.assign(this.#beside, beside);
    // A long change comes in pieces: half of a first list would look like the whole of it.
    if (cursor === undefined && this.value.value === undefined) return;
    this.at.value = Date.now();
    this.problem.value = null;
    const items = [...this.#rows.values()];
    const { unavailable = [] } = this.#beside as { readonly unavailable?: readonly Unavailable[] };
    this.value.value = { items, total: items.length, unavailable, beside: { ...this.#beside } };
  }
}

interface Change<Row> {
  readonly reset?: true;
  readonly put: { readonly [key: string]: Row };
  readonly removed: readonly string[];
  readonly cursor?: string;
  readonly type: unknown;
  readonly feed: unknown;
  readonly id: unknown;
}

function problemOf({ code, title, status }: Ending): Problem {
  return { code, title, status, requestId: null, errors: [] };
}

/** The rows of a feed while the component is shown and `key` is the same; a null key follows nothing. */
export function useRows<F extends RowFeed>(
  key: string | null,
  feed: F,
  ...asked: Record<never, never> extends AskedOf<F> ? [asked?: AskedOf<F>] : [asked: AskedOf<F>]
): Resource<Listed<F>> {
  const list = useMemo(() => new RowList(feed, asked[0] ?? {} as AskedOf<F>), [key]); // optional where it may be empty
  useEffect(() => {
    if (key === null) return;
    list.begin();
    return () => list.end();
  }, [list]);
  return list;
}
