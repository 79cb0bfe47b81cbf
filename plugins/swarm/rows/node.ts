/** A node of a swarm, as the managers list it. */
import * as z from "../../../core/schema.ts";
import { later } from "../../../core/later.ts";
import { maskSaid, maskValues } from "../../../core/secrets.ts";
import {
  flagOf,
  mapOf,
  numberOf,
  objectOf,
  textOf,
  textOrNull,
  type Wire,
} from "../../../engines/calls/wire.ts";

export const SwarmNode = later(() =>
  z.object({
    id: z.string().describe("The node's id"),
    name: z.string().describe("Its host name"),
    cluster: z.string().describe("The id of its cluster"),
    role: z.enum(["manager", "worker"]).describe("Its role"),
    availability: z.string().describe("`active`, `pause` or `drain`"),
    state: z.string().describe("`ready`, `down`, ... as the managers see it"),
    reason: z.string().nullable().describe("The managers' words for its state, masked"),
    leader: z.boolean().describe("True for the manager that leads"),
    reachability: z.string().nullable().describe("Of a manager: `reachable` or `unreachable`"),
    address: z.string().nullable().describe("Its address in the swarm"),
    version: z.string().nullable().describe("The version of its engine"),
    labels: z.record(z.string(), z.string()).describe("Values of labels that look secret are masked"),
    cpus: z.number().describe("Number of its processors"),
    memoryBytes: z.number().describe("Its memory in bytes"),
    tasks: z.int().describe("Number of tasks that run on it"),
    backend: z.string().nullable().describe(
      "The engine of berth's that it is; null where berth does not know it",
    ),
    staleSince: z.string().nullable().describe("When its cluster last answered; null while that is now"),
  }).meta({ id: "SwarmNode" })
);
export type SwarmNode = Readonly<z.infer<ReturnType<typeof SwarmNode>>>;
/** A row of the mirror; what follows from others is added when a list is built. */
export type NodeRow = Omit<SwarmNode, "tasks" | "backend" | "staleSince">;

/** Null for an answer without an id. */
export function nodeRow(answer: unknown, cluster: string): NodeRow | null {
  const wire = objectOf(answer);
  const id = textOf(wire.ID);
  if (id === "") return null;
  const spec = objectOf(wire.Spec);
  const description = objectOf(wire.Description);
  const resources = objectOf(description.Resources);
  const status = objectOf(wire.Status);
  const manager = objectOf(wire.ManagerStatus);
  return {
    id,
    name: textOf(description.Hostname) || id.slice(0, 12),
    cluster,
    role: textOf(spec.Role) === "manager" ? "manager" : "worker",
    availability: textOf(spec.Availability) || "active",
    state: textOf(status.State) || "unknown",
    reason: saidOrNull(status.Message),
    leader: flagOf(manager.Leader),
    reachability: textOrNull(manager.Reachability),
    address: addressOf(status, manager),
    version: textOrNull(objectOf(description.Engine).EngineVersion),
    labels: maskValues(mapOf(spec.Labels)),
    cpus: numberOf(resources.NanoCPUs) / 1e9,
    memoryBytes: numberOf(resources.MemoryBytes),
  };
}

/** The first manager hears itself as 0.0.0.0; its address to managers is a better one. */
function addressOf(status: Wire, manager: Wire): string | null {
  const own = textOf(status.Addr);
  return own === "" || own === "0.0.0.0" ? textOrNull(textOf(manager.Addr).replace(/:\d+$/, "")) : own;
}

export const saidOrNull = (value: unknown): string | null =>
  textOrNull(maskSaid(textOf(value), []).slice(0, 1_000));
