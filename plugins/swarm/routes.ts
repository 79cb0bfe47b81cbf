/** `/api/clusters`, `/nodes`, `/services`, `/stacks`, `/configs` and `/secrets`: what swarms have, from memory. */
import * as z from "../../core/schema.ts";
import type { Reach } from "../../core/access.ts";
import { later } from "../../core/later.ts";
import { Lru } from "../../core/lru.ts";
import {
  holdsCluster,
  holdsService,
  RunningService,
  type RunningServices,
  RunningTask,
  TaskState,
} from "../../core/running_services.ts";
import { CachedText } from "../../http/declare/cached_text.ts";
import { text } from "../../http/declare/query.ts";
import { json, reply, route, type Router, router } from "../../http/declare/router.ts";
import { problems, swarmError } from "./errors.ts";
import { findNode, findService } from "./find.ts";
import { clustersOf, SwarmCluster } from "./rows/cluster.ts";
import { SwarmObject } from "./rows/named.ts";
import { SwarmNode } from "./rows/node.ts";
import { Stack, stacksOf } from "./rows/stack.ts";
import type { KnownSwarms, Swarms } from "./swarms.ts";

const listOf = <Item extends z.ZodType>(item: () => Item, id: string, description: string) =>
  json(
    later(() =>
      z.object({
        items: z.array(item()).describe("The items found"),
        total: z.int().describe("Number of all items"),
      }).meta({ id })
    ),
    description,
  );

const inCluster = { cluster: text(128).optional().describe("Only of this cluster, by its id or name") };
const byId = z.object({ id: text(255).describe("Its id, the beginning of it, or its name") });

const clusters = route({
  method: "get",
  path: "/clusters",
  summary: "The swarms that the engines are in",
  description:
    "Without a quorum of managers nothing can be changed, and rows stay as they were: `staleSince` says since when. " +
    "Answers from memory.",
  permission: "services:read",
  subject: "listed",
  answers: { 200: listOf(SwarmCluster, "SwarmClusters", "The swarms") },
});

const nodes = route({
  method: "get",
  path: "/nodes",
  summary: "The nodes of all swarms",
  description:
    "`backend` names the engine of a node, where berth has it. Needs the scope of all engines of a swarm.",
  permission: "services:read",
  subject: "listed",
  query: z.object(inCluster),
  answers: { 200: listOf(SwarmNode, "SwarmNodes", "The nodes, by name") },
});

const node = route({
  method: "get",
  path: "/nodes/{id}",
  summary: "One node of a swarm",
  description: "Returns the node as its managers see it.",
  permission: "services:read",
  subject: "found",
  params: z.object({ id: text(255).describe("Its id or its name") }),
  answers: { 200: json(SwarmNode, "The node"), ...problems("node_not_found", "ambiguous_id") },
});

const ServicesAsked = z.object({
  ...inCluster,
  stack: text(255).optional().describe("Only of this stack"),
  node: text(255).optional().describe("Only with a task on this node, by its id or name"),
  state: TaskState.optional().describe("Only with a task in this state that is to run"),
});
type ServicesAsked = z.output<typeof ServicesAsked>;

const services = route({
  method: "get",
  path: "/services",
  summary: "The services of all swarms, with their tasks",
  description:
    "Answers from memory. `tasks` has those that were replaced, too, as far as the swarm remembers them.",
  headers: ["If-None-Match"],
  permission: "services:read",
  subject: "listed",
  query: ServicesAsked,
  answers: { 200: listOf(RunningService, "SwarmServices", "The services, by name") },
});

const service = route({
  method: "get",
  path: "/services/{id}",
  summary: "One service of a swarm, with its tasks",
  description: "By id or name. 409 where swarms have several of that name.",
  permission: "services:read",
  subject: "found",
  params: byId,
  answers: { 200: json(RunningService, "The service"), ...problems("service_not_found", "ambiguous_id") },
});

const tasks = route({
  method: "get",
  path: "/services/{id}/tasks",
  summary: "The tasks of a service, also those that were replaced",
  description: "By slot, the newest first.",
  permission: "services:read",
  subject: "found",
  params: byId,
  answers: {
    200: listOf(RunningTask, "ServiceTasks", "The tasks"),
    ...problems("service_not_found", "ambiguous_id"),
  },
});

const stacks = route({
  method: "get",
  path: "/stacks",
  summary: "The stacks of all swarms",
  description: "A stack is what `docker stack deploy` made of a file, recognised by its label.",
  permission: "services:read",
  subject: "listed",
  query: z.object(inCluster),
  answers: { 200: listOf(Stack, "Stacks", "The stacks, by name") },
});

const stack = route({
  method: "get",
  path: "/stacks/{name}",
  summary: "One stack of a swarm",
  description: "Returns the stack with its services and their numbers.",
  permission: "services:read",
  subject: "found",
  params: z.object({ name: text(255).describe("The stack's name, or `<stack>@swarm:<cluster>`") }),
  answers: { 200: json(Stack, "The stack"), ...problems("stack_not_found", "ambiguous_id") },
});

