/** The feed of merged logs: any containers, each followed behind its own cursor. */
import * as z from "../../../core/schema.ts";
import { reachOfRunning, SEES_RUNNING } from "../../../core/runtime.ts";
import { feed, type LiveFeed } from "../../../http/live/feed.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { Engines } from "../backends/seen.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { awakenBy } from "../logs/awaken.ts";
import { justBefore, type LogTime, readCallersTime } from "../logs/log_time.ts";
import { CURSOR_BYTES } from "../logs/log_position.ts";
import { JsonLines, type LineWriter, sinceOf } from "../logs/json_lines.ts";
import { type LogStart, MergedLogs } from "../logs/merged_logs.ts";
import {
  type Joined,
  Source,
  sourceOf,
  Sources,
  SOURCES_ASKED,
  SourcesMessage,
  sourcesTold,
} from "./sources.ts";
import { LogGap } from "../logs/log_gap.ts";
import { jsonArray, jsonMembers, jsonObject, jsonText } from "../../../core/json_text.ts";

/** Lines wait for a reader sooner than rows do, so that they never hold those up. */
const ROOM_BYTES = 128 * 1024;
/** The interval at which it is told how far logs were read that had no line to tell. */
const PLACES_MS = 2_000;

const Asked = z.object({
  ...SOURCES_ASKED,
  tail: z.int().min(0).max(10_000).default(100).describe(
    "Number of earlier lines of each log that come first",
  ),
  since: z.string().min(1).max(64).optional().describe(
    "Only lines from then on, and all of those: a time as `2026-01-31T12:00:00Z`, or a span as `10m`",
  ),
  q: z.string().min(1).max(256).optional().describe("Only lines that hold this text, in any case"),
  cursors: z.record(z.string().max(384), z.string().max(CURSOR_BYTES)).optional().describe(
    "The position up to which each source was read, by its key: its log resumes behind it",
  ),
});

const Item = z.union([
  z.object({
    source: Source,
    time: z.string().describe("When it was written"),
    stream: z.enum(["stdout", "stderr"]).describe("Which output"),
    line: z.string().describe("Log lines"),
    cut: z.literal(true).optional().describe("The line was longer than 256 KiB, or than 384 KiB as JSON"),
  }),
  z.object({
    source: Source,
    gap: LogGap.describe("The engine lost lines in between"),
  }),
]);

interface LogFeed {
  readonly engines: Engines;
  readonly streamLimit: StreamLimit;
  readonly onFailure: (error: unknown) => void;
}

export function logFeed({ engines, streamLimit, onFailure }: LogFeed): LiveFeed {
  return feed({
    name: "logs",
    summary: "The logs of any containers, merged in the order of their times",
    permission: "containers:logs",
    asked: Asked,
    told: () => ({
      sources: SourcesMessage,
      lines: z.object({
        items: z.array(Item).describe("Lines and gaps, in order"),
        cursors: z.record(z.string(), z.string()).describe(
          "The positions up to which their sources were read, for `cursors`; also of sources without a line among the items",
        ),
        firsts: z.record(z.string(), z.string()).optional().describe(
          "The positions of the lines with which reading a source began: `before` of `/api/logs` continues before them",
        ),
      }),
    }),
    run: async ({ asked, principal, reach, signal, tell, room }) => {
      const running = reachOfRunning(principal);
      if (running.nowhere) {
        throw engineError(
          "forbidden",
          `Cannot follow logs: this needs the permission "${SEES_RUNNING}", too`,
        );
      }
      using _viewer = streamLimit.enter(principal, "live");
      const since = asked.since === undefined ? null : readCallersTime(asked.since);
      const read = new Map(Object.entries(asked.cursors ?? {}));
      const lines = new JsonLines({
        frame: (items, cursors, firsts) => {
          for (const [source, cursor] of cursors) read.set(source, cursor);
          const json = (places: ReadonlyMap<string, string>) => jsonText(Object.fromEntries(places));
          const begins = firsts.size === 0 ? undefined : json(firsts);
          tell("lines", jsonMembers({ items: jsonArray(items), cursors: json(cursors), firsts: begins }));
        },
        ready: () => room(ROOM_BYTES),
        write: written,
      });
      await using logs = new MergedLogs({
        viewer: {
          ready: () => room(ROOM_BYTES),
          waits: (source, reason) => sources.waits(source, reason),
          resumes: (source) => sources.resumes(source),
          left: (source, reason) => {
            if (reason === "removed") read.delete(source);
            sources.over(source, reason);
          },
        },
        lines,
        awaken: awakenBy(engines.backends.feed),
        search: asked.q,
        signal,
      });
      using sources = new Sources({
        engines,
        reaches: [reach, running],
        asked,
        doing: "read the logs of",
        signal,
        begin: (target, joined, isAgain) => {
          const source = sourceOf(target);
          const start = { ...startOf(read.get(source), joined, asked.tail, since), isAgain };
          logs.add(source, () => Promise.resolve(target), start);
        },
        stop: (source) => logs.remove(source),
        tell: (states, leftOut) => tell("sources", sourcesTold(states, leftOut)),
      });
      await sources.begin(onFailure);
      using places = new DisposableStack();
      places.adopt(setInterval(() => logs.tellPlaces(), PLACES_MS), clearInterval);
      if (!signal.aborted) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      }
    },
  });
}

/** Returns where to begin a log: behind what was read of it, else as was asked for, or as it came to be followed. */
function startOf(place: string | undefined, joined: Joined, tail: number, since: LogTime | null): LogStart {
  const quietSince = place === undefined ? null : sinceOf(place);
  if (quietSince !== null) return { tail: null, since: quietSince }; // nothing had been written when it was last read
  if (joined === "listed") return { tail: since === null ? tail : null, since, cursor: place };
  const from = joined === "made" ? null : since ?? justBefore(joined.startedAt);
  return { tail: null, since: from, cursor: place };
}

/** A line, or what is missing, as an item. */
function written(target: LiveContainer): LineWriter {
  const source = jsonText(sourceOf(target));
  return {
    line: ({ time, stream, text, cut }) =>
      jsonObject(jsonMembers({
        source,
        time: jsonText(time),
        stream: jsonText(stream),
        line: jsonText(text),
        cut: cut ? jsonText(true) : undefined,
      })),
    gap: (gap) => jsonObject(jsonMembers({ source, gap: jsonText(gap) })),
  };
}
