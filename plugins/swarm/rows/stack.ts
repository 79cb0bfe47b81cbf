/** A stack: the services of a swarm that one file was deployed as. */
import * as z from "../../../core/schema.ts";
import { later } from "../../../core/later.ts";
import type { KnownService } from "../../../core/running_services.ts";

export const Stack = later(() =>
  z.object({
    id: z.string().describe("`<stack>@swarm:<cluster>`"),
    name: z.string().describe("The stack's name"),
    cluster: z.string().describe("The id of its cluster"),
    services: z.array(z.object({
      id: z.string().describe("The service's id"),
      name: z.string().describe("The service's name"),
      desired: z.int().nullable().describe("Number of tasks that should run; null while unknown"),
      running: z.int().describe("Number of tasks that run"),
    })).describe("Its services"),
    desired: z.int().nullable().describe("Number of tasks that should run; null while unknown"),
    running: z.int().describe("Number of tasks that run"),
    staleSince: z.string().nullable().describe("When its cluster last answered; null while that is now"),
  }).meta({ id: "SwarmStack" })
);
type Stack = z.infer<ReturnType<typeof Stack>>;

/** Returns the stacks of these services, by name. */
export function stacksOf(services: readonly KnownService[]): Stack[] {
  const ofStacks = services.filter(({ service }) => service.stack !== null);
  return [...Map.groupBy(ofStacks, ({ service, cluster }) => `${service.stack}@swarm:${cluster}`)]
    .map(([id, own]): Stack => {
      const [{ service: first }] = own as [KnownService]; // every group has one
      return {
        id,
        name: first.stack ?? "",
        cluster: first.cluster,
        services: own.map(({ service: { id, name, desired, running } }) => ({ id, name, desired, running })),
        desired: own.reduce<number | null>(
          (sum, { service: { desired } }) => sum === null || desired === null ? null : sum + desired,
          0,
        ),
        running: own.reduce((sum, { service }) => sum + service.running, 0),
        staleSince: first.staleSince,
      };
    }).sort((one, other) => one.name < other.name ? -1 : 1);
}
