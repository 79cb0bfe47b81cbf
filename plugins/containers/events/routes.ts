/** `/api/terminal/compose-logs`: container events, and on request their merged logs, over a WebSocket. */
import * as z from "../../../core/schema.ts";
import { count, flag, many, text } from "../../../http/declare/query.ts";
import { type Router, router, socketRoute } from "../../../http/declare/router.ts";
import { openSocket, type Socket, SocketFailure } from "../../../http/socket/socket.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { Engines } from "../backends/seen.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";
import type { LineWriter } from "../logs/json_lines.ts";
import { filterOf, type Seen, seenBy } from "./event_filter.ts";
import type { EventHub } from "./event_hub.ts";
import { FollowedLogs } from "./followed_logs.ts";
import { EventKind, HAPPENINGS, Thing } from "./happenings.ts";
import { LogGap } from "../logs/log_gap.ts";
import { jsonArray, jsonMembers, jsonObject, type JsonText, jsonText } from "../../../core/json_text.ts";

const ROOM_BYTES = 256 * 1024;

const Query = z.object({
  project: text(500).optional().describe(
    "Only containers of this project, by its id; by Compose's name, of every project of that name",
  ),
  workspace: text(256).optional().describe("Only containers of this workspace, by its id"),
  container: many(text(256)).optional().describe("Only these, by id or name; may be given several times"),
  kind: many(EventKind).default(["container"])
    .describe("Events of these kinds; all but containers need the permission to read them"),
  action: many(text(64)).optional().describe("Only these actions, as `start` or `die`"),
  healthChecks: flag.default(false).describe("With the execs of health checks"),
  backend: text(128).optional().describe("The name of one engine"),
  events: flag.default(true).describe("True to receive events"),
  logs: flag.default(false).describe("True to receive log lines"),
  tail: count(0, 10_000).default(100).describe("Number of earlier lines of each log that come first"),
  since: count(0, Number.MAX_SAFE_INTEGER).optional().describe(
    "The seq of the last message received: the stream resumes behind it",
  ),
});
type Query = z.output<typeof Query>;

const Message = z.union([
  z.object({
    type: z.literal("hello").describe("The socket is open"),
    seq: z.int().describe("The number of the last event so far"),
  }),
  ...HAPPENINGS,
  z.object({
    type: z.literal("log").describe("A line was written"),
    time: z.string().describe("When"),
    stream: z.enum(["stdout", "stderr"]).describe("Which output"),
    container: Thing.describe("The container that wrote it"),
    backend: z.string().describe("The engine's name"),
    line: z.string().describe("The text of the line"),
    cut: z.literal(true).optional().describe("The line was longer than 256 KiB, or than 384 KiB as JSON"),
  }),
  z.object({
    type: z.literal("gap").describe("Something is missing here"),
    missed: z.int().nullable().describe("Number of messages, if known"),
    container: Thing.optional().describe(
      "The container whose log has the gap; without `gap`, its log cannot be read, and is tried again where that may help",
    ),
    gap: LogGap.optional().describe("Position in the log"),
  }),
  z.object({
    type: z.literal("leftOut").describe("Some logs are not told"),
    containers: z.int().describe(
      "Number of containers in scope whose logs you may not read, or that are too many",
    ),
  }),
  SocketFailure,
]).meta({ id: "TerminalMessage", description: "An event, a log line, or what could not be kept up with" });

const terminal = socketRoute({
  path: "/terminal/compose-logs",
  summary: "Watch container events and logs",
  description:
    "JSON text frames: `hello` (`seq`), `event` (`seq`, `time`, `kind`, `action`, `container` or `subject`, " +
    "`backend`, `attributes`; `repeated` where a container loops), `log` (`time`, `stream`, `container`, `line`), `gap`, " +
    "`backend` (`state`), `resync`, `leftOut` (of how many `containers` the logs may not be read). Several at once come as `batch` (`items`). `since` resumes behind a `seq`.",
  permission: "events:read",
  subject: "listed",
  query: Query,
  receive: Message,
});

export const ROUTES = [terminal];

interface TerminalRoutes {
  readonly engines: Engines;
  readonly streamLimit: StreamLimit;
  readonly hub: EventHub;
  readonly onFailure: (error: unknown) => void;
}

export function terminalRoutes(parts: TerminalRoutes): Router {
  return router().socket(terminal, ({ request, query, principal, reach, revoked, stopping }) => {
    const sees = seenBy(principal, reach, query, parts.engines.sights);
    const viewer = parts.streamLimit.enter(principal, "terminal");
    return openSocket(request, (socket) => show(socket, query, sees, parts), {
      revoked,
      stopping,
      onFailure: parts.onFailure,
      onGone: () => viewer[Symbol.dispose](),
    });
  });
}

async function show(socket: Socket, query: Query, seen: Seen, parts: TerminalRoutes): Promise<void> {
  const { feed } = parts.engines.backends;
  const filter = await filterOf(query, seen, parts.engines);
  socket.send(JSON.stringify({ type: "hello", seq: feed.seq }));
  // Subscribed before the list, so that a start in between is not missed
  using _watching = query.events
    ? parts.hub.add({ filter, frame: (messages) => socket.send(framed(messages)) }, query)
    : null;
  if (!query.logs) return void await socket.closed;
  await using logs = new FollowedLogs({
    engines: parts.engines,
    filter,
    seen,
    tail: query.tail,
    signal: socket.signal,
    frame: (messages) => socket.send(framed(messages)),
    ready: () => socket.drained(ROOM_BYTES),
    write: written,
    leftOut: (containers) => socket.send(JSON.stringify({ type: "leftOut", containers })),
    failed: ({ id, name }) =>
      socket.send(JSON.stringify({ type: "gap", missed: null, container: { id, name } })),
    onFailure: parts.onFailure,
  });
  await logs.begin();
  await socket.closed;
}

/** A line, or what is missing, as a message. */
function written({ id, name, engine }: LiveContainer): LineWriter {
  const container = { id, name };
  const shown = { container: jsonText(container), backend: jsonText(engine.name) };
  return {
    line: ({ time, stream, text, cut }) =>
      jsonObject(jsonMembers({
        type: LOG,
        time: jsonText(time),
        stream: jsonText(stream),
        ...shown,
        line: jsonText(text),
        cut: cut ? jsonText(true) : undefined,
      })),
    gap: (gap) => jsonText({ type: "gap", missed: null, container, gap }),
  };
}

/** One message as it is, several as `{"type":"batch","items":[...]}`. */
function framed(messages: readonly JsonText[]): JsonText {
  const [first] = messages;
  return first !== undefined && messages.length === 1
    ? first
    : jsonObject(jsonMembers({ type: BATCH, items: jsonArray(messages) }));
}

const LOG = jsonText("log");
const BATCH = jsonText("batch");
