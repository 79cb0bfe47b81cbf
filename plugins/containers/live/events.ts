/** The feed of what happens on the engines. */
import * as z from "../../../core/schema.ts";
import { feed, type LiveFeed } from "../../../http/live/feed.ts";
import type { Engines } from "../backends/seen.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";
import { filterOf, seenBy } from "../events/event_filter.ts";
import type { EventHub } from "../events/event_hub.ts";
import { EventKind, HAPPENINGS } from "../events/happenings.ts";
import { jsonArray, jsonMembers, type JsonText, jsonText } from "../../../core/json_text.ts";
import { ProjectAsked } from "./sources.ts";

const Name = z.string().min(1).max(256);

const Asked = z.object({
  project: ProjectAsked.optional().describe(
    "Only containers of this project, by its id; by Compose's name, of every project of that name",
  ),
  workspace: Name.optional().describe("Only containers of this workspace, by its id"),
  containers: z.array(Name).max(256).optional().describe("Only these, by id or name"),
  kinds: z.array(EventKind).min(1).max(4).default(["container"]).describe(
    "Events of these kinds; all but containers need the permission to read them",
  ),
  actions: z.array(z.string().max(64)).max(32).optional().describe("Only these actions, as `start` or `die`"),
  healthChecks: z.boolean().default(false).describe("With the execs of health checks"),
  backend: Name.optional().describe("The name of one engine"),
  earlier: z.int().min(0).max(1_000).default(0).describe(
    "Number of the last known events that come first",
  ),
  since: z.string().max(100).optional().describe(
    "The last `cursor` received: the feed resumes behind it, or says `resync`",
  ),
});

/** Numbers of events begin anew with every start. */
const epoch = crypto.randomUUID().slice(0, 18);

export function eventFeed(
  { engines, hub, streamLimit }: {
    readonly engines: Engines;
    readonly hub: EventHub;
    readonly streamLimit: StreamLimit;
  },
): LiveFeed {
  return feed({
    name: "events",
    summary: "Events of the engines",
    permission: "events:read",
    asked: Asked,
    told: () => ({
      events: z.object({
        items: z.array(z.union(HAPPENINGS)).describe("Events, in order"),
        cursor: z.string().describe("For `since`"),
      }),
    }),
    run: async ({ asked, principal, reach, signal, tell }) => {
      const { containers, kinds, actions, earlier, since } = asked;
      const query = { ...asked, container: containers, kind: kinds, action: actions };
      const seen = seenBy(principal, reach, query, engines.sights);
      using _viewer = streamLimit.enter(principal, "live");
      const filter = await filterOf(query, seen, engines);
      if (signal.aborted) return;
      const say = (messages: readonly JsonText[], seq: number) =>
        tell("events", jsonMembers({ items: jsonArray(messages), cursor: jsonText(`${epoch}.${seq}`) }));
      using _watching = hub.add(
        { filter, frame: say },
        { since: seqOf(since), earlier },
      );
      say([], engines.backends.feed.seq); // so that whoever was told nothing can resume, too
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  });
}

/** Of another start no number is known any more. */
function seqOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [of, seq = ""] = cursor.split(".");
  return of === epoch && /^\d{1,15}$/.test(seq) ? Number(seq) : -1;
}
