/** A service of a swarm, as the managers list it. */
import { maskSaid, maskValues } from "../../../core/secrets.ts";
import type { KnownService, RunningService, ServiceMode } from "../../../core/running_services.ts";
import { listOf, mapOf, numberOf, objectOf, textOf, timeOf, type Wire } from "../../../engines/calls/wire.ts";
import { serviceUses } from "../../../engines/rows/service_uses.ts";
import { definitionOf } from "./task.ts";

export const NAMESPACE = "com.docker.stack.namespace";

/** A row of the mirror; its tasks are added when services are built. */
export interface ServiceRow {
  readonly shown: Omit<RunningService, "tasks" | "staleSince">;
  /** Its labels as they are: grants are asked with them. */
  readonly labels: Readonly<Record<string, string>>;
  /** Its definition as it was written by whoever made it. */
  readonly spec: Wire;
  readonly before: KnownService["before"];
  /** What its newest tasks are made from, to be compared with theirs. */
  readonly made: string;
  /** Another text when a task or the service itself may be another one. */
  readonly stamp: string;
}

/** Null for an answer without an id. */
export function serviceRow(answer: unknown, cluster: string): ServiceRow | null {
  const wire = objectOf(answer);
  const id = textOf(wire.ID);
  if (id === "") return null;
  const spec = objectOf(wire.Spec);
  const template = objectOf(spec.TaskTemplate);
  const labels = mapOf(spec.Labels);
  const status = objectOf(wire.ServiceStatus);
  const [image, digest = null] = textOf(objectOf(template.ContainerSpec).Image).split("@");
  const { mode, desired } = modeOf(objectOf(spec.Mode), status);
  const running = numberOf(status.RunningTasks);
  return {
    shown: {
      id,
      name: textOf(spec.Name),
      cluster,
      stack: labels[NAMESPACE] ?? null,
      mode,
      desired,
      running,
      image: image ?? "",
      digest,
      ports: portsOf(objectOf(wire.Endpoint)),
      labels: maskValues(labels),
      update: updateOf(objectOf(wire.UpdateStatus)),
      createdAt: timeOf(wire.CreatedAt),
      updatedAt: timeOf(wire.UpdatedAt),
    },
    labels,
    spec,
    before: wire.PreviousSpec ? serviceUses(wire.PreviousSpec) : null,
    made: definitionOf(template),
    stamp: JSON.stringify([
      numberOf(objectOf(wire.Version).Index),
      running,
      status.DesiredTasks,
      status.CompletedTasks,
    ]),
  };
}

function modeOf(
  mode: Wire,
  status: Wire,
): { readonly mode: ServiceMode; readonly desired: number | null } {
  const { DesiredTasks, CompletedTasks } = status;
  const asked = typeof DesiredTasks === "number" ? DesiredTasks : null;
  if (mode.Replicated !== undefined) {
    return { mode: "replicated", desired: numberOf(objectOf(mode.Replicated).Replicas, 1) };
  }
  if (mode.ReplicatedJob !== undefined) {
    // The swarm counts those that may run at once, also when all are completed.
    const left = numberOf(objectOf(mode.ReplicatedJob).TotalCompletions, 1) - numberOf(CompletedTasks);
    return { mode: "replicatedJob", desired: asked && Math.max(0, Math.min(asked, left)) };
  }
  return { mode: mode.GlobalJob === undefined ? "global" : "globalJob", desired: asked };
}

function portsOf(endpoint: Wire): RunningService["ports"] {
  return listOf(endpoint.Ports).map((one) => {
    const port = objectOf(one);
    const host = numberOf(port.PublishedPort);
    return {
      host: host > 0 ? host : null,
      container: numberOf(port.TargetPort),
      protocol: textOf(port.Protocol) || "tcp",
      mode: textOf(port.PublishMode) === "host" ? "host" : "ingress",
    };
  });
}

function updateOf(status: Wire): RunningService["update"] {
  const state = textOf(status.State);
  if (state === "") return null;
  return {
    state,
    at: timeOf(status.CompletedAt) ?? timeOf(status.StartedAt),
    message: maskSaid(textOf(status.Message), []).slice(0, 1_000),
  };
}
