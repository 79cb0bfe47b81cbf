/** `/api/terminal/compose-logs`: container events, and on request their merged logs, over a WebSocket. */
import { z } from "zod";
import { EVERYTHING, may } from "../../../core/access.ts";
import type { ContainerPermission } from "../engine/permissions.ts";
import { type Ownership, type RunningContainer, SEES_RUNNING, seesRunning } from "../../../core/runtime.ts";
import { count, flag, many, text } from "../../../http/query.ts";
import { type Router, router, socketRoute } from "../../../http/router.ts";
import { openSocket, type Socket, SocketFailure } from "../../../http/socket.ts";
import type { EngineEvent, EventFeed } from "../mirror/event_feed.ts";
import { type EventFilter, type EventHub, framed } from "./event_hub.ts";
import { type FindLive, readLive } from "../backends/live_container.ts";
import type { Engine } from "../engine/engine.ts";
import { awakenBy } from "../logs/awaken.ts";
import { begins, MergedLogs } from "../logs/merged_logs.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";
import { engineError } from "../engine/errors.ts";

const PROJECT = "com.docker.compose.project";
const ROOM_BYTES = 256 * 1024;

const Query = z.object({
  project: text(256).optional().describe("Only containers of this Compose project"),
  workspace: text(256).optional().describe("Only containers of this workspace, by its id"),
  container: many(text(256)).optional().describe("Only these, by id or name; may be given several times"),
  kind: many(z.enum(["container", "image", "volume", "network"])).default(["container"])
    .describe("What happened to things of these kinds; all but containers need the permission to read them"),
  action: many(text(64)).optional().describe("Only these actions, as `start` or `die`"),
  healthChecks: flag.default(false).describe("With the execs of health checks"),
  backend: text(128).optional().describe("The name of one engine"),
  events: flag.default(true).describe("Whether events are told"),
  logs: flag.default(false).describe("Whether log lines are told"),
  tail: count(0, 10_000).default(100).describe("How many earlier lines of each log come first"),
  since: count(0, Number.MAX_SAFE_INTEGER).optional().describe(
    "The seq of the last message seen: goes on behind it",
  ),
});
type Query = z.output<typeof Query>;

/** What reading the events of a kind takes. */
const READ = {
  container: "events:read",
  image: "images:read",
  volume: "volumes:read",
  network: "networks:read",
} as const satisfies Record<Query["kind"][number], ContainerPermission>;

const Thing = z.object({ id: z.string().describe("Its id"), name: z.string().describe("Its name") });
const Message = z.union([
  z.object({
    type: z.literal("hello").describe("The socket is open"),
    seq: z.int().describe("The number of the last event so far"),
  }),
  z.object({
    type: z.literal("event").describe("Something happened"),
    seq: z.int().describe("Its number, for `since`"),
    time: z.string().describe("When"),
    kind: z.enum(["container", "image", "volume", "network"]).describe("What it happened to"),
    action: z.string().describe("What happened, as `start` or `die`"),
    container: Thing.optional().describe("Of an event of a container"),
    subject: Thing.optional().describe("Of any other event"),
    backend: z.string().describe("The engine's name"),
    attributes: z.record(z.string(), z.string()).describe("What the engine tells besides"),
    repeated: z.int().optional().describe(
      "How many of the same kind this one stands for, where a container loops",
    ),
  }),
  z.object({
    type: z.literal("log").describe("A line was written"),
    time: z.string().describe("When"),
    stream: z.enum(["stdout", "stderr"]).describe("Which output"),
    container: Thing.describe("Who wrote it"),
    backend: z.string().describe("The engine's name"),
    line: z.string().describe("What was written"),
  }),
  z.object({
    type: z.literal("gap").describe("Something is missing here"),
    missed: z.int().nullable().describe("How many messages, if it is known"),
    container: Thing.optional().describe("Whose log it is missing from"),
    gap: z.object({
      after: z.string().describe("The time of the last line before"),
      before: z.string().nullable().describe("The time of the first line after"),
    }).optional().describe("Where in the log"),
  }),
  z.object({
    type: z.literal("backend").describe("An engine went away or came back"),
    backend: z.string().describe("The engine's name"),
    state: z.string().describe("Whether it answers now"),
  }),
  z.object({
    type: z.literal("resync").describe("Events may have been missed: read the lists again"),
    backend: z.string().optional().describe("The engine's name; all of them without"),
  }),
  SocketFailure,
]).meta({ id: "TerminalMessage", description: "An event, a log line, or what could not be kept up with" });

const terminal = socketRoute({
  path: "/terminal/compose-logs",
  summary: "Watch container events and logs",
  description:
    "JSON text frames: `hello` (`seq`), `event` (`seq`, `time`, `kind`, `action`, `container` or `subject`, " +
    "`backend`, `attributes`; `repeated` where a container loops), `log` (`time`, `stream`, `container`, `line`), `gap`, " +
    "`backend` (`state`), `resync`. Several at once come as `batch` (`items`). `since` resumes behind a `seq`.",
  permission: "events:read",
  query: Query,
  receive: Message,
});

export const ROUTES = [terminal];

