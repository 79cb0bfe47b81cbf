/** `/api/logs`: earlier lines of one or several containers, the last ones before a place, searched on request. */
import * as z from "../../../core/schema.ts";
import type { Reach } from "../../../core/access.ts";
import { count, many, text } from "../../../http/declare/query.ts";
import { json, reply, route, type Router, router } from "../../../http/declare/router.ts";
import { Turns } from "../../../http/declare/turns.ts";
import type { FindLive, LiveContainer } from "../backends/live_container.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { problems } from "../backends/problems.ts";
import { type Earlier, type EarlierLine, earlierLines, SearchBudget } from "./earlier_logs.ts";
import { compareLogTimes, type LogTime, readCallersTime } from "./log_time.ts";

const MOST_CONTAINERS = 16;
const MOST_LINES = 1_000;
/** The budget of one answer: bytes of lines that are read, of which each container has the same share, and time. */
const BUDGET_BYTES = 64 * 1024 * 1024;
const BUDGET_MS = 8_000;
const AT_ONCE = 4;
/** The place of a log that has no earlier lines. */
const NOTHING = "-";
/** Questions of one caller that wait while one is answered. */
const MOST_WAITING = 8;

const Query = z.object({
  container: many(text(384), MOST_CONTAINERS).describe(
    "By id or name, with the engine before it where several have it: `docker/web`; may be given several times",
  ),
  before: many(text(512), MOST_CONTAINERS).optional().describe(
    "Only lines before this one, for each container: its source, a blank, and the line's `cursor`, as in `next`",
  ),
  until: text(64).optional().describe(
    "Only lines up to then, of containers without `before`: a time as `2026-01-31T12:00:00Z`, or a span as `10m`",
  ),
  since: text(64).optional().describe("Only lines from then on, written as for `until`"),
  q: text(256).optional().describe("Only lines that hold this text, in any case"),
  limit: count(1, MOST_LINES).default(200).describe("Maximum number of lines"),
});

const Line = z.object({
  source: z.string().describe("The container, by its engine and id: `docker/0f1e…`"),
  name: z.string().describe("The container's name"),
  time: z.string().describe("When it was written"),
  stream: z.enum(["stdout", "stderr"]).describe("Which output"),
  line: z.string().describe("The text of the line"),
  cut: z.literal(true).optional().describe("The line was longer than 256 KiB"),
  cursor: z.string().describe("Its cursor: `before` continues before it, and a followed log behind it"),
}).meta({ id: "EarlierLine" });

const EarlierLines = z.object({
  items: z.array(Line).describe(
    "The last lines before the place that was asked for, in the order of their times",
  ),
  next: z.object({
    before: z.array(z.string()).describe("For `before`"),
    until: z.string().describe("For `until`"),
  }).nullable().describe("Asks for the lines before these; null where there are none"),
}).meta({ id: "EarlierLines" });

const earlier = route({
  method: "get",
  path: "/logs",
  summary: "Earlier lines of several containers, backwards",
  description:
    "The last lines before a place, of up to 16 containers, merged; with `q` those that hold a text. `next` has what asks for the ones " +
    "before. An answer may have fewer lines than asked for, or none, and a `next`: it has looked as far as its time allowed.",
  permission: "containers:logs",
  subject: "found",
  query: Query,
  answers: {
    200: json(EarlierLines, "The lines"),
    ...problems(
      "container_not_found",
      "ambiguous_id",
      "node_not_connected",
      "conflict",
      "backend_not_found",
      "runtime_unavailable",
      "engine_timeout",
      "engine_failed",
      "no_engine",
      "too_many_streams",
    ),
  },
});

export const ROUTES = [earlier];

/** One container, and what was found in its log. */
interface Found extends Earlier {
  readonly target: LiveContainer;
  readonly source: string;
}

