/** Connects containers to networks and disconnects them. */
import * as z from "../../../core/schema.ts";
import { joinNeeds } from "../../../core/container_needs.ts";
import { ServiceError } from "../../../core/error.ts";
import { NO_FACTS } from "../../../core/spec_rows.ts";
import { json, particularsOf, reply, route, type Router, router } from "../../../http/declare/router.ts";
import type { Engines } from "../backends/seen.ts";
import { mustHold } from "../backends/judged.ts";
import type { Link } from "../../../engines/links/link.ts";
import { findContainer } from "../backends/find_container.ts";
import { EngineAnswer } from "../../../engines/calls/failure.ts";
import { sentOrShown } from "../../../engines/calls/lost_answer.ts";
import { at } from "../../../engines/calls/path.ts";
import { objectOf, textOf } from "../../../engines/calls/wire.ts";
import { byName, Name, onBackend } from "../backends/route_fields.ts";
import { findNetwork, type FoundNetwork } from "./named.ts";
import { ADDRESS } from "../../../http/declare/address_forms.ts";
import { isAddress } from "./subnet.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { problems } from "../backends/problems.ts";

const Membership = z.object({
  network: z.string().describe("The network's name"),
  container: z.string().describe("The container's id"),
  changed: z.boolean().describe("False where it was so already"),
}).meta({ id: "NetworkMembership" });

