/** Connecting containers to networks and disconnecting them. */
import { z } from "zod";
import { ServiceError } from "../../../core/error.ts";
import { json, problems, reply, route, type Router, router } from "../../../http/router.ts";
import type { Backends } from "../backends/backends.ts";
import type { Link } from "../backends/link.ts";
import { EngineAnswer } from "../engine/failure.ts";
import { at, identifier } from "../engine/path.ts";
import { byName, Name, onBackend } from "../backends/route_fields.ts";
import { holding } from "./named.ts";
import { isAddress } from "./subnet.ts";

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
      "runtime_unavailable",
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
      "runtime_unavailable",
    ),
  },
});

export function memberships({ backends }: { readonly backends: Backends }): Router {
  return router()
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