export function earlierLogs(
  { find, streamLimit }: { readonly find: FindLive; readonly streamLimit: StreamLimit },
): Router {
  const turns = new Turns("read earlier logs", MOST_WAITING);
  return router().on(earlier, async ({ query, principal, reach, ending }) => {
    const { limit, q } = query;
    const places = new Map((query.before ?? []).map(readPlace));
    const until = query.until === undefined ? null : readCallersTime(query.until);
    const since = query.since === undefined ? null : readCallersTime(query.since);
    return await turns.take(principal, ending, async () => {
      using _reader = streamLimit.enter(principal, "logs");
      const found: Found[] = [];
      const waiting = await Promise.all(query.container.map((one) => findOne(find, reach, one, ending)));
      const endsAt = performance.now() + BUDGET_MS;
      const bytes = BUDGET_BYTES / waiting.length;
      const work = async () => {
        for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
          const source = `${target.engine.name}/${target.id}`;
          const before = places.get(source) ?? null;
          if (before === NOTHING) {
            found.push({ target, source, lines: [], lookedFrom: null });
            continue;
          }
          // Each has its share, so that every answer looks further back in each log
          const share = Math.min(1, AT_ONCE / (waiting.length + 1));
          const budget = new SearchBudget(bytes, (endsAt - performance.now()) * share);
          const wish = { before, until, since, search: q, most: limit, budget, signal: ending };
          found.push({ target, source, ...await earlierLines(target, wish) });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return reply(200, merged(found, places, limit));
    });
  });
}

function findOne(find: FindLive, reach: Reach, asked: string, signal: AbortSignal): Promise<LiveContainer> {
  const slash = asked.lastIndexOf("/");
  const id = asked.slice(slash + 1);
  const backend = slash < 0 ? undefined : asked.slice(0, slash);
  return find(reach, id, backend, `read the logs of container "${id}"`, signal);
}

function readPlace(text: string): readonly [string, string] {
  const blank = text.indexOf(" ");
  if (blank > 0) return [text.slice(0, blank), text.slice(blank + 1)];
  throw engineError(
    "invalid_request",
    `Cannot read the logs: "before" is not a source, a blank and a cursor`,
    {
      errors: [{ path: "query.before", message: "Expected what `next` of an earlier answer has" }],
    },
  );
}

/** The last lines of all, and what asks for those before them. */
function merged(
  found: readonly Found[],
  places: ReadonlyMap<string, string>,
  limit: number,
): z.input<typeof EarlierLines> {
  // Lines that were not read in one log may lie between those of another, so nothing before them is shown.
  const edge = found.flatMap(({ lookedFrom }) => lookedFrom ?? []).reduce<LogTime | null>(
    (latest, one) => latest === null || compareLogTimes(one, latest) > 0 ? one : latest,
    null,
  );
  const all = found.flatMap(({ source, target: { name }, lines }) =>
    lines.map((line) => ({ source, name, line }))
  )
    .filter(({ line: { at } }) => edge === null || compareLogTimes(at, edge) >= 0)
    .sort((one, other) => compareLogTimes(one.line.at, other.line.at));
  const shown = all.slice(-limit);
  const items = shown.map(({ source, name, line }) => ({ source, name, ...itemOf(line) }));
  if (edge === null && shown.length === all.length) return { items, next: null };
  const firsts = new Map(items.toReversed().map(({ source, cursor }) => [source, cursor]));
  const before = found.flatMap(({ source, lines, lookedFrom }) => {
    const given = places.get(source);
    const place = firsts.get(source) ??
      (lines.length > 0 ? given : lookedFrom === null && given !== undefined ? NOTHING : undefined);
    return place === undefined ? [] : [`${source} ${place}`];
  });
  // Of a log that has no place, everything since then was looked at.
  const until = shown.length < limit ? edge! : shown[0]!.line.at; // less than all without an edge is the limit
  return { items, next: { before, until: textOf(until) } };
}

function itemOf({ cut, at: _, ...line }: EarlierLine) {
  return { ...line, ...(cut && { cut: true as const }) };
}

function textOf({ seconds, nanos }: LogTime): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(nanos).padStart(9, "0")}Z`;
}