const connect = route({
  method: "post",
  path: "/networks/{name}/connect",
  summary: "Connect a container",
  description: "Works for running and for stopped containers. `changed: false` says that the container was " +
    "connected already.",
  permission: "networks:write",
  subject: "found",
  params: byName,
  query: onBackend,
  body: z.strictObject({
    container: Name.describe("Id or name"),
    aliases: z.array(Name).max(32).optional().describe("Further names that it answers to there"),
    address: z.string().max(64).refine(isAddress, "Expected an address").meta(ADDRESS).optional().describe(
      "The address it gets there",
    ),
  }).meta({
    id: "NetworkConnection",
    examples: [{ container: "shop-web-1", aliases: ["web"], address: "10.99.7.20" }],
  }),
  particulars: ({ query, body }) => particularsOf({ ...query, ...body }),
  answers: {
    200: json(Membership, "It is connected"),
    ...problems(
      "network_not_found",
      "container_not_found",
      "ambiguous_id",
      "node_not_connected",
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
  description:
    "`changed: false` says that the container was not connected. Compose connects its containers again " +
    "at its next `up`.",
  permission: "networks:write",
  subject: "found",
  params: byName,
  query: onBackend,
  body: z.strictObject({
    container: Name.describe("Id or name"),
    force: z.boolean().optional().describe("Even if the container does not let go"),
  }).meta({
    id: "NetworkDisconnection",
    examples: [{ container: "shop-web-1", force: true }],
  }),
  particulars: ({ query, body }) => particularsOf({ ...query, ...body }),
  answers: {
    200: json(Membership, "It is not connected"),
    ...problems(
      "network_not_found",
      "container_not_found",
      "ambiguous_id",
      "node_not_connected",
      "conflict",
      "backend_not_found",
      "runtime_unavailable",
    ),
  },
});

export const MEMBERSHIP_ROUTES = [connect, disconnect];

export function memberships(engines: Engines): Router {
  return router()
    .on(connect, async ({ params, query, body, reach, principal }) => {
      const network = await findNetwork(engines, reach, params.name, query.backend, "use");
      const { name } = network;
      const change: Change = { verb: "connect", network: params.name, name, container: body.container };
      // The caller's own permission reaches the network; what remains is a name that is a namespace.
      const needs = joinNeeds({ name, aliases: body.aliases ?? [] }, {
        ...NO_FACTS,
        networkOwner: () => "own",
      });
      const engine = engineOf(network, query.backend);
      const { link, row: { id } } = await findContainer(
        engines,
        reach,
        body.container,
        engine,
        doingOf(change),
      );
      mustHold(principal, link.name, doingOf(change), needs);
      return reply(
        200,
        await changeMembership(link, id, change, {
          Container: id,
          EndpointConfig: {
            Aliases: body.aliases,
            IPAMConfig: body.address === undefined ? undefined : memberAddress(body.address),
          },
        }),
      );
    })
    .on(disconnect, async ({ params, query, body, reach }) => {
      const network = await findNetwork(engines, reach, params.name, query.backend, "use");
      const { name } = network;
      const change: Change = {
        verb: "disconnect",
        network: params.name,
        name,
        container: body.container,
      };
      const engine = engineOf(network, query.backend);
      const found = await findContainer(engines, reach, body.container, engine, doingOf(change)).catch(
        (error) => {
          // By force, what is left of a removed container can be disconnected too
          if (
            body.force && reach.everywhere && error instanceof ServiceError &&
            error.code === "container_not_found"
          ) {
            return null;
          }
          throw error;
        },
      );
      const id = found?.row.id ?? body.container;
      const link = found?.link ?? network.link;
      return reply(200, await changeMembership(link, id, change, { Container: id, Force: body.force }));
    });
}

/** Returns the engine to look for a container on; any for a network of a swarm, which spans several. */
const engineOf = ({ link, isOfSwarm }: FoundNetwork, backend: string | undefined): string | undefined =>
  isOfSwarm ? backend : link.name;

interface Change {
  readonly verb: "connect" | "disconnect";
  /** As the caller named it. */
  readonly network: string;
  /** As the engine is asked. */
  readonly name: string;
  /** As the caller named it. */
  readonly container: string;
}

/** Engines say only in words that nothing had to be changed. */
const ALREADY_SO = {
  connect: /already (?:exists|connected)|already attached/i,
  disconnect: /is not connected/i,
};

async function changeMembership(
  link: Link,
  id: string,
  change: Change,
  body: unknown,
): Promise<z.infer<typeof Membership>> {
  const { verb, network, name, container } = change;
  const path = verb === "connect" ? at`/networks/${name}/connect` : at`/networks/${name}/disconnect`;
  const wasMember = link.mirror.containers.rows.get(id)?.networks.includes(network);
  const isSo = async () => await isMember(link, id, change) === (verb === "connect");
  try {
    return await sentOrShown(
      async () => {
        await link.engine.post(path, {
          doing: doingOf(change),
          missing: "network_not_found",
          body,
          firstByteMs: 60_000,
        });
        return { network, container, changed: true };
      },
      async () => await isSo() ? { network, container, changed: wasMember !== (verb === "connect") } : null,
    );
  } catch (error) {
    if (!(error instanceof ServiceError) || !(error.cause instanceof EngineAnswer)) throw error;
    if (ALREADY_SO[verb].test(error.cause.words)) return { network, container, changed: false };
    if (error.code === "network_not_found" && /container/i.test(error.cause.words)) {
      throw engineError("container_not_found", error.message, {
        cause: error.cause,
        discreet: error.discreet,
      });
    }
    throw error;
  } finally {
    link.mirror.containers.touch(id);
    link.mirror.networks.touch();
  }
}

/** Returns true if the container is now in the network, which the caller named by its name or its id. */
async function isMember({ engine }: Link, id: string, change: Change): Promise<boolean> {
  const wire = await engine.get(at`/containers/${id}/json`, {
    doing: doingOf(change),
    missing: "container_not_found",
  });
  const networks = Object.entries(objectOf(objectOf(objectOf(wire).NetworkSettings).Networks));
  return networks.some(([key, one]) =>
    key === change.name || textOf(objectOf(one).NetworkID) === change.name
  );
}

function doingOf({ verb, network, container }: Change): string {
  return `${verb} container "${container}" ${verb === "connect" ? "to" : "from"} network "${network}"`;
}

function memberAddress(address: string): Record<string, string> {
  return address.includes(":") ? { IPv6Address: address } : { IPv4Address: address };
}
