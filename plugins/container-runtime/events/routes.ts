/** `/api/terminal/compose-logs`: container events, and on request their merged logs, over a WebSocket. */
import { z } from "zod";
import { type Principal, type Reach, reachOf, type Subject } from "../../../core/access.ts";
import type { ContainerPermission } from "../engine/permissions.ts";
import { reachOfRunning, type RunningContainer, SEES_RUNNING } from "../../../core/runtime.ts";
import type { Sight, Sights } from "../../../core/sight.ts";
import { count, flag, many, text } from "../../../http/query.ts";
import { type Router, router, socketRoute } from "../../../http/router.ts";
import { openSocket, type Socket, SocketFailure } from "../../../http/socket.ts";
import type { EngineEvent, EventFeed } from "../mirror/event_feed.ts";
import { type EventFilter, type EventHub, framed } from "./event_hub.ts";
import { findContainer } from "../backends/find_container.ts";
import { readLive } from "../backends/live_container.ts";
import { type Engines, linksInSight, rowsInSight } from "../backends/seen.ts";
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
  z.object({
    type: z.literal("leftOut").describe("Some logs are not told"),
    containers: z.int().describe("How many containers are in sight whose logs you may not read"),
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

export interface TerminalRoutes {
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

/** What a viewer may be shown. */
interface Seen {
  /** A container is seen by who may read events of it and see that it runs. */
  readonly events: Sight;
  readonly running: Sight;
  readonly logs: Sight;
  /** By kind, for what is no container. */
  readonly kinds: Readonly<Record<Query["kind"][number], Reach>>;
  readonly everything: boolean;
  /** Names it in the keys of filters. */
  readonly key: readonly string[];
}

/** Throws `forbidden` for who holds one of the permissions nowhere. */
function seenBy(principal: Principal, events: Reach, query: Query, sights: Sights): Seen {
  const running = reachOfRunning(principal);
  if (running.nowhere) {
    throw engineError(
      "forbidden",
      `Cannot watch containers: this needs the permission "${SEES_RUNNING}", too`,
    );
  }
  const logs = reachOf<ContainerPermission>(principal, "containers:logs");
  if (query.logs && logs.nowhere) {
    throw engineError("forbidden", `Cannot watch the logs: this needs the permission "containers:logs"`);
  }
  const kinds = { ...READ, container: null } as const;
  const reaches = Object.fromEntries(
    Object.entries(kinds).map(([kind, needed]) => [
      kind,
      needed === null ? events : reachOf<ContainerPermission>(principal, needed),
    ]),
  ) as Record<Query["kind"][number], Reach>; // of the same keys
  for (const kind of query.kind) {
    if (!reaches[kind].nowhere) continue;
    throw engineError(
      "forbidden",
      `Cannot watch events of kind "${kind}": this needs the permission "${READ[kind]}"`,
    );
  }
  const all = [events, running, ...query.kind.map((kind) => reaches[kind])];
  return {
    events: sights.of(events),
    running: sights.of(running),
    logs: sights.of(logs),
    kinds: reaches,
    everything: all.every(({ everywhere }) => everywhere),
    key: all.map(({ key }) => key),
  };
}

async function show(socket: Socket, query: Query, seen: Seen, parts: TerminalRoutes): Promise<void> {
  const { backends } = parts.engines;
  const { feed } = backends;
  const filter = await filterOf(query, seen, parts);
  // Subscribed before the list, so that a start in between is not missed
  using _watching = query.events
    ? parts.hub.add({ filter, frame: (frame) => socket.send(frame) }, query.since)
    : greet(socket, feed);
  if (!query.logs) return void await socket.closed;
  await using logs = new MergedLogs({
    viewer: { frame: (messages) => socket.send(framed(messages)), ready: () => socket.drained(ROOM_BYTES) },
    tail: query.tail,
    awaken: awakenBy(feed),
    signal: socket.signal,
  });
  const find = (backend: string, id: string) => async () => {
    // Without scopes this is known, and with them a container that just began has to be judged first
    for (const { reach } of [seen.events, seen.running, seen.logs]) {
      if (!reach.everywhere) await findContainer(parts.engines, reach, id, backend, "read the logs");
    }
    return await readLive(backends.named(backend).engine, id, "read the logs", socket.signal);
  };
  let leftOut = 0;
  const addListed = async () => {
    const listed = await chosen(filter, parts);
    if (socket.signal.aborted) return;
    const readable = listed.filter((one) => seen.logs.sees(one));
    if (listed.length - readable.length !== leftOut) {
      leftOut = listed.length - readable.length;
      socket.send(JSON.stringify({ type: "leftOut", containers: leftOut }));
    }
    for (const { id, backend } of readable) logs.add(id, find(backend, id));
  };
  let isListed = false;
  using _joining = feed.subscribe({
    event: (event) => {
      // A container that starts before the list is there gets the same past as those in the list
      if (begins(event) && filter.mayWant(event)) {
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
  /** Like `wants`, and also where the container is not known yet. */
  mayWant(event: EngineEvent): boolean;
  wantsContainer(container: RunningContainer): boolean;
}

async function chosen(
  filter: ContainerFilter,
  { engines: { backends, sights } }: TerminalRoutes,
): Promise<readonly RunningContainer[]> {
  const { up } = await backends.fresh("containers");
  const all = up.flatMap(({ mirror }) => [...mirror.containers.rows.values()]);
  const found = all.filter((container) => filter.wantsContainer(container));
  return await sights.ownership.settle()
    ? all.filter((container) => filter.wantsContainer(container))
    : found;
}

async function filterOf(query: Query, seen: Seen, { engines }: TerminalRoutes): Promise<ContainerFilter> {
  const { project, workspace, backend } = query;
  const { ownership } = engines.sights;
  if (!seen.everything) await linksInSight(engines.backends, backend, seen.running);
  if (workspace !== undefined) await mustBeKnown(workspace, seen.running, engines);
  const asked = await Promise.all(
    (query.container ?? []).map((id) =>
      findContainer(engines, seen.events.reach, id, backend, `watch container "${id}"`)
    ),
  );
  const isAsked = (id: string, of: string) =>
    asked.length === 0 || asked.some(({ row, link }) => row.id === id && link.name === of);
  const kinds: readonly string[] = query.kind;
  const isOfWorkspace = (name: string | undefined) =>
    workspace === undefined ||
    name !== undefined && (ownership.projectsOf(workspace)?.includes(name) ?? false);
  const sees = (row: RunningContainer) => seen.events.sees(row) && seen.running.sees(row);
  const fits = ({ id, type, action, backend: of, attributes, healthCheck }: EngineEvent) =>
    kinds.includes(type) && (query.healthChecks || !healthCheck) &&
    (query.action?.includes(action) ?? true) &&
    (backend === undefined || of === backend) && isAsked(id, of) &&
    (project === undefined || attributes[PROJECT] === project) &&
    isOfWorkspace(attributes[PROJECT]);
  const rowOf = ({ about, backend: of, id, type, attributes }: EngineEvent) =>
    about.container ??
      engines.backends.links.find(({ name }) => name === of)?.mirror.containers.rows
        .get(type === "container" ? id : attributes.container ?? "") ??
      null;
  const isSeen = (event: EngineEvent) => seen.everything || seesEvent(event, rowOf(event), sees, seen);
  return {
    key: JSON.stringify([
      [project, workspace, backend, query.kind, query.action, query.healthChecks],
      asked.map(({ row, link }) => [row.id, link.name]),
      seen.key,
    ]),
    wants: (event) => fits(event) && isSeen(event),
    mayWant: (event) => fits(event) && (rowOf(event) === null || isSeen(event)),
    wantsEngine: (name) => seen.running.seesEngine(name),
    wantsContainer: (row: RunningContainer) =>
      (backend === undefined || row.backend === backend) &&
      isAsked(row.id, row.backend) &&
      (project === undefined || row.labels[PROJECT] === project) &&
      (workspace === undefined || ownership.ownerOf(row)?.id === workspace ||
        isOfWorkspace(row.labels[PROJECT])) &&
      sees(row),
  };
}

/** Whether an event is about what is seen. A container that is not known yet has its engine and project. */
function seesEvent(
  { type, backend: engine, attributes, about }: EngineEvent,
  row: RunningContainer | null,
  sees: (row: RunningContainer) => boolean,
  { events, running, kinds }: Seen,
): boolean {
  const project = attributes[PROJECT] ?? about.labels[PROJECT] ?? null;
  const isSeen = row === null
    ? [events, running].every(({ reach }) => reach.has({ engine, project }))
    : sees(row);
  if (type === "container") return isSeen;
  const subject: Subject = { engine, project, labels: about.labels };
  const isInReach = events.reach.has(subject) && kinds[type as Query["kind"][number]].has(subject); // `fits` asked for it
  return isInReach && (attributes.container === undefined || isSeen);
}

/** Throws `workspace_not_found` also where nothing of it is seen. */
async function mustBeKnown(
  workspace: string,
  sight: Sight,
  { backends, sights: { ownership } }: Engines,
): Promise<void> {
  if (ownership.projectsOf(workspace) === null) await ownership.refresh(); // it may have been registered just now
  const isKnown = ownership.projectsOf(workspace) !== null &&
    (sight.reach.has({ workspace }) ||
      backends.links.some((link) =>
        [...rowsInSight(link, sight)].some((row) => ownership.ownerOf(row)?.id === workspace)
      ));
  if (isKnown) return;
  throw engineError(
    "workspace_not_found",
    `Cannot watch workspace "${workspace}": there is no such workspace`,
  );
}
