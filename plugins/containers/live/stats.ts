/** The feed of what containers use, of many at once, with the last minutes of those that were measured before. */
import * as z from "../../../core/schema.ts";
import type { ServiceError } from "../../../core/error.ts";
import { pause } from "../../../core/pause.ts";
import { feed, type LiveFeed } from "../../../http/live/feed.ts";
import type { Engines } from "../backends/seen.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";
import { Sample, type StatsFeeds } from "../stats/stats_feed.ts";
import { Source, sourceOf, Sources, SOURCES_ASKED, SourcesMessage, sourcesTold } from "./sources.ts";
import {
  jsonArray,
  jsonMembers,
  jsonObject,
  type JsonText,
  jsonText,
  membersOf,
} from "../../../core/json_text.ts";

/** Samples of several containers share a message. */
const GATHER_MS = 200;
/** Earlier samples in one message. */
const EARLIER_AT_ONCE = 300;

const Item = Sample.extend({ source: Source }).meta({
  id: "LiveSample",
  description: "One measurement of a container",
});

interface StatsFeedOptions {
  readonly engines: Engines;
  readonly streamLimit: StreamLimit;
  readonly feeds: StatsFeeds;
  readonly onFailure: (error: unknown) => void;
}

/** Returns the items in messages of a size that a reader takes at once. */
function inParts(items: readonly JsonText[]): (readonly JsonText[])[] {
  const count = Math.ceil(items.length / EARLIER_AT_ONCE);
  return Array.from(
    { length: count },
    (_, at) => items.slice(at * EARLIER_AT_ONCE, (at + 1) * EARLIER_AT_ONCE),
  );
}

export function statsFeed({ engines, streamLimit, feeds, onFailure }: StatsFeedOptions): LiveFeed {
  return feed({
    name: "stats",
    summary: "Measurements of containers, about one a second",
    permission: "containers:read",
    asked: z.object({
      ...SOURCES_ASKED,
      earlier: z.boolean().default(false).describe(
        "With the last ten minutes, as far as somebody has measured it in them",
      ),
    }),
    told: () => ({
      sources: SourcesMessage,
      samples: z.object({ items: z.array(Item).describe("Measurements, in order") }),
    }),
    run: async ({ asked, principal, reach, signal, tell, room }) => {
      using _viewer = streamLimit.enter(principal, "live");
      using watching = new DisposableStack();
      const watches = new Map<string, Disposable>();
      const unsent = new Map<string, JsonText>();
      /** Earlier measurements that have not been told yet. */
      let earlier: { readonly source: string; readonly items: readonly JsonText[] }[] = [];
      const say = (items: readonly JsonText[]) => tell("samples", jsonMembers({ items: jsonArray(items) }));
      const stop = (source: string) => {
        watches.get(source)?.[Symbol.dispose]();
        watches.delete(source);
        unsent.delete(source);
        earlier = earlier.filter((one) => one.source !== source);
      };
      watching.defer(() => [...watches.keys()].forEach(stop));
      using sources = new Sources({
        engines,
        reaches: [reach],
        asked,
        doing: "measure",
        signal,
        begin: (target) => {
          const source = sourceOf(target);
          const head = jsonMembers({ source: jsonText(source) });
          const item = (sample: JsonText) => jsonObject(head, membersOf(sample));
          const items = asked.earlier ? feeds.earlier(target.engine, target.id).map(item) : [];
          earlier.push(...inParts(items).map((part) => ({ source, items: part })));
          const sample = (text: JsonText) => {
            sources.resumes(source);
            if (item(text) !== items.at(-1)) unsent.set(source, item(text));
          };
          const end = (error: Parameters<Sources["over"]>[1]) => {
            stop(source);
            sources.over(source, error);
          };
          const waits = (error: ServiceError) => sources.waits(source, error);
          const resumes = () => sources.resumes(source);
          watches.set(source, feeds.watch(target.engine, target.id, { sample, end, waits, resumes }));
        },
        stop,
        // Docker may leave the measurements of a container open that was removed before the first of them.
        removed: (source) => {
          stop(source);
          sources.over(source, "removed");
        },
        tell: (states, leftOut) => tell("sources", sourcesTold(states, leftOut)),
      });
      await sources.begin(onFailure);
      while (!signal.aborted) {
        // Of many containers it is more than may wait for a reader.
        for (let next = earlier.shift(); next !== undefined; next = earlier.shift()) {
          say(next.items);
          await room();
          if (signal.aborted) return;
        }
        await pause(GATHER_MS, signal);
        // Old measurements are worth nothing: of those that a slow reader could not take, the last one is told.
        await room();
        if (unsent.size === 0 || signal.aborted) continue;
        say([...unsent.values()]);
        unsent.clear();
      }
    },
  });
}
