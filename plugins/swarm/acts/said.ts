/** The answers of acts on services and nodes. */
import * as z from "../../../core/schema.ts";
import { later } from "../../../core/later.ts";

const SpecChange = later(() =>
  z.object({
    field: z.string().describe("The field, as `TaskTemplate.ContainerSpec.Image`"),
    from: z.string().nullable().describe("Its value now, masked; null where it has none"),
    to: z.string().nullable().describe("Its value then, masked; null where it has none"),
  })
);
export type SpecChange = z.infer<ReturnType<typeof SpecChange>>;

const Waiting = later(() =>
  z.object({
    task: z.string().describe("The task, as `shop_web.4`"),
    reason: z.string().describe(
      "The reason that no node takes it, or that berth cannot tell; names nodes to callers who see the whole swarm",
    ),
  })
);

export const ServiceChange = later(() =>
  z.object({
    id: z.string().describe("The service's id"),
    name: z.string().describe("Its name"),
    changed: z.boolean().describe("True if it was changed: false for a dry run, and where it was so already"),
    dryRun: z.boolean().describe("True if nothing was sent"),
    changes: z.array(SpecChange()).describe("The fields of its definition that change, 100 at most"),
    starts: z.int().describe("Number of tasks that are started in addition"),
    stops: z.int().describe("Number of tasks that are stopped for good"),
    replaces: z.int().describe("Number of tasks that others replace, a few at a time"),
    waits: z.array(Waiting()).describe(
      "Tasks of those that no node would take, by what nodes have and are asked for; 100 at most",
    ),
    spec: z.record(z.string(), z.unknown()).nullable().describe(
      "Of a rollback: the definition that comes back, as the swarm has it, masked",
    ),
  }).meta({ id: "ServiceChange" })
);
export type ServiceChange = z.infer<ReturnType<typeof ServiceChange>>;

export const ServiceRemoval = later(() =>
  z.object({
    id: z.string().describe("The service's id"),
    name: z.string().describe("Its name"),
    removed: z.boolean().describe("False for a dry run"),
    dryRun: z.boolean().describe("True if nothing was sent"),
    stops: z.int().describe("Number of tasks that are stopped for good"),
  }).meta({ id: "ServiceRemoval" })
);
export type ServiceRemoval = z.infer<ReturnType<typeof ServiceRemoval>>;

export const NodeChange = later(() =>
  z.object({
    id: z.string().describe("The node's id"),
    name: z.string().describe("Its host name"),
    availability: z.enum(["active", "pause", "drain"]).describe("Its availability then"),
    from: z.string().describe("Its availability before"),
    changed: z.boolean().describe("True if it was changed: false for a dry run, and where it was so already"),
    dryRun: z.boolean().describe("True if nothing was sent"),
    tasks: z.array(z.object({
      task: z.string().describe("The task, as `shop_web.2`"),
      service: z.string().describe("The id of its service"),
      outcome: z.enum(["moves", "waits", "ends"]).describe(
        "`moves`: another node takes it; `waits`: no node does; `ends`: each node runs its own, so this one is not replaced",
      ),
      reason: z.string().nullable().describe("The reason that it waits"),
    })).describe("The tasks that leave the node, in the scope of `services:read`; 500 at most"),
    others: z.int().describe("Number of further tasks that leave it"),
  }).meta({ id: "NodeChange" })
);
export type NodeChange = z.infer<ReturnType<typeof NodeChange>>;

export type Availability = NodeChange["availability"];
