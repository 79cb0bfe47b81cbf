/** Acts on services and nodes of swarms; each can be looked at first. */
import * as z from "../../core/schema.ts";
import { type CorePermission, EVERYTHING, may, type Principal, type Reach } from "../../core/access.ts";
import { holdsCluster, holdsService, reachOfServices } from "../../core/running_services.ts";
import { flag, text } from "../../http/declare/query.ts";
import { json, particularsOf, reply, route, type Router, router } from "../../http/declare/router.ts";
import { type Availability, NodeChange, ServiceChange, ServiceRemoval } from "./acts/said.ts";
import type { Found, Manner } from "./acts/service_acts.ts";
import { problems } from "./errors.ts";
import { findNode, findService } from "./find.ts";
import type { Swarms } from "./swarms.ts";

const query = z.object({
  dryRun: flag.optional().describe("Send nothing: say what would change, and which tasks no node would take"),
});
const service = z.object({ id: text(255).describe("The service's id, the beginning of it, or its name") });
const node = z.object({ id: text(255).describe("The node's id, or its name") });

const REFUSED = [
  "ambiguous_id",
  "changed_meanwhile",
  "cluster_without_quorum",
  "cluster_away",
  "runtime_unavailable",
  "engine_timeout",
  "engine_failed",
  "engine_busy",
] as const;

const scaling = route({
  method: "post",
  path: "/services/{id}/scale",
  summary: "Change how many tasks of a service run",
  description:
    "Answers when the swarm has taken it; tasks start and stop afterwards. `waits` names those that no node would take. " +
    "Where a file declares the service, the number is a difference from then on.",
  permission: "services:control",
  subject: "found",
  params: service,
  query,
  body: z.strictObject({ replicas: z.int().min(0).max(10_000).describe("Number of tasks that are to run") })
    .meta({
      id: "ServiceScale",
      examples: [{ replicas: 3 }],
    }),
  particulars: (asked) => particularsOf({ ...asked.query, ...asked.body }),
  answers: { 200: json(ServiceChange, "The change"), ...problems("service_not_found", ...REFUSED) },
});

const restarting = route({
  method: "post",
  path: "/services/{id}/restart",
  summary: "Replace every task of a service by a new one",
  description: "A few at a time, as its update policy says. The definition stays.",
  permission: "services:control",
  subject: "found",
  params: service,
  query,
  particulars: (asked) => particularsOf(asked.query),
  answers: { 200: json(ServiceChange, "The change"), ...problems("service_not_found", ...REFUSED) },
});

const rolling = route({
  method: "post",
  path: "/services/{id}/rollback",
  summary: "Return a service to its definition before",
  description:
    "`dryRun` shows the definition that comes back. 409 `nothing_to_roll_back` without another one, and " +
    "`previous_secret_gone` where a secret or config of it was removed. A definition that reaches hosts in a way that " +
    "the one of now does not needs `projects:host`.",
  permission: "services:control",
  subject: "found",
  params: service,
  query,
  particulars: (asked) => particularsOf(asked.query),
  answers: {
    200: json(ServiceChange, "The change"),
    ...problems("service_not_found", "forbidden", "nothing_to_roll_back", "previous_secret_gone", ...REFUSED),
  },
});

const removal = route({
  method: "delete",
  path: "/services/{id}",
  summary: "Remove a service with all its tasks",
  description: "Volumes that its tasks made on nodes stay, and so do networks, secrets and configs.",
  permission: "services:remove",
  subject: "found",
  params: service,
  query,
  particulars: (asked) => particularsOf(asked.query),
  answers: { 200: json(ServiceRemoval, "What goes"), ...problems("service_not_found", ...REFUSED) },
});

const nodeRoute = (
  verb: "drain" | "pause" | "activate",
  summary: string,
  description: string,
) =>
  route({
    method: "post",
    path: `/nodes/{id}/${verb}`,
    summary,
    description: `${description} Needs the scope of all engines of the swarm.`,
    permission: "nodes:manage",
    subject: "found",
    params: node,
    query,
    particulars: (asked) => particularsOf(asked.query),
    answers: { 200: json(NodeChange, "The change"), ...problems("node_not_found", ...REFUSED) },
  });

const drain = nodeRoute(
  "drain",
  "Move all tasks of services away from a node",
  "The node takes none until it is activated. `tasks` says where each stands: one that no other node takes waits. " +
    "Containers of no service stay.",
);
const pause = nodeRoute("pause", "Let a node take no new tasks", "Those that run on it stay.");
const activate = nodeRoute(
  "activate",
  "Let a node take tasks again",
  "Tasks that moved away do not come back by themselves: restart their services for that.",
);

export const ACT_ROUTES = [scaling, restarting, rolling, removal, drain, pause, activate];

interface Asked {
  readonly reach: Reach;
  readonly principal: Principal;
  readonly params: { readonly id: string };
  readonly query: { readonly dryRun?: boolean | undefined };
}

/** Read at the start, and run by the first act. */
const serviceActs = () => import("./acts/service_acts.ts");
type ServiceActs = Awaited<ReturnType<typeof serviceActs>>;

export function actRoutes(swarms: Swarms): Router {
  const act = async (
    { reach, principal, params, query }: Asked,
    verb: string,
    run: (acts: ServiceActs, found: Found, manner: Manner) => Promise<ServiceChange>,
  ) => {
    const found = findService(await swarms.seen(), reach, params.id, verb);
    const seen = reachOfServices(principal);
    const said = await run(await serviceActs(), found, {
      isDryRun: query.dryRun === true,
      maySee: holdsService(seen, found),
      maySeeNodes: holdsCluster(seen, found.engines),
      mayHost: may<CorePermission>(principal, "projects:host", EVERYTHING),
    });
    if (said.changed) await swarms.changed(found.in, said.id);
    return reply(200, said);
  };
  const turn = async (
    { reach, principal, params, query }: Asked,
    verb: string,
    availability: Availability,
  ) => {
    const found = findNode(await swarms.seen(), reach, params.id, verb);
    const seen = reachOfServices(principal);
    const { setAvailability } = await import("./acts/node_acts.ts");
    const said = await setAvailability(found, availability, { isDryRun: query.dryRun === true, seen });
    if (said.changed) await swarms.changed(found.cluster);
    return reply(200, said);
  };
  return router()
    .on(
      scaling,
      (call) => act(call, "scale", ({ scale }, found, manner) => scale(found, call.body.replicas, manner)),
    )
    .on(restarting, (call) => act(call, "restart", ({ restart }, ...of) => restart(...of)))
    .on(rolling, (call) => act(call, "roll back", ({ rollBack }, ...of) => rollBack(...of)))
    .on(removal, async ({ reach, params, query }) => {
      const found = findService(await swarms.seen(), reach, params.id, "remove");
      const { remove } = await serviceActs();
      const said = await remove(found, query.dryRun === true);
      if (said.removed) await swarms.changed(found.in, said.id);
      return reply(200, said);
    })
    .on(drain, (call) => turn(call, "drain", "drain"))
    .on(pause, (call) => turn(call, "pause", "pause"))
    .on(activate, (call) => turn(call, "activate", "active"));
}
