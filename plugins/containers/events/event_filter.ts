/** Which events somebody asks for, and which of them they may be told. */
import { type Principal, type Reach, reachOf, type Subject } from "../../../core/access.ts";
import { isOfProject, mayBeOfProject } from "../../../core/ownership.ts";
import { reachOfRunning, type RunningContainer, SEES_RUNNING } from "../../../core/runtime.ts";
import type { Sight, Sights } from "../../../core/sight.ts";
import { findContainer } from "../backends/find_container.ts";
import { type Engines, linksInSight, rowsInSight, swarmOf } from "../backends/seen.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import type { ContainerPermission } from "../backends/permissions.ts";
import type { EngineEvent } from "../../../engines/mirror/event_feed.ts";
import type { EventFilter } from "./event_hub.ts";
import type { EventKind } from "./happenings.ts";

const PROJECT = "com.docker.compose.project";

/** The filters of events. */
interface AskedEvents {
  readonly project?: string | undefined;
  readonly workspace?: string | undefined;
  readonly container?: readonly string[] | undefined;
  readonly kind: readonly EventKind[];
  readonly action?: readonly string[] | undefined;
  readonly healthChecks: boolean;
  readonly backend?: string | undefined;
}

/** The permission for events of each kind. */
const READ = {
  container: "events:read",
  image: "images:read",
  volume: "volumes:read",
  network: "networks:read",
} as const satisfies Record<EventKind, ContainerPermission>;

/** The scopes of a viewer. */
export interface Seen {
  /** A container is seen by callers who may read its events and see that it runs. */
  readonly events: Sight;
  readonly running: Sight;
  readonly logs: Sight;
  /** By kind, for what is no container. */
  readonly kinds: Readonly<Record<EventKind, Reach>>;
  readonly everything: boolean;
  /** Names it in the keys of filters. */
  readonly key: readonly string[];
}

/** Throws `forbidden` for callers who hold one of the permissions nowhere. */
export function seenBy(
  principal: Principal,
  events: Reach,
  query: Omit<AskedEvents, "action"> & { readonly logs?: boolean },
  sights: Sights,
): Seen {
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
  ) as Record<EventKind, Reach>; // of the same keys
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

export interface ContainerFilter extends EventFilter {
  /** Like `wants`, and also where the container is not known yet. */
  mayWant(event: EngineEvent): boolean;
  wantsContainer(container: RunningContainer): boolean;
}

export async function filterOf(
  query: AskedEvents,
  seen: Seen,
  engines: Engines,
): Promise<ContainerFilter> {
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
  const isNamedInWorkspace = (name: string | undefined) =>
    name !== undefined && workspace !== undefined &&
    (ownership.projectsOf(workspace)?.includes(name) ?? false);
  const inSwarm = (row: RunningContainer) => swarmOf(engines, row);
  const sees = (row: RunningContainer) => seen.events.sees(row) && seen.running.sees(row);
  const rowOf = ({ about, backend: of, id, type, attributes }: EngineEvent) =>
    about.container ??
      engines.backends.links.find(({ name }) => name === of)?.mirror.containers.rows
        .get(type === "container" ? id : attributes.container ?? "") ??
      null;
  /** Of several projects of one name, the owner tells. The name counts where that is not known: not yet, or not any more. */
  const isOfWorkspace = (event: EngineEvent) => {
    if (workspace === undefined) return true;
    const row = event.type === "container" ? rowOf(event) : null;
    const owner = row === null ? null : ownership.ownerOf(row);
    if (owner !== null || row !== null && ownership.settle() === false) return owner?.id === workspace;
    return isNamedInWorkspace(row?.compose?.project ?? event.attributes[PROJECT]);
  };
  const fits = (event: EngineEvent) => {
    const { id, type, action, backend: of, healthCheck } = event;
    return kinds.includes(type) && (query.healthChecks || !healthCheck) &&
      (query.action?.includes(action) ?? true) &&
      (backend === undefined || of === backend) && isAsked(id, of) &&
      isOfWorkspace(event);
  };
  /** A container that is not known any more, and all else, has the name alone. */
  const isOfAsked = (event: EngineEvent) => {
    if (project === undefined) return true;
    const row = event.type === "container" ? rowOf(event) : null;
    if (row !== null) return isOfProject(row, project, ownership, inSwarm);
    const isThere = !project.includes("@engine:") || project.endsWith(`@engine:${event.backend}`);
    return isThere && mayBeOfProject(event.attributes[PROJECT], project);
  };
  const isSeen = (event: EngineEvent) => seen.everything || seesEvent(event, rowOf(event), sees, seen);
  return {
    key: JSON.stringify([
      [project, workspace, backend, query.kind, query.action, query.healthChecks],
      asked.map(({ row, link }) => [row.id, link.name]),
      seen.key,
    ]),
    wants: (event) => fits(event) && isOfAsked(event) && isSeen(event),
    mayWant: (event) => fits(event) && isOfAsked(event) && (rowOf(event) === null || isSeen(event)),
    wantsEngine: (name) => seen.running.seesEngine(name),
    wantsContainer: (row: RunningContainer) =>
      (backend === undefined || row.backend === backend) &&
      isAsked(row.id, row.backend) &&
      (project === undefined || isOfProject(row, project, ownership, inSwarm)) &&
      (workspace === undefined || ownership.ownerOf(row)?.id === workspace) &&
      sees(row),
  };
}

/** Returns true if the viewer may see the event. A container that is not known yet has its engine and project. */
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
  const isInReach = events.reach.has(subject) && kinds[type as EventKind].has(subject); // `fits` asked for it
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
