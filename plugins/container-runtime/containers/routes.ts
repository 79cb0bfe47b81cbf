/** `/api/containers`: lists, inspects, starts, stops and removes containers. */
import { z } from "zod";
import { may } from "../../../core/access.ts";
import type { ContainerPermission } from "../engine/permissions.ts";
import type { Ownership } from "../../../core/runtime.ts";
import { count, flag } from "../../../http/query.ts";
import { empty, json, particularsOf, reply, route, type Router, router } from "../../../http/router.ts";
import type { Backends } from "../backends/backends.ts";
import { control, Controlled, remove, type Verb } from "./control.ts";
import { ContainerDetail, containerDetail } from "./detail.ts";
import { ContainerDetails, readContainer } from "./cached_details.ts";
import { findContainer } from "../backends/find_container.ts";
import { ContainerList, ContainerLists } from "./list.ts";
import { maskObject } from "../rows/mask.ts";
import { ContainerQuery } from "./query.ts";
import { containerRow } from "../rows/container.ts";
import { BackendName, onBackend } from "../backends/route_fields.ts";
import { engineError, problems } from "../engine/errors.ts";

const byId = z.object({ id: z.string().min(1).max(255) });
const failures = [
  "container_not_found",
  "ambiguous_id",
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
  permission: "containers:read",
  query: ContainerQuery,
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
  permission: "containers:read",
  params: byId,
  query: z.object({ raw: flag.optional(), reveal: flag.optional(), backend: BackendName.optional() }),
  answers: {
    200: json(
      z.union([ContainerDetail, z.record(z.string(), z.unknown()).meta({ id: "EngineContainer" })]),
      "The container",
    ),
    ...problems("forbidden", ...failures),
  },
});

const withTimeout = onBackend.extend({
  timeoutS: count(0, 600).optional().describe("Seconds until it is killed"),
});

function controlRoute<Query extends z.ZodObject>(verb: Verb, summary: string, query: Query) {
  return route({
    method: "post",
    path: `/containers/{id}/${verb}`,
    summary,
    permission: "containers:control",
    params: byId,
    query,
    particulars: (asked) => particularsOf(asked.query),
    answers: { 200: json(Controlled, "How it is now"), ...problems("conflict", ...failures) },
  });
}

const start = controlRoute("start", "Start a container", onBackend);
const stop = controlRoute("stop", "Stop a container", withTimeout);
const restart = controlRoute("restart", "Restart a container", withTimeout);

const removal = route({
  method: "delete",
  path: "/containers/{id}",
  summary: "Remove a container",
  permission: "containers:remove",
  params: byId,
  query: z.object({
    force: flag.optional().describe("Kill it first if it runs"),
    volumes: flag.optional().describe("Remove its anonymous volumes too"),
    backend: BackendName.optional(),
  }),
  particulars: ({ query }) => particularsOf(query),
  answers: { 204: empty("It is gone"), ...problems("conflict", ...failures) },
});

export const ROUTES = [list, inspect, start, stop, restart, removal];

export interface ContainerRoutes {
  readonly backends: Backends;
  readonly ownership: Ownership;
}

export function containers({ backends, ownership }: ContainerRoutes): Router {
  const lists = new ContainerLists(backends, ownership);
  const details = new ContainerDetails(ownership);
  const act = async (verb: Verb, id: string, backend: string | undefined, timeoutS?: number) => {
    const found = await findContainer(backends, id, backend, `${verb} container "${id}"`);
    return reply(200, await control(found, verb, timeoutS));
  };
  return router()
    .on(list, ({ query, request }) => lists.answer(query, request))
    .on(inspect, async (call) => {
      const { params: { id }, query: { backend, raw = false, reveal = false }, principal } = call;
      const doing = `inspect container "${id}"`;
      if (reveal && !may<ContainerPermission>(principal, "containers:reveal")) {
        throw engineError(
          "forbidden",
          `Cannot ${doing}: "reveal" needs the permission "containers:reveal"`,
        );
      }
      const found = await findContainer(backends, id, backend, doing);
      if (!raw && !reveal) return await details.answer(found, doing);
      const inspected = await readContainer(found, doing);
      if (reveal) await call.shows({ container: found.row.id });
      // The engine's own object, whatever its fields are, with its secrets masked
      if (raw) return reply(200, (reveal ? inspected : maskObject(inspected)) as Record<string, unknown>);
      const row = containerRow(inspected, found.link.name) ?? found.row;
      return reply(200, { ...containerDetail(row, inspected, reveal), workspace: ownership.ownerOf(row) });
    })
    .on(start, ({ params, query }) => act("start", params.id, query.backend))
    .on(stop, ({ params, query }) => act("stop", params.id, query.backend, query.timeoutS))
    .on(restart, ({ params, query }) => act("restart", params.id, query.backend, query.timeoutS))
    .on(removal, async ({ params: { id }, query }) => {
      const found = await findContainer(backends, id, query.backend, `remove container "${id}"`);
      await remove(found, { force: query.force === true, volumes: query.volumes === true });
      return reply(204);
    });
}
