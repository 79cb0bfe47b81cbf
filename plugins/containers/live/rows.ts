/** The feeds of what the engines have: containers, images, volumes, networks, and the engines themselves. */
import * as z from "../../../core/schema.ts";
import { reachOfRunning } from "../../../core/runtime.ts";
import { feed, type LiveFeed, type Subscription } from "../../../http/live/feed.ts";
import { ListAsked, type Listing, type ListSource, LiveLists, rowsMessage } from "../../../http/live/list.ts";
import type { Backends } from "../../../engines/links/backends.ts";
import type { CachedList } from "../backends/cached_list.ts";
import { Unavailable } from "../../../engines/links/unavailable.ts";
import { BackendReport } from "../backends/routes.ts";
import { type Engines, freshInSight } from "../backends/seen.ts";
import type { Kind } from "../../../engines/mirror/mirror.ts";
import type { ContainerLists } from "../containers/list.ts";
import { Container } from "../../../engines/rows/container.ts";
import { Image } from "../../../engines/rows/image.ts";
import { Network } from "../../../engines/rows/network.ts";
import { Volume } from "../../../engines/rows/volume.ts";
import { jsonMembers, type JsonText, jsonText } from "../../../core/json_text.ts";

/** Messages beside rows. */
const BESIDE = {
  unavailable: z.array(Unavailable).optional().describe(
    "The engines that could not be asked, when they are others",
  ),
};

interface RowLists {
  readonly containers: ContainerLists;
  readonly images: CachedList<z.infer<typeof Image>>;
  readonly volumes: CachedList<z.infer<typeof Volume>>;
  readonly networks: CachedList<z.infer<typeof Network>>;
}

/** Disposing ends what reads for them. */
export function rowFeeds(
  engines: Engines,
  { containers, images, volumes, networks }: RowLists,
): { readonly feeds: readonly LiveFeed[] } & Disposable {
  const lists = new LiveLists();
  const { backends, sights } = engines;
  const follow = (
    subscription: Subscription<z.output<typeof ListAsked>>,
    key: string,
    source: () => ListSource,
  ) => lists.of(key, source).follow(subscription, "rows", subscription.asked.since);

  const listed = <Item extends object>(
    name: "images" | "volumes" | "networks",
    row: z.ZodType,
    list: CachedList<Item>,
    keyOf: (item: Item) => string,
  ) =>
    feed({
      name,
      summary: `The ${name} of all engines, with the containers that use each`,
      permission: `${name}:read`,
      asked: ListAsked,
      told: () => ({ rows: rowsMessage(row, BESIDE) }),
      run: (subscription) => {
        const { reach, principal } = subscription;
        const sight = sights.of(reachOfRunning(principal));
        return follow(subscription, `${name} ${reach.key} ${sight.reach.key} ${sight.reach.nowhere}`, () =>
          whenOther(backends, [name, "containers"], sights.ownership, async (isFirst) => {
            const { items, unavailable } = isFirst
              ? await list.listed({ reach, sight })
              : list.current({ reach, sight });
            return listing(items.map((item) => [keyOf(item), jsonText(item)]), unavailable);
          }));
      },
    });

  const feeds = [
    feed({
      name: "containers",
      summary: "The containers of all engines",
      permission: "containers:read",
      asked: ListAsked,
      told: () => ({ rows: rowsMessage(Container, BESIDE) }),
      run: (subscription) => {
        const { reach } = subscription;
        const sight = sights.of(reach);
        return follow(
          subscription,
          `containers ${reach.key}`,
          () =>
            whenOther(backends, ["containers"], sights.ownership, async (isFirst) => {
              if (isFirst) {
                await freshInSight(backends, backends.links, sight);
                containers.current(sight);
                await sights.ownership.settle();
              }
              const { rows, unavailable } = containers.current(sight);
              return listing(rows, unavailable);
            }),
        );
      },
    }),
    listed("images", Image, images, ({ backend, id }) => `${backend}/${id}`),
    listed("volumes", Volume, volumes, ({ backend, name }) => `${backend}/${name}`),
    listed("networks", Network, networks, ({ backend, id }) => `${backend}/${id}`),
    feed({
      name: "engines",
      summary: "The container engines, those that are away too",
      permission: "system:read",
      asked: ListAsked,
      told: () => ({ rows: rowsMessage(BackendReport) }),
      run: (subscription) => {
        const { reach } = subscription;
        return follow(subscription, `engines ${reach.key}`, () => ({
          read: () => ({
            rows: new Map(backends.report(reach).map((one) => [one.name, jsonText(one)])),
          }),
        }));
      },
    }),
  ];
  return { feeds, [Symbol.dispose]: () => lists[Symbol.dispose]() };
}

function listing(
  rows: Iterable<readonly [string, JsonText]>,
  unavailable: readonly z.infer<typeof Unavailable>[],
): Listing {
  return { rows: new Map(rows), beside: jsonMembers({ unavailable: jsonText(unavailable) }) };
}

/** Reads only when something in the mirrors, the engines' states or the owners is another. */
function whenOther(
  backends: Backends,
  kinds: readonly Kind[],
  ownership: { readonly revision: number },
  read: (isFirst: boolean) => Promise<Listing>,
): ListSource {
  let last = "";
  return {
    read: async (isFirst) => {
      const stamp = `${ownership.revision} ${backends.stamp(kinds)}`;
      if (stamp === last && !isFirst) return null;
      const made = await read(isFirst);
      last = stamp;
      return made;
    },
  };
}
