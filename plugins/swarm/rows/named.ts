/** Configs and secrets of a swarm: their names, never their contents. */
import * as z from "../../../core/schema.ts";
import { later } from "../../../core/later.ts";
import { maskValues } from "../../../core/secrets.ts";
import { mapOf, objectOf, textOf, timeOf } from "../../../engines/calls/wire.ts";

export const SwarmObject = later(() =>
  z.object({
    id: z.string().describe("Its id"),
    name: z.string().describe("Its name"),
    cluster: z.string().describe("The id of its cluster"),
    stack: z.string().nullable().describe("The stack that it belongs to"),
    labels: z.record(z.string(), z.string()).describe("Values of labels that look secret are masked"),
    createdAt: z.string().nullable().describe("When it was made"),
    updatedAt: z.string().nullable().describe("When its labels were last changed"),
  }).meta({ id: "SwarmObject" })
);
export type SwarmObject = Readonly<z.infer<ReturnType<typeof SwarmObject>>>;

/** Null for an answer without an id. The content of a config is in the answer, and is left there. */
export function objectRow(answer: unknown, cluster: string): SwarmObject | null {
  const wire = objectOf(answer);
  const id = textOf(wire.ID);
  if (id === "") return null;
  const spec = objectOf(wire.Spec);
  const labels = mapOf(spec.Labels);
  return {
    id,
    name: textOf(spec.Name),
    cluster,
    stack: labels["com.docker.stack.namespace"] ?? null,
    labels: maskValues(labels),
    createdAt: timeOf(wire.CreatedAt),
    updatedAt: timeOf(wire.UpdatedAt),
  };
}