const named = (path: "/configs" | "/secrets", id: string, what: string) =>
  route({
    method: "get",
    path,
    summary: `The ${what} of all swarms, by name`,
    description: "Never their contents. Needs the scope of all engines of a swarm.",
    permission: "services:read",
    subject: "listed",
    query: z.object(inCluster),
    answers: { 200: listOf(SwarmObject, id, `The ${what}`) },
  });
const configs = named("/configs", "SwarmConfigs", "configs");
const secrets = named("/secrets", "SwarmSecrets", "secrets");

export const ROUTES = [clusters, nodes, node, services, service, tasks, stacks, stack, configs, secrets];

/** Lists that are kept: one for each scope and query. */
const MOST_TEXTS = 8;

const page = <Item>(items: Item[]) => reply(200, { items, total: items.length });

interface Asked {
  readonly cluster?: string | undefined;
}

/** The parts of clusters that a scope holds. */
class Seen {
  constructor(private readonly swarms: KnownSwarms, private readonly reach: Reach) {}

  nodes(query: Asked = {}) {
    return this.#whole(query).flatMap(({ nodes }) => nodes);
  }

  objects(what: "configs" | "secrets", query: Asked) {
    return this.#whole(query).flatMap((one) => one[what]);
  }

  services(query: Asked = {}) {
    return this.#of(query).flatMap(({ services }) => services).filter((one) => holdsService(this.reach, one));
  }

  #whole(query: Asked) {
    return this.#of(query).filter(({ scope }) => holdsCluster(this.reach, scope));
  }

  #of({ cluster }: Asked) {
    return this.swarms.all.filter(({ id, name }) =>
      cluster === undefined || id === cluster || name === cluster
    );
  }
}

/** Returns the only stack of this id or name. Throws `ambiguous_id` and `stack_not_found`. */
function theOne<Item extends { readonly id: string; readonly name: string }>(
  items: readonly Item[],
  asked: string,
): Item {
  const [one, ...more] = items.filter(({ id, name }) => id === asked || name === asked);
  const doing = `Cannot read stack "${asked}"`;
  if (one === undefined) throw swarmError("stack_not_found", `${doing}: no swarm has it`);
  if (more.length > 0) throw swarmError("ambiguous_id", `${doing}: several have this name, use an id`);
  return one;
}

/** Lists of services as text, each kept until something in a swarm changes. */
class ServiceTexts {
  readonly #made = new Lru<{ readonly of: RunningServices; readonly text: CachedText }>(MOST_TEXTS);

  of(swarms: KnownSwarms, reach: Reach, asked: ServicesAsked, { url }: Request): CachedText {
    const of = swarms.services;
    const mark = url.indexOf("?");
    const key = mark < 0 ? reach.key : reach.key + url.slice(mark);
    const known = this.#made.get(key);
    if (known?.of === of) return known.text;
    const items = new Seen(swarms, reach).services(asked).map(({ service }) => service)
      .filter((one) => fits(one, asked));
    const made = JSON.stringify({ items, total: items.length });
    const text = known?.text.text === made ? known.text : new CachedText(made);
    this.#made.set(key, { of, text });
    return text;
  }
}

function fits({ stack, tasks }: RunningService, asked: ServicesAsked): boolean {
  const { node, state } = asked;
  const isOn = node === undefined ||
    tasks.some((one) => one.desired && [one.node?.id, one.node?.name].includes(node));
  return isOn && (asked.stack === undefined || stack === asked.stack) &&
    (state === undefined || tasks.some((one) => one.desired && one.state === state));
}

export function swarmRoutes(swarms: Swarms): Router {
  const texts = new ServiceTexts();
  const seen = async (reach: Reach) => new Seen(await swarms.seen(), reach);
  return router()
    .on(clusters, async ({ reach }) => page(clustersOf(await swarms.seen(), reach)))
    .on(nodes, async ({ reach, query }) => page((await seen(reach)).nodes(query)))
    .on(
      node,
      async ({ reach, params: { id } }) => reply(200, findNode(await swarms.seen(), reach, id, "read").node),
    )
    .on(
      services,
      async ({ reach, query, request }) =>
        await texts.of(await swarms.seen(), reach, query, request).answer(request),
    )
    .on(
      service,
      async ({ reach, params: { id } }) =>
        reply(200, findService(await swarms.seen(), reach, id, "read").service),
    )
    .on(
      tasks,
      async ({ reach, params: { id } }) =>
        page(findService(await swarms.seen(), reach, id, "read the tasks of").service.tasks),
    )
    .on(stacks, async ({ reach, query }) => page(stacksOf((await seen(reach)).services(query))))
    .on(
      stack,
      async ({ reach, params: { name } }) =>
        reply(200, theOne(stacksOf((await seen(reach)).services()), name)),
    )
    .on(configs, async ({ reach, query }) => page((await seen(reach)).objects("configs", query)))
    .on(secrets, async ({ reach, query }) => page((await seen(reach)).objects("secrets", query)));
}
