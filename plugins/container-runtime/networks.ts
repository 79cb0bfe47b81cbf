/** Networks: what the engines have, who is connected, and how they come and go. */
import { z } from "zod";
import { ServiceError } from "../../core/error.ts";
import { flag, text } from "../../http/query.ts";
import { empty, json, problems, reply, route, type Router, router } from "../../http/router.ts";
import type { Backends } from "./backends.ts";
import type { Link } from "./backends/link.ts";
import { EngineAnswer } from "./engine/failure.ts";
import { at, identifier } from "./engine/path.ts";
import { objectOf, textOf } from "./engine/wire.ts";
import { holder } from "./holder.ts";
import { KeptList } from "./kept_list.ts";
import { BackendName, Name, TextMap, Unavailable } from "./listed.ts";
import { NetworkDetail, networkDetail } from "./networks/detail.ts";
import { Network } from "./networks/row.ts";
import { isAddress, isSubnet } from "./networks/subnet.ts";
import { Users } from "./users.ts";

const NetworkList = z.object({
  items: z.array(Network),
  total: z.int(),
  unavailable: z.array(Unavailable),
}).meta({ id: "NetworkList" });

const list = route({
  method: "get",
  path: "/networks",
  summary: "List the networks of all engines",
  permission: "networks:read",
  query: z.object({
    backend: BackendName.optional(),
    q: text(256).optional().describe("Part of a name or id"),
    unused: flag.optional().describe("Only those that no container is connected to, or only the others"),
  }),
  answers: { 200: json(NetworkList, "The networks"), ...problems("backend_not_found") },
});

const byName = z.object({ name: z.string().min(1).max(255) });
const onBackend = z.object({ backend: BackendName.optional() });

const inspect = route({
  method: "get",
  path: "/networks/{name}",
  summary: "One network, by name or id, with the addresses in it",
  permission: "networks:read",
  params: byName,
  query: onBackend,
  answers: {
    200: json(NetworkDetail, "The network"),
    ...problems("network_not_found", "ambiguous_id", "backend_not_found", "no_engine", "engine_unavailable"),
  },
});

export const NewNetwork = z.strictObject({
  name: Name,
  driver: Name.optional(),
  internal: z.boolean().optional(),
  attachable: z.boolean().optional(),
  ipv6: z.boolean().optional(),
  subnets: z.array(z.strictObject({
    subnet: z.string().max(64).refine(isSubnet, 'Expected a subnet like "10.1.0.0/24"'),
    gateway: z.string().max(64).refine(isAddress, "Expected an address").nullish(),
  })).max(16).optional(),
  options: TextMap.optional(),
  labels: TextMap.optional(),
}).meta({ id: "NewNetwork" });

const create = route({
  method: "post",
  path: "/networks",
  summary: "Create a network",
  permission: "networks:write",
  query: onBackend,
  body: NewNetwork,
  answers: {
    201: json(NetworkDetail, "The network as the engine made it"),
    ...problems("name_taken", "conflict", "backend_not_found", "no_engine", "engine_unavailable"),
  },
});

const remove = route({
  method: "delete",
  path: "/networks/{name}",
  summary: "Remove a network",
  permission: "networks:write",
  params: byName,
  query: onBackend,
  answers: {
    204: empty("It is gone"),
    ...problems(
      "network_not_found",
      "in_use",
      "conflict",
      "ambiguous_id",
      "backend_not_found",
      "engine_unavailable",
    ),
  },
});

const Membership = z.object({
  network: z.string(),
  container: z.string(),
  changed: z.boolean().describe("False where it was so already"),
}).meta({ id: "NetworkMembership" });

const connect = route({
  method: "post",
  path: "/networks/{name}/connect",
  summary: "Connect a container",
  permission: "networks:write",
  params: byName,
  query: onBackend,
  body: z.strictObject({
    container: Name.describe("Id or name"),
    aliases: z.array(Name).max(32).optional(),
    address: z.string().max(64).refine(isAddress, "Expected an address").optional(),
  }).meta({ id: "NetworkConnection" }),
  answers: {
    200: json(Membership, "It is connected"),
    ...problems(
      "network_not_found",
      "container_not_found",
      "conflict",
      "backend_not_found",
      "engine_unavailable",
    ),
  },
});

const disconnect = route({
  method: "post",
  path: "/networks/{name}/disconnect",
  summary: "Disconnect a container",
  permission: "networks:write",
  params: byName,
  query: onBackend,
  body: z.strictObject({
    container: Name.describe("Id or name"),
    force: z.boolean().optional(),
  }).meta({ id: "NetworkDisconnection" }),
  answers: {
    200: json(Membership, "It is not connected"),
    ...problems(
      "network_not_found",
      "container_not_found",
      "conflict",
      "backend_not_found",
      "engine_unavailable",
    ),
  },
});

