/** `/api/terminal/compose-logs`: container events, and on request their merged logs, over a WebSocket. */
import { z } from "zod";
import { may } from "../../../core/access.ts";
import type { ContainerPermission } from "../engine/permissions.ts";
import type { Ownership, RunningContainer } from "../../../core/runtime.ts";
import { count, flag, text } from "../../../http/query.ts";
import { type Router, router, socketRoute } from "../../../http/router.ts";
import { openSocket, type Socket } from "../../../http/socket.ts";
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
  project: text(256).optional(),
  workspace: text(256).optional(),
  container: text(256).optional(),
  backend: text(128).optional(),
  events: flag.default(true),
  logs: flag.default(false),
  tail: count(0, 10_000).default(100),
  since: count(0, Number.MAX_SAFE_INTEGER).optional(),
});
type Query = z.output<typeof Query>;

const terminal = socketRoute({
  path: "/terminal/compose-logs",
  summary: "Watch container events and logs",
  description:
    "JSON text frames: `hello` (`seq`), `event` (`seq`, `time`, `action`, `container`, `backend`, " +
    "`attributes`; `repeated` where a container loops), `log` (`time`, `stream`, `container`, `line`), `gap`, " +
    "`backend` (`state`), `resync`. Several at once come as `batch` (`items`). `since` resumes behind a `seq`.",
  permission: "events:read",
  query: Query,
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
    if (query.logs && !may<ContainerPermission>(principal, "containers:logs")) {
      throw engineError(
        "forbidden",
        `Cannot watch the logs: this needs the permission "containers:logs"`,
      );
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
  const container = query.container === undefined
    ? null
    : await parts.find(query.container, backend, `watch container "${query.container}"`);
  const isOfWorkspace = (name: string | undefined) =>
    workspace === undefined ||
    name !== undefined && (parts.ownership.projectsOf(workspace)?.includes(name) ?? false);
  return {
    key: JSON.stringify([project, workspace, backend, container?.id, container?.engine.name]),
    wants: ({ id, backend: of, attributes }: EngineEvent) =>
      (backend === undefined || of === backend) &&
      (container === null || id === container.id && of === container.engine.name) &&
      (project === undefined || attributes[PROJECT] === project) &&
      isOfWorkspace(attributes[PROJECT]),
    wantsContainer: (row: RunningContainer) =>
      (backend === undefined || row.backend === backend) &&
      (container === null || row.id === container.id && row.backend === container.engine.name) &&
      (project === undefined || row.labels[PROJECT] === project) &&
      (workspace === undefined || parts.ownership.ownerOf(row)?.id === workspace ||
        isOfWorkspace(row.labels[PROJECT])),
  };
}
