/** `/api/containers`: lists and inspects containers, and all that is done to one. */
import * as z from "../../../core/schema.ts";
import { type Principal, type Reach, reachOf } from "../../../core/access.ts";
import type { ContainerPermission } from "../backends/permissions.ts";
import { subjectOf } from "../../../core/ownership.ts";
import { count, flag } from "../../../http/declare/query.ts";
import {
  empty,
  json,
  particularsOf,
  reply,
  route,
  type Router,
  router,
} from "../../../http/declare/router.ts";
import {
  control,
  Controlled,
  type ControlOptions,
  Processes,
  processesOf,
  remove,
  rename,
  type Verb,
} from "./control.ts";
import { ContainerDetail, containerDetail } from "./detail.ts";
import { ContainerDetails, readContainer } from "./cached_details.ts";
import { findContainer } from "../backends/find_container.ts";
import type { Engines } from "../backends/seen.ts";
import { ContainerList, ContainerLists } from "./list.ts";
import { mustNotBeKept } from "../backends/swarm_services.ts";
import { mustNotStray } from "./strayed.ts";
import { maskObject } from "../../../engines/rows/mask.ts";
import { ContainerQuery } from "./query.ts";
import { BackendName, Name, onBackend } from "../backends/route_fields.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { problems } from "../backends/problems.ts";

const byId = z.object({
  id: z.string().min(1).max(255).describe("The container's id, the beginning of one, or its name"),
});
const failures = [
  "container_not_found",
  "ambiguous_id",
  "node_not_connected",
  "backend_not_found",
  "no_engine",
  "runtime_unavailable",
  "engine_timeout",
  "engine_failed",
  "engine_busy",
] as const;

const list = route({
  method: "get",
  path: "/containers",
  summary: "List the containers of all engines, running or not",
  description:
    "Answers from memory, which follows the events of the engines. Filter by state, project, label, " +
    "image, or a part of the name. `unavailable` names engines that do not answer.",
  headers: ["If-None-Match"],
  permission: "containers:read",
  subject: "listed",
  query: ContainerQuery,
  hints: {
    all: 'all are listed; "state=running" asks for those that run',
    filters: 'ask by "state", "label", "project", "image" or "q"',
    size: '"/api/system/disk-usage" tells sizes',
  },
  answers: {
    200: json(ContainerList, "The containers"),
    ...problems("backend_not_found", "workspace_not_found"),
  },
});

const inspect = route({
  method: "get",
  path: "/containers/{id}",
  summary: "One container, by id, the beginning of one, or name",
  description:
    "`raw=true` answers the engine's own object, masked alike. `reveal=true` masks nothing, needs " +
    "containers:reveal, and is audited.",
  headers: ["If-None-Match"],
  permission: "containers:read",
  subject: "found",
  params: byId,
  query: z.object({
    raw: flag.optional().describe("The engine's own object, masked alike"),
    reveal: flag.optional().describe("Masks nothing; needs containers:reveal, and is audited"),
    backend: BackendName.optional(),
  }),
  answers: {
    200: json(
      z.union([ContainerDetail, z.record(z.string(), z.unknown()).meta({ id: "EngineContainer" })]),
      "The container",
    ),
    ...problems("forbidden", "sign_in_again", ...failures),
  },
});

const withTimeout = onBackend.extend({
  timeoutS: count(0, 600).optional().describe("Seconds until it is killed"),
});

/** Acts that end a container, with the signal. */
const ENDS = /^(?:stop|restart) |^kill (?:(?:SIG)?KILL|9)$/;
const SECONDS = 'it is called "timeoutS" here';

function controlRoute<Query extends z.ZodObject>(
  verb: Verb,
  { summary, description, query }: {
    readonly summary: string;
    readonly description: string;
    readonly query: Query;
  },
) {
  return route({
    method: "post",
    path: `/containers/{id}/${verb}`,
    summary,
    description,
    permission: "containers:control",
    subject: "found",
    params: byId,
    query,
    hints: "timeoutS" in query.shape ? { t: SECONDS, timeout: SECONDS } : {},
    particulars: (asked) => particularsOf(asked.query),
    answers: {
      200: json(Controlled, "State after the act"),
      ...problems("conflict", "kept_by_service", ...failures),
    },
  });
}

const start = controlRoute("start", {
  summary: "Start a container",
  description:
    "Answers when the engine has started its process. A container that runs already stays as it is. 403 where a " +
    "bind mount in a workspace became a link out of its project's folder, unless the caller may apply that.",
  query: onBackend,
});
const stop = controlRoute("stop", {
  summary: "Stop a container",
  description:
    "Sends its stop signal, and kills it after `timeoutS` seconds, by default the container's own timeout or 10. 409 " +
    "`kept_by_service` where a swarm's service would start another.",
  query: withTimeout,
});
const restart = controlRoute("restart", {
  summary: "Restart a container",
  description:
    "Stops it like `stop`, and starts it again with the settings that it was made with. 403 as for `start`.",
  query: withTimeout,
});
const pause = controlRoute("pause", {
  summary: "Pause a container: its processes stand still",
  description:
    "The processes keep their memory and their connections. Only a running container can be paused.",
  query: onBackend,
});
const unpause = controlRoute("unpause", {
  summary: "Let a paused container go on",
  description: "The processes continue where they stood still. 409 if the container is not paused.",
  query: onBackend,
});
const kill = controlRoute("kill", {
  summary: "Send a signal to a container",
  description:
    "Without `signal` it is KILL, which ends the container at once. A signal like HUP often makes a program read its settings again.",
  query: onBackend.extend({
    signal: z.string().regex(
      /^(?:(?:SIG)?[A-Z][A-Z0-9+-]{1,15}|[1-9]|[1-5]\d|6[0-4])$/,
      'Expected a signal like "HUP", or its number from 1 to 64',
    )
      .default("KILL").describe("Its name, with or without SIG, or its number"),
  }),
});