export function networks({ backends }: { readonly backends: Backends }): Router {
  const all = new KeptList(backends, "networks", networksOf);
  return router()
    .on(list, async ({ query: { backend, q, unused }, request }) => {
      if (backend === undefined && q === undefined && unused === undefined) return await all.whole(request);
      const part = q?.toLowerCase();
      return reply(
        200,
        await all.some(
          backend,
          (network) =>
            (unused === undefined || (network.containers.length === 0) === unused) &&
            (part === undefined || network.name.toLowerCase().includes(part) || network.id.includes(part)),
        ),
      );
    })
    .on(inspect, async ({ params, query, left }) => {
      const link = await holding(backends, params.name, query.backend, "inspect");
      return reply(200, await read(backends, link, params.name, left));
    })
    .on(create, async ({ body, query }) => {
      const link = backends.target(query.backend);
      const { text } = await link.engine.post(at`/networks/create`, {
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
        firstByteMs: 60_000, // Docker looks 15 s for a driver that is not there
      }).finally(() => link.mirror.networks.touch());
      const made = await read(backends, link, idOf(text) ?? body.name);
      return reply(201, made, { location: `/api/networks/${made.name}` });
    })
    .on(remove, async ({ params, query }) => {
      const link = await holding(backends, params.name, query.backend, "remove");
      const doing = `remove network "${params.name}"`;
      await link.mirror.containers.resync(); // what no event told yet counts too
      const network = await read(backends, link, params.name);
      if (network.predefined) throw new ServiceError("conflict", `Cannot ${doing}: it is the engine's own`);
      const [user] = network.containers;
      if (user !== undefined) {
        // The engines would remove it from under a stopped container, which then cannot start any more.
        throw new ServiceError("in_use", `Cannot ${doing}: container "${user.name}" is connected to it`);
      }
      await link.engine.delete(at`/networks/${network.id}`, {
        doing,
        missing: "network_not_found",
        firstByteMs: 60_000,
      })
        .finally(() => link.mirror.networks.touch());
      return reply(204);
    })
    .on(connect, async ({ params, query, body }) => {
      const link = await holding(backends, params.name, query.backend, "use");
      const settings = {
        Container: body.container,
        EndpointConfig: {
          Aliases: body.aliases,
          IPAMConfig: body.address === undefined ? undefined : memberAddress(body.address),
        },
      };
      return reply(200, await change(link, params.name, body.container, "connect", settings));
    })
    .on(disconnect, async ({ params, query, body }) => {
      const link = await holding(backends, params.name, query.backend, "use");
      const settings = { Container: body.container, Force: body.force };
      return reply(200, await change(link, params.name, body.container, "disconnect", settings));
    });
}

/** The engines tell "it is so already" only in words, each in its own. */
const SO_ALREADY = {
  connect: /already (?:exists|connected)|already attached/i,
  disconnect: /is not connected/i,
};

async function change(
  link: Link,
  name: string,
  container: string,
  verb: "connect" | "disconnect",
  settings: unknown,
): Promise<z.infer<typeof Membership>> {
  const network = identifier(name);
  const done = { network, container };
  try {
    const path = verb === "connect" ? at`/networks/${network}/connect` : at`/networks/${network}/disconnect`;
    await link.engine.post(path, {
      doing: `${verb} container "${container}" ${verb === "connect" ? "to" : "from"} network "${network}"`,
      missing: "network_not_found",
      body: settings,
      firstByteMs: 60_000,
    });
    return { ...done, changed: true };
  } catch (error) {
    if (!(error instanceof ServiceError) || !(error.cause instanceof EngineAnswer)) throw error;
    if (SO_ALREADY[verb].test(error.cause.words)) return { ...done, changed: false };
    if (error.code === "network_not_found" && /container/i.test(error.cause.words)) {
      throw new ServiceError("container_not_found", error.message, { cause: error.cause });
    }
    throw error;
  } finally {
    touchContainer(link, container);
    link.mirror.networks.touch();
  }
}

function touchContainer(link: Link, container: string): void {
  for (const { id, name } of link.mirror.containers.rows.values()) {
    if (name === container || id.startsWith(container)) link.mirror.containers.touch(id);
  }
}

function memberAddress(address: string): Record<string, string> {
  return address.includes(":") ? { IPv6Address: address } : { IPv4Address: address };
}

async function read(
  backends: Backends,
  link: Link,
  name: string,
  signal?: AbortSignal,
): Promise<z.infer<typeof NetworkDetail>> {
  const wire = await link.engine.get(at`/networks/${name}`, {
    doing: `inspect network "${name}"`,
    missing: "network_not_found",
    ...(signal === undefined ? {} : { signal }),
  });
  await backends.fresh("containers", [link]);
  const detail = networkDetail(wire, link.name, Users.of(link));
  if (detail !== null) return detail;
  throw new ServiceError(
    "engine_failed",
    `Cannot read network "${name}": engine "${link.name}" answered nonsense`,
  );
}

function networksOf(link: Link): z.infer<typeof Network>[] {
  const users = Users.of(link);
  return [...link.mirror.networks.rows.values()].map((row) => ({ ...row, containers: users.network(row) }));
}

function holding(backends: Backends, text: string, backend: string | undefined, verb: string): Promise<Link> {
  const name = identifier(text);
  return holder(backends, {
    kind: "networks",
    doing: `${verb} network "${name}"`,
    missing: "network_not_found",
    backend,
    has: (link) => {
      for (const row of link.mirror.networks.rows.values()) {
        if (row.name === name || (name.length >= 4 && row.id.startsWith(name))) return true;
      }
      return false;
    },
  });
}

function idOf(text: string): string | null {
  try {
    return textOf(objectOf(JSON.parse(text)).Id) || null;
  } catch {
    return null;
  }
}
