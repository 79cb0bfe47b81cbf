/** `/api/networks`: lists, inspects, creates and removes networks. */
import * as z from "../../../core/schema.ts";
import { flag, text } from "../../../http/declare/query.ts";
import {
  empty,
  json,
  located,
  particularsOf,
  reply,
  route,
  type Router,
  router,
} from "../../../http/declare/router.ts";
import { type Engines, freshInSight } from "../backends/seen.ts";
import type { Link } from "../../../engines/links/link.ts";
import { networkNeeds } from "../../../core/object_needs.ts";
import { mustHold } from "../backends/judged.ts";
import { unreadable } from "../../../engines/calls/failure.ts";
import { sentOrShown } from "../../../engines/calls/lost_answer.ts";
import { at } from "../../../engines/calls/path.ts";
import { objectOf, parseJson, textOf } from "../../../engines/calls/wire.ts";
import { CachedList } from "../backends/cached_list.ts";
import { removeObject } from "../backends/removal.ts";
import {
  BackendName,
  byName,
  listAnswer,
  Name,
  onBackend,
  subjectOfListed,
  TextMap,
} from "../backends/route_fields.ts";
import { NetworkDetail, networkDetail } from "./detail.ts";
import { MEMBERSHIP_ROUTES, memberships } from "./membership.ts";
import { findNetwork } from "./named.ts";
import { isOfSwarm, swarmNetworksOnce, usersOnAll } from "./of_swarm.ts";
import { Network, networkRow } from "../../../engines/rows/network.ts";
import { ADDRESS, SUBNET } from "../../../http/declare/address_forms.ts";
import { isAddress, isSubnet } from "./subnet.ts";
import { maySelectUnused, UsedBy, type Users } from "../backends/used_by.ts";
import type { Principal } from "../../../core/access.ts";
import { reachOfRunning } from "../../../core/runtime.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { problems } from "../backends/problems.ts";

const NetworkList = listAnswer(Network, "NetworkList");

const list = route({
  method: "get",
  path: "/networks",
  summary: "List the networks of all engines",
  description: "Answers from memory. `unused=true` lists networks that no container is connected to.",
  headers: ["If-None-Match"],
  permission: "networks:read",
  subject: "listed",
  query: z.object({
    backend: BackendName.optional(),
    q: text(256).optional().describe("Part of a name or id"),
    unused: flag.optional().describe("Only those that no container is connected to, or only the others"),
  }),
  answers: { 200: json(NetworkList, "The networks"), ...problems("backend_not_found") },
});

const inspect = route({
  method: "get",
  path: "/networks/{name}",
  summary: "One network, by name or id, with the addresses in it",
  description:
    "Returns the network with its driver, address ranges and labels, and the running containers in it " +
    "with their addresses.",
  permission: "networks:read",
  subject: "found",
  params: byName,
  query: onBackend,
  answers: {
    200: json(NetworkDetail, "The network"),
    ...problems("network_not_found", "ambiguous_id", "backend_not_found", "no_engine", "runtime_unavailable"),
  },
});

const NewNetwork = z.strictObject({
  name: Name.describe("The network's name"),
  driver: Name.optional().describe("The driver that makes it; bridge unless told otherwise"),
  internal: z.boolean().optional().describe("True if it has no route to the outside"),
  attachable: z.boolean().optional().describe("True if single containers may join a network of a swarm"),
  ipv6: z.boolean().optional().describe("True if it has IPv6, too"),
  subnets: z.array(z.strictObject({
    subnet: z.string().max(64).refine(isSubnet, 'Expected a subnet like "10.1.0.0/24"').meta(SUBNET).describe(
      "An address range",
    ),
    gateway: z.string().max(64).refine(isAddress, "Expected an address").meta(ADDRESS).nullish().describe(
      "The address of the way out",
    ),
  })).max(16).optional().describe("Its address ranges; the engine chooses without"),
  options: TextMap.optional().describe("Options of the driver"),
  labels: TextMap.optional().describe("Labels to find it by"),
}).meta({
  id: "NewNetwork",
  examples: [{
    name: "shop_back",
    internal: true,
    subnets: [{ subnet: "10.99.7.0/24", gateway: "10.99.7.1" }],
    labels: { team: "shop" },
  }],
});

const create = route({
  method: "post",
  path: "/networks",
  summary: "Create a network",
  description:
    "Without `subnets` the engine chooses an address range. `internal: true` makes a network without a " +
    "way out.",
  permission: "networks:write",
  subject: "found",
  query: onBackend,
  body: NewNetwork,
  particulars: ({ query, body: { name, driver } }) => particularsOf({ ...query, name, driver }),
  answers: {
    201: located(NetworkDetail, "The network as the engine made it"),
    ...problems(
      "forbidden",
      "name_taken",
      "conflict",
      "backend_not_found",
      "no_engine",
      "runtime_unavailable",
    ),
  },
});

const remove = route({
  method: "delete",
  path: "/networks/{name}",
  summary: "Remove a network",
  description: "409 if a container is connected. Disconnect it first.",
  permission: "networks:write",
  subject: "found",
  params: byName,
  query: onBackend,
  particulars: ({ query }) => particularsOf(query),
  answers: {
    204: empty("It is gone"),
    ...problems(
      "network_not_found",
      "in_use",
      "conflict",
      "ambiguous_id",
      "backend_not_found",
      "runtime_unavailable",
    ),
  },
});

export const ROUTES = [list, inspect, create, remove, ...MEMBERSHIP_ROUTES];