export interface TerminalRoutes {
  readonly find: FindLive;
  /** The engine of that name. */
  readonly engineOf: (backend: string) => Engine;
  readonly streamLimit: StreamLimit;
  readonly feed: EventFeed;
  readonly hub: EventHub;
  readonly ownership: Ownership;
  /** All containers, running or not. */
  readonly containers: () => Promise<readonly RunningContainer[]>;
  readonly onFailure: (error: unknown) => void;
}

export function terminalRoutes(parts: TerminalRoutes): Router {
  return router().socket(terminal, ({ request, query, principal, revoked, stopping }) => {
    if (!seesRunning(principal)) {
      throw engineError(
        "forbidden",
        `Cannot watch containers: this needs the permission "${SEES_RUNNING}", too`,
      );
    }
    if (query.logs && !may<ContainerPermission>(principal, "containers:logs", EVERYTHING)) {
      throw engineError(
        "forbidden",
        `Cannot watch the logs: this needs the permission "containers:logs"`,
      );
    }
    for (const kind of query.kind) {
      const needed = READ[kind];
      if (!may<ContainerPermission>(principal, needed, EVERYTHING)) {
        throw engineError(
          "forbidden",
          `Cannot watch events of kind "${kind}": this needs the permission "${needed}"`,
        );
      }
    }
    const viewer = parts.streamLimit.enter(principal);
    return openSocket(request, (socket) => show(socket, query, parts), {
      revoked,
      stopping,
      onFailure: parts.onFailure,
      onGone: () => viewer[Symbol.dispose](),
    });
  });
}

async function show(socket: Socket, query: Query, parts: TerminalRoutes): Promise<void> {
  const filter = await filterOf(query, parts);
  // Subscribed before the list, so that a start in between is not missed
  using _watching = query.events
    ? parts.hub.add({ filter, frame: (frame) => socket.send(frame) }, query.since)
    : greet(socket, parts.feed);
  if (!query.logs) return void await socket.closed;
  await using logs = new MergedLogs({
    viewer: { frame: (messages) => socket.send(framed(messages)), ready: () => socket.drained(ROOM_BYTES) },
    tail: query.tail,
    awaken: awakenBy(parts.feed),
    signal: socket.signal,
  });
  const find = (backend: string, id: string) => () =>
    readLive(parts.engineOf(backend), id, "read the logs", socket.signal);
  const addListed = async () => {
    const listed = await chosen(filter, parts);
    if (socket.signal.aborted) return;
    for (const { id, backend } of listed) logs.add(id, find(backend, id));
  };
  let isListed = false;
  using _joining = parts.feed.subscribe({
    event: (event) => {
      // A container that starts before the list is there gets the same past as those in the list
      if (begins(event) && filter.wants(event)) {
        logs.add(event.id, find(event.backend, event.id), isListed ? null : query.tail);
      }
    },
    // An engine is up: what runs there already has no event
    resync: () => void addListed().catch(parts.onFailure),
  });
  await addListed();
  isListed = true;
  await socket.closed;
}

function greet(socket: Socket, feed: EventFeed): Disposable {
  socket.send(JSON.stringify({ type: "hello", seq: feed.seq }));
  return { [Symbol.dispose]: () => {} };
}

interface ContainerFilter extends EventFilter {
  wantsContainer(container: RunningContainer): boolean;
}

async function chosen(
  filter: ContainerFilter,
  { containers }: TerminalRoutes,
): Promise<readonly RunningContainer[]> {
  return (await containers()).filter((container) => filter.wantsContainer(container));
}

async function filterOf(query: Query, parts: TerminalRoutes): Promise<ContainerFilter> {
  const { project, workspace, backend } = query;
  if (workspace !== undefined && parts.ownership.projectsOf(workspace) === null) {
    await parts.ownership.refresh(); // it may have been registered just now
  }
  if (workspace !== undefined && parts.ownership.projectsOf(workspace) === null) {
    throw engineError(
      "workspace_not_found",
      `Cannot watch workspace "${workspace}": there is no such workspace`,
    );
  }
  const asked = await Promise.all(
    (query.container ?? []).map((id) => parts.find(id, backend, `watch container "${id}"`)),
  );
  const isAsked = (id: string, of: string) =>
    asked.length === 0 || asked.some((one) => one.id === id && one.engine.name === of);
  const kinds: readonly string[] = query.kind;
  const isOfWorkspace = (name: string | undefined) =>
    workspace === undefined ||
    name !== undefined && (parts.ownership.projectsOf(workspace)?.includes(name) ?? false);
  return {
    key: JSON.stringify([
      [project, workspace, backend, query.kind, query.action, query.healthChecks],
      asked.map(({ id, engine }) => [id, engine.name]),
    ]),
    wants: ({ id, type, action, backend: of, attributes, healthCheck }: EngineEvent) =>
      kinds.includes(type) && (query.healthChecks || !healthCheck) &&
      (query.action?.includes(action) ?? true) &&
      (backend === undefined || of === backend) && isAsked(id, of) &&
      (project === undefined || attributes[PROJECT] === project) &&
      isOfWorkspace(attributes[PROJECT]),
    wantsContainer: (row: RunningContainer) =>
      (backend === undefined || row.backend === backend) &&
      isAsked(row.id, row.backend) &&
      (project === undefined || row.labels[PROJECT] === project) &&
      (workspace === undefined || parts.ownership.ownerOf(row)?.id === workspace ||
        isOfWorkspace(row.labels[PROJECT])),
  };
}
