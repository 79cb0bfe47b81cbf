/** One network, with the addresses of its containers. */
import * as z from "../../../core/schema.ts";
import { objectOf, textOf, textOrNull } from "../../../engines/calls/wire.ts";
import type { Users } from "../backends/used_by.ts";
import { Network, networkRow } from "../../../engines/rows/network.ts";

const Endpoint = z.object({
  id: z.string().describe("The container's id"),
  name: z.string().describe("The container's name"),
  ipv4: z.string().nullable().describe("Its IPv4 address"),
  ipv6: z.string().nullable().describe("Its IPv6 address"),
  mac: z.string().nullable().describe("Its hardware address"),
}).meta({ id: "NetworkEndpoint" });

export const NetworkDetail = Network.extend({
  endpoints: z.array(Endpoint).nullable().describe(
    "Of the containers that run; null without `containers:read`",
  ),
}).meta({ id: "NetworkDetail" });

/** Null for an answer without an id. */
export function networkDetail(
  answer: unknown,
  backend: string,
  users: Pick<Users, "network">,
): z.infer<typeof NetworkDetail> | null {
  const row = networkRow(answer, backend);
  if (row === null) return null;
  const endpoints = Object.entries(objectOf(objectOf(answer).Containers)).map(([id, value]) => {
    const endpoint = objectOf(value);
    return {
      id,
      name: textOf(endpoint.Name),
      ipv4: textOrNull(endpoint.IPv4Address),
      ipv6: textOrNull(endpoint.IPv6Address),
      mac: textOrNull(endpoint.MacAddress),
    };
  });
  return { ...row, containers: users.network(row), endpoints };
}
