/** A task of a service, as the managers list it. */
import type { RunningTask, TaskState } from "../../../core/running_services.ts";
import { textHash } from "../../../core/text_hash.ts";
import { numberOf, objectOf, textOf, timeOf, type Wire } from "../../../engines/calls/wire.ts";
import { saidOrNull } from "./node.ts";

/** A row of the mirror; what follows from its node and its service is added when services are built. */
export interface TaskRow {
  readonly id: string;
  readonly service: string;
  readonly slot: number | null;
  readonly node: string;
  readonly at: string | null;
  readonly state: TaskState;
  readonly desired: boolean;
  /** What it was made from, to be compared with the service's. */
  readonly made: string;
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly container: string;
}

const STATES: Readonly<Record<string, TaskState>> = {
  new: "waiting",
  pending: "waiting",
  assigned: "waiting",
  accepted: "waiting",
  preparing: "starting",
  ready: "starting",
  starting: "starting",
  running: "running",
  complete: "completed",
  shutdown: "stopped",
  remove: "stopped",
  failed: "failed",
  rejected: "failed",
  orphaned: "lost",
};

/** Null for an answer without an id. */
export function taskRow(answer: unknown): TaskRow | null {
  const wire = objectOf(answer);
  const id = textOf(wire.ID);
  if (id === "") return null;
  const status = objectOf(wire.Status);
  const container = objectOf(status.ContainerStatus);
  const state = STATES[textOf(status.State)] ?? "waiting";
  const desired = textOf(wire.DesiredState);
  const slot = numberOf(wire.Slot);
  const hasEnded = state === "completed" || state === "failed" || state === "stopped";
  return {
    id,
    service: textOf(wire.ServiceID),
    slot: slot > 0 ? slot : null,
    node: textOf(wire.NodeID),
    at: timeOf(status.Timestamp),
    state,
    desired: desired !== "shutdown" && desired !== "remove" && desired !== "orphaned",
    made: definitionOf(objectOf(wire.Spec)),
    reason: saidOrNull(status.Err) ?? (state === "running" ? null : saidOrNull(status.Message)),
    exitCode: hasEnded && textOf(container.ContainerID) !== "" ? numberOf(container.ExitCode) : null,
    container: textOf(container.ContainerID),
  };
}

/** Returns a text that is equal for a task and the service's definition that it was made from. */
export const definitionOf = (template: Wire): string =>
  textHash(
    JSON.stringify([template.ContainerSpec, template.ForceUpdate, template.Resources, template.Placement]),
  ).join(" ");

/** The surroundings of a task. */
interface Around {
  /** The service's name. */
  readonly name: string;
  readonly made: string;
  readonly node: (id: string) => { readonly name: string; readonly isDown: boolean } | undefined;
  readonly engine: (node: string) => string | null;
}

/** Returns the task as it is shown. */
export function shownTask(row: TaskRow, { name, made, node, engine }: Around): RunningTask {
  const on = node(row.node);
  return {
    id: row.id,
    name: `${name}.${row.slot ?? row.node}`,
    slot: row.slot,
    node: row.node === "" ? null : { id: row.node, name: on?.name ?? row.node.slice(0, 12) },
    at: row.at,
    // Of a node that is down, nobody knows more than its last word.
    state: row.state === "running" && on?.isDown === true ? "lost" : row.state,
    desired: row.desired,
    current: row.made === made,
    reason: row.reason,
    exitCode: row.exitCode,
    container: row.container === "" ? null : { id: row.container, backend: engine(row.node) },
  };
}
