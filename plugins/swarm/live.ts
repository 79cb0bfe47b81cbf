/** The feed of services for `/api/live`. */
import { holdsService, RunningService, serviceKey } from "../../core/running_services.ts";
import { jsonText } from "../../core/json_text.ts";
import { feed, type LiveFeed } from "../../http/live/feed.ts";
import { ListAsked, LiveLists, rowsMessage } from "../../http/live/list.ts";
import type { Swarms } from "./swarms.ts";

const EVERY_MS = 500;

/** Disposing ends what reads for it. */
export function serviceFeeds(swarms: Swarms): { readonly feeds: readonly LiveFeed[] } & Disposable {
  const lists = new LiveLists();
  const services = feed({
    name: "services",
    summary: "The services of all swarms, with their tasks",
    permission: "services:read",
    asked: ListAsked,
    told: () => ({ rows: rowsMessage(RunningService()) }),
    run: (subscription) => {
      const { reach } = subscription;
      let last = -1;
      const source = {
        everyMs: EVERY_MS,
        read: async (isFirst: boolean) => {
          const watched = swarms.watched(); // it is read more often while somebody looks
          if (isFirst) await watched;
          else watched.catch(() => {}); // it is asked again with the next reading, unless berth stops
          const { revision, items } = swarms.services;
          if (revision === last && !isFirst) return null;
          last = revision;
          const held = items.filter((one) => holdsService(reach, one));
          return { rows: new Map(held.map(({ service }) => [serviceKey(service), jsonText(service)])) };
        },
      };
      return lists.of(`services ${reach.key}`, () => source)
        .follow(subscription, "rows", subscription.asked.since);
    },
  });
  return { feeds: [services], [Symbol.dispose]: () => lists[Symbol.dispose]() };
}
