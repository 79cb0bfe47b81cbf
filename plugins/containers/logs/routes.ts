/** `/api/containers/{id}/logs`: reads or follows a log, across restarts of the container and its engine. */
import * as z from "../../../core/schema.ts";
import type { Call } from "../../../http/declare/call.ts";
import { countOrAll, flag, text } from "../../../http/declare/query.ts";
import { StreamFailure } from "../../../http/declare/problem.ts";
import { raw, route, type Router, router } from "../../../http/declare/router.ts";
import { at } from "../../../engines/calls/path.ts";
import type { FindLive, LiveContainer } from "../backends/live_container.ts";
import type { WhileSeen } from "../backends/while_seen.ts";
import { logBody, rawLogBody } from "./log_body.ts";
import { CONTENT_TYPE, JsonWriter, type LogFormat, type LogWriter, TextWriter } from "./log_formats.ts";
import { LogPosition } from "./log_position.ts";
import { searching } from "./log_search.ts";
import type { Awaken } from "./awaken.ts";
import { formatOf, LOG_QUERY, type LogRequest, wantedOf } from "./log_request.ts";
import { LogSource } from "./log_source.ts";
import { engineTime } from "./log_time.ts";
import { openConnection } from "../../../engines/frames/connection.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";
import { problems } from "../backends/problems.ts";
import { LogGap } from "./log_gap.ts";

const LogRecord = z.union([
  z.object({
    cursor: z.string().describe("Resumes behind this line"),
    time: z.string().describe("When it was written"),
    stream: z.enum(["stdout", "stderr"]).describe("Which output"),
    line: z.string().describe("The text of the line"),
    cut: z.literal(true).optional().describe("The line was longer than 256 KiB"),
  }),
  z.object({
    gap: LogGap,
  }),
  z.object({
    end: z.object({
      reason: z.enum(["removed", "stopping", "not_allowed"]).describe("The reason of the end"),
    })
      .meta({ id: "LogEnd", description: "The reason why no more lines follow" }),
  }),
  z.object({ error: StreamFailure }),
]).meta({ id: "LogRecord" });

const Query = z.object({
  follow: flag.default(false).describe("Goes on with lines as they are written"),
  tail: countOrAll(1_000_000).default(null).describe("Number of the last lines, or `all`"),
  ...LOG_QUERY,
  cursor: text(256).optional().describe("The `cursor` of the last line received: the log resumes behind it"),
  backend: text(128).optional().describe("The name of one engine"),
});
type Query = z.output<typeof Query>;

const logs = route({
  method: "get",
  path: "/containers/{id}/logs",
  summary: "Read or follow a container's log",
  description:
    "Resumes behind `cursor` or `Last-Event-ID` without loss or repeats, as far as the engine still has the " +
    "lines; if it has not, a `gap` says so. Following continues across restarts of the container and of the engine, " +
    "until the container is removed.",
  headers: ["Last-Event-ID"],
  permission: "containers:logs",
  subject: "found",
  params: z.object({ id: z.string().describe("The container's id, the beginning of one, or its name") }),
  query: Query,
  hints: { n: 'it is called "tail" here', lines: 'it is called "tail" here', details: "there are none" },
  answers: {
    200: raw("The log", {
      "text/plain": null,
      "application/x-ndjson": LogRecord,
      "text/event-stream": LogRecord,
    }),
    ...problems(
      "container_not_found",
      "ambiguous_id",
      "node_not_connected",
      "conflict",
      "backend_not_found",
      "runtime_unavailable",
      "engine_failed",
      "no_engine",
      "too_many_streams",
    ),
  },
});

export const ROUTES = [logs];

type LogCall = Call<{ id: string }, Query, undefined>;

interface LogRoutes {
  readonly find: FindLive;
  readonly whileSeen: WhileSeen;
  readonly streamLimit: StreamLimit;
  readonly awaken?: Awaken;
}

export function logRoutes(parts: LogRoutes): Router {
  return router().on(logs, (call) => answer(call, parts));
}

async function answer(call: LogCall, { find, whileSeen, streamLimit, awaken }: LogRoutes): Promise<Response> {
  const { params: { id }, query } = call;
  const wanted = wantedOf(query, "read the logs");
  const cursor = query.cursor ?? call.request.headers.get("last-event-id") ?? "";
  const position = cursor === ""
    ? new LogPosition({ bounded: wanted.tail !== null || wanted.since !== null })
    : LogPosition.parse(cursor);
  const doing = `read the logs of container "${id}"`;
  const open = new DisposableStack();
  const onEnd = () => open.dispose();
  try {
    open.use(streamLimit.enter(call.principal, "logs"));
    const unseen = new AbortController();
    const ending = AbortSignal.any([call.ending, unseen.signal]);
    const target = await find(call.reach, id, query.backend, doing, ending);
    open.use(whileSeen(call.reach, target, () => unseen.abort()));
    const format = formatOf(call);
    const isPlain = format === "text" && !query.follow && !query.timestamps && !query.q && position.empty;
    const body = isPlain
      ? await plainBody(target, wanted, ending, onEnd)
      : await lineBody(call, { target, wanted, format, position, ending, onEnd, awaken });
    return new Response(body, {
      headers: [["content-type", CONTENT_TYPE[format]], ["cache-control", "no-store, no-transform"], [
        "x-accel-buffering",
        "no",
      ]],
    });
  } catch (error) {
    open.dispose();
    throw error;
  }
}

async function plainBody(target: LiveContainer, wanted: LogRequest, ending: AbortSignal, onEnd: () => void) {
  const { stdout, stderr, tail, since, until } = wanted;
  const answer = await openConnection(target.engine, {
    method: "GET",
    path: at`/containers/${target.id}/logs`,
    query: {
      stdout,
      stderr,
      tail: tail ?? undefined,
      since: since === null ? undefined : engineTime(since),
      until: until === null ? undefined : engineTime(until),
    },
    doing: `read the logs of container "${target.name}"`,
    missing: "container_not_found",
    signal: ending,
  });
  return rawLogBody(answer, { terminal: target.terminal, ending, onEnd });
}

async function lineBody(call: LogCall, given: {
  readonly target: LiveContainer;
  readonly wanted: LogRequest;
  readonly format: LogFormat;
  readonly position: LogPosition;
  readonly ending: AbortSignal;
  readonly onEnd: () => void;
  readonly awaken: Awaken | undefined;
}) {
  const { target, wanted, format, position, ending, onEnd, awaken } = given;
  const { q, timestamps } = call.query;
  const writer: LogWriter = format === "text"
    ? new TextWriter(position, { timestamps })
    : new JsonWriter(position, { events: format === "sse" });
  const lines = q ? searching(q, writer) : writer;
  const source = new LogSource({
    target,
    query: wanted,
    position,
    listener: {
      line: lines.line.bind(lines),
      gap: (gap) => writer.gap(gap),
      taken: () => writer.output.settle(),
    },
    signal: ending,
    ...(awaken === undefined ? {} : { awaken }),
  });
  await source.open();
  const reason = () => call.stopping.aborted ? "stopping" : "not_allowed";
  return logBody({ source, writer, ending, reason, onEnd });
}
