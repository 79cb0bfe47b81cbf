/** A network as lists show it, read from the engine's list or its `inspect`. */
import * as z from "../../core/schema.ts";
import { Stale } from "./stale.ts";
import { maskValues } from "../../core/secrets.ts";
import { flagOf, listOf, mapOf, objectOf, textOf, textOrNull, timeOf } from "../calls/wire.ts";
import { UsingContainer } from "./using_container.ts";

const Subnet = z.object({
  subnet: z.string().describe("The address range"),
  gateway: z.string().nullable().describe("The address of the way out"),
}).meta({ id: "Subnet" });

export const Network = z.object({
  id: z.string().describe("The network's id"),
  name: z.string().describe("The network's name"),
  driver: z.string().describe("The driver that makes it"),
  scope: z.string().describe("The reach of its driver, as `local`"),
  internal: z.boolean().describe("Without a way out"),
  attachable: z.boolean().describe("True if single containers may join a network of a swarm"),
  ipv6: z.boolean().describe("True if it has IPv6, too"),
  subnets: z.array(Subnet).describe("Its address ranges"),
  options: z.record(z.string(), z.string()).describe("Values of options that look secret are masked"),
  labels: z.record(z.string(), z.string()).describe("Values of labels that look secret are masked"),
  createdAt: z.string().nullable().describe("When it was made"),
  predefined: z.boolean().describe("The engine's own: it cannot be removed"),
  containers: z.array(UsingContainer).nullable().describe(
    "The containers connected to it, running or not; null without `containers:read`",
  ),
  backend: z.string().describe("The engine it is on, by name"),
  backends: z.array(z.string()).optional().describe(
    "Only of a network of a swarm: the engines that have it, the first one is `backend`",
  ),
  stale: Stale,
}).meta({ id: "Network" });

/** A row of the mirror; connected containers are added when a list is built. */
export type NetworkRow = Readonly<Omit<z.infer<typeof Network>, "containers" | "backends" | "stale">>;

const PREDEFINED = new Set(["bridge", "host", "none", "podman", "ingress", "docker_gwbridge"]);

/** Null for an answer without an id. */
export function networkRow(answer: unknown, backend: string): NetworkRow | null {
  const wire = objectOf(answer);
  const id = textOf(wire.Id);
  if (id === "") return null;
  const name = textOf(wire.Name);
  return {
    id,
    name,
    driver: textOf(wire.Driver),
    scope: textOf(wire.Scope) || "local",
    internal: flagOf(wire.Internal),
    attachable: flagOf(wire.Attachable),
    ipv6: flagOf(wire.EnableIPv6),
    subnets: listOf(objectOf(wire.IPAM).Config).map(subnetOf).filter((one) => one.subnet !== ""),
    options: maskValues(mapOf(wire.Options)),
    labels: maskValues(mapOf(wire.Labels)),
    createdAt: timeOf(wire.Created),
    predefined: PREDEFINED.has(name),
    backend,
  };
}

function subnetOf(value: unknown): z.infer<typeof Subnet> {
  const config = objectOf(value);
  return { subnet: textOf(config.Subnet), gateway: textOrNull(config.Gateway) };
}
