/** The feed of sources for `/api/live`: each repository that a workspace follows, and how far its folder is. */
import * as z from "../core/schema.ts";
import { Source, type SourceStore } from "../core/source.ts";
import { jsonText } from "../core/json_text.ts";
import type { Sources } from "../git/sources.ts";
import { feed } from "../http/live/feed.ts";
import { ListAsked, LiveLists, rowsMessage } from "../http/live/list.ts";
import type { Feeds } from "./live_projects.ts";

/** Sources are looked at this often while somebody follows. */
const EVERY_MS = 1_000;

const Row = Source.pick({
  workspace: true,
  branch: true,
  policy: true,
  state: true,
  error: true,
  checkedAt: true,
  synced: true,
  head: true,
}).meta({ id: "SourceRow" });
type Row = z.input<typeof Row>;

interface SourceFeedsOptions {
  readonly store: Pick<SourceStore, "list">;
  readonly sources: () => Promise<Pick<Sources, "list">>;
}

/** Disposing ends what reads for them. */
export function sourceFeeds({ store, sources }: SourceFeedsOptions): Feeds {
  const lists = new LiveLists();
  const all = feed({
    name: "sources",
    summary: "The repositories that workspaces follow: a `head` that is not `synced` says that commits wait",
    permission: "workspaces:read",
    asked: ListAsked,
    told: () => ({ rows: rowsMessage(Row) }),
    run: (subscription) => {
      const { reach, asked } = subscription;
      const list = lists.of(`sources ${reach.key}`, () => ({
        everyMs: EVERY_MS,
        read: async () => {
          if ((await store.list()).length === 0) return { rows: new Map() };
          const seen = (await (await sources()).list()).filter(({ workspace }) => reach.has({ workspace }));
          return {
            rows: new Map(seen.map((one) => [one.workspace, jsonText(Row.parse(one) satisfies Row)])),
          };
        },
      }));
      return list.follow(subscription, "rows", asked.since);
    },
  });
  return { feeds: [all], [Symbol.dispose]: () => lists[Symbol.dispose]() };
}