const renaming = route({
  method: "post",
  path: "/containers/{id}/rename",
  summary: "Give a container another name",
  description:
    "Only the name changes. Compose finds its containers by labels, and may give a new name back at its " +
    "next `up`.",
  permission: "containers:control",
  subject: "found",
  params: byId,
  query: onBackend,
  body: z.strictObject({ name: Name.describe("The new name") }).meta({
    id: "ContainerName",
    examples: [{ name: "shop-web-before" }],
  }),
  particulars: ({ query, body }) => particularsOf({ ...query, ...body }),
  answers: {
    200: json(
      z.object({ id: z.string().describe("The container's id"), name: z.string().describe("Its new name") })
        .meta({ id: "ContainerRenamed" }),
      "Its new name",
    ),
    ...problems("conflict", "name_taken", ...failures),
  },
});

const top = route({
  method: "get",
  path: "/containers/{id}/top",
  summary: "The processes of a running container",
  description: "Asks the engine for the processes in the container, as `docker top` shows them.",
  permission: "containers:read",
  subject: "found",
  params: byId,
  query: onBackend,
  answers: { 200: json(Processes, "Its processes"), ...problems("conflict", ...failures) },
});

const removal = route({
  method: "delete",
  path: "/containers/{id}",
  summary: "Remove a container",
  description:
    "A running container is refused unless `force=true`. `volumes=true` also removes its anonymous " +
    "volumes.",
  permission: "containers:remove",
  subject: "found",
  params: byId,
  query: z.object({
    force: flag.optional().describe("Kill it first if it runs"),
    volumes: flag.optional().describe("Remove its anonymous volumes too"),
    backend: BackendName.optional(),
  }),
  hints: { v: 'it is called "volumes" here', link: "links cannot be removed" },
  particulars: ({ query }) => particularsOf(query),
  answers: { 204: empty("It is gone"), ...problems("conflict", "kept_by_service", ...failures) },
});

export const ROUTES = [list, inspect, top, start, stop, restart, pause, unpause, kill, renaming, removal];

export function containers(engines: Engines, lists: ContainerLists): Router {
  const { ownership } = engines.sights;
  const details = new ContainerDetails(ownership);
  const find = (reach: Reach, id: string, backend: string | undefined, doing: string) =>
    findContainer(engines, reach, id, backend, doing);
  const act = async (
    verb: Verb,
    { reach, principal, params: { id }, query: { backend } }: Named,
    options: ControlOptions = {},
  ) => {
    const doing = `${verb} container "${id}"`;
    const found = await find(reach, id, backend, doing);
    const mountsAnew = verb === "restart" || verb === "start" && found.row.state !== "running";
    if (mountsAnew) await mustNotStray(found.row, ownership, principal, doing);
    if (ENDS.test(`${verb} ${options.signal ?? ""}`)) {
      await mustNotBeKept(found, doing, verb === "restart" ? "update" : "scale");
    }
    return reply(200, await control(found, verb, options));
  };
  return router()
    .on(list, ({ query, request, reach }) => lists.answer(query, request, reach))
    .on(inspect, async (call) => {
      const { params: { id }, query: { backend, raw = false, reveal = false }, principal } = call;
      const doing = `inspect container "${id}"`;
      const revealed = reachOf<ContainerPermission>(principal, "containers:reveal");
      const mayReveal = (may: boolean) => {
        if (!reveal || may) return;
        throw engineError("forbidden", `Cannot ${doing}: "reveal" needs the permission "containers:reveal"`);
      };
      mayReveal(!revealed.nowhere);
      if (reveal) await call.mustBeProved();
      const found = await find(call.reach, id, backend, doing);
      mayReveal(revealed.has(subjectOf(found.row, ownership)));
      if (!raw && !reveal) return await details.answer(found, doing);
      const inspected = await readContainer(found, doing);
      if (reveal) await call.shows({ container: found.row.id });
      // The engine's own object, whatever its fields are, with its secrets masked
      if (raw) return reply(200, (reveal ? inspected : maskObject(inspected)) as Record<string, unknown>);
      const row = found.link.mirror.containers.rowOf(inspected) ?? found.row;
      return reply(200, { ...containerDetail(row, inspected, reveal), workspace: ownership.ownerOf(row) });
    })
    .on(start, (call) => act("start", call))
    .on(stop, (call) => act("stop", call, call.query))
    .on(restart, (call) => act("restart", call, call.query))
    .on(pause, (call) => act("pause", call))
    .on(unpause, (call) => act("unpause", call))
    .on(kill, (call) => act("kill", call, call.query))
    .on(renaming, async ({ reach, params: { id }, query, body: { name } }) => {
      const found = await find(reach, id, query.backend, `rename container "${id}"`);
      return reply(200, await rename(found, name));
    })
    .on(top, async ({ reach, params: { id }, query, left }) => {
      const found = await find(
        reach,
        id,
        query.backend,
        `list the processes of container "${id}"`,
      );
      return reply(200, await processesOf(found, left));
    })
    .on(removal, async ({ reach, params: { id }, query }) => {
      const found = await find(reach, id, query.backend, `remove container "${id}"`);
      await mustNotBeKept(found, `remove container "${id}"`, "scale");
      await remove(found, { force: query.force === true, volumes: query.volumes === true });
      return reply(204);
    });
}

/** A call about one container. */
interface Named {
  readonly reach: Reach;
  readonly principal: Principal;
  readonly params: { readonly id: string };
  readonly query: { readonly backend?: string | undefined };
}