type ListedNetworks = CachedList<z.infer<typeof Network>>;

export function listedNetworks(engines: Engines): ListedNetworks {
  return new CachedList<z.infer<typeof Network>>(engines, "networks", {
    items: networksOf,
    subjectOf: subjectOfListed,
    joined: swarmNetworksOnce,
  });
}

export function networks(engines: Engines, all: ListedNetworks): Router {
  const { backends } = engines;
  return router()
    .on(list, (call) => {
      const { query } = call;
      maySelectUnused(call.principal, query.unused);
      const { unused } = query;
      const part = query.q?.toLowerCase();
      return all.answer(
        query,
        call,
        ({ id, name, containers }) =>
          (unused === undefined || (containers?.length === 0) === unused) &&
          (part === undefined || name.toLowerCase().includes(part) || id.includes(part)),
      );
    })
    .on(inspect, async ({ params, query, left, principal, reach }) => {
      const { link, name } = await findNetwork(engines, reach, params.name, query.backend, "inspect");
      return reply(200, await read(engines, principal, link, name, left));
    })
    .on(create, async ({ body, query, principal, reach }) => {
      const link = backends.target(query.backend, reach);
      const { driver = null, options = {}, labels = {}, subnets = [] } = body;
      const pools = subnets.map(({ subnet, gateway = null }) => ({
        subnet,
        gateway,
        range: null,
        reserved: {},
      }));
      const needs = networkNeeds({ driver, driverOptions: options, labels, pools });
      mustHold(principal, link.name, `create network "${body.name}"`, needs);
      const id = await make(link, body);
      const made = await read(engines, principal, link, id || body.name);
      return reply(201, made, { location: `/api/networks/${made.name}` });
    })
    .on(remove, async ({ params, query, principal, reach }) => {
      const found = await findNetwork(engines, reach, params.name, query.backend, "remove");
      const { link, name } = found;
      const doing = `remove network "${params.name}"`;
      const users = found.isOfSwarm
        ? backends.links.filter((one) => one === link || one.state === "up")
        : [link];
      // The mirrors may lack the latest changes
      await Promise.all(users.map(({ mirror }) => mirror.containers.resync()));
      const network = await read(engines, principal, link, name);
      if (network.predefined) throw engineError("conflict", `Cannot ${doing}: it belongs to the engine`);
      // The engines would remove it although a stopped container needs it to start.
      if (users.some((one) => UsedBy.of(one).network(network).length > 0)) {
        const [user] = network.containers ?? [];
        const who = user === undefined ? "a container" : `container "${user.name}"`;
        throw engineError("in_use", `Cannot ${doing}: ${who} is connected to it`);
      }
      const path = at`/networks/${network.id}`;
      await removeObject(link, "networks", { path, doing, missing: "network_not_found" });
      return reply(204);
    })
    .add(memberships(engines));
}

/** Creates a network and returns its id; an empty text if the engine does not tell it. */
async function make(link: Link, body: z.infer<typeof NewNetwork>): Promise<string> {
  const before = new Set(link.mirror.networks.rows.keys());
  const create = () =>
    link.engine.post(at`/networks/create`, {
      doing: `create network "${body.name}"`,
      body: {
        Name: body.name,
        CheckDuplicate: true,
        Driver: body.driver,
        Internal: body.internal,
        Attachable: body.attachable,
        EnableIPv6: body.ipv6,
        IPAM: body.subnets === undefined ? undefined : {
          Config: body.subnets.map(({ subnet, gateway }) => ({
            Subnet: subnet,
            Gateway: gateway ?? undefined,
          })),
        },
        Options: body.options,
        Labels: body.labels,
      },
      firstByteMs: 60_000, // Docker searches 15 s for a missing driver
    });
  try {
    return await sentOrShown(async () => idIn(parseJson((await create()).text)), async () => {
      const id = idIn(await wireOf(link, body.name));
      return before.has(id) ? null : id; // one that was there before is not the one that was asked for
    });
  } finally {
    link.mirror.networks.touch();
  }
}

const idIn = (wire: unknown): string => textOf(objectOf(wire).Id);

function wireOf(link: Link, name: string, signal?: AbortSignal): Promise<unknown> {
  return link.engine.get(at`/networks/${name}`, {
    doing: `inspect network "${name}"`,
    missing: "network_not_found",
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A network with those of its containers that the caller sees. */
async function read(
  { backends, sights }: Engines,
  principal: Principal,
  link: Link,
  name: string,
  signal?: AbortSignal,
): Promise<z.infer<typeof NetworkDetail>> {
  const wire = await wireOf(link, name, signal);
  const sight = sights.of(reachOfRunning(principal));
  const row = networkRow(wire, link.name);
  const isShared = row !== null && isOfSwarm(row);
  const links = isShared ? [link, ...backends.links.filter((one) => one !== link)] : [link];
  await freshInSight(backends, links, sight);
  const detail = networkDetail(wire, link.name, usersOnAll(links, sight));
  if (detail === null) throw unreadable(link.name, `inspect network "${name}"`);
  if (sight.reach.everywhere) return detail;
  const seen = detail.containers === null ? null : new Set(detail.containers.map(({ id }) => id));
  return {
    ...detail,
    endpoints: seen === null ? null : detail.endpoints?.filter(({ id }) => seen.has(id)) ?? null,
  };
}

function networksOf(link: Link, users: Users): z.infer<typeof Network>[] {
  return [...link.mirror.networks.rows.values()].map((row) => ({ ...row, containers: users.network(row) }));
}
