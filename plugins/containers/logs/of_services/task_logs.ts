/** The logs of tasks of swarms: of the node's engine where berth knows it, else of a manager. */
import type { Reach } from "../../../../core/access.ts";
import {
  type KnownService,
  type KnownTask,
  NO_SERVICES,
  serviceKey,
  servicesNamed,
  tasksNamed,
} from "../../../../core/running_services.ts";
import { engineError } from "../../../../engines/calls/errors.ts";
import { type LiveContainer, readLive } from "../../backends/live_container.ts";
import type { Engines } from "../../backends/seen.ts";

const TASK = "com.docker.swarm.task.id";

/** A task, and from where its log is read. */
export interface TaskPlace {
  readonly task: { readonly id: string; readonly name: string };
  /** The node's name. */
  readonly node: string;
  readonly via: "node" | "manager";
}

export type TaskLog = LiveContainer & TaskPlace;

/** Returns the place of a task whose log was not found yet. */
export const placeOf = ({ task }: KnownTask): TaskPlace => ({
  task: { id: task.id, name: task.name },
  node: task.node?.name ?? "",
  via: (task.container?.backend ?? null) === null ? "manager" : "node",
});

/** Throws `service_not_found` and `ambiguous_id`. */
export function findService({ services }: Engines, reach: Reach, asked: string, doing: string): KnownService {
  const [one, ...more] = servicesNamed((services?.() ?? NO_SERVICES).items, reach, asked);
  if (one === undefined) throw engineError("service_not_found", `Cannot ${doing}: no swarm has it`);
  if (more.length > 0) throw engineError("ambiguous_id", `Cannot ${doing}: several match, use an id`);
  return one;
}

/** Of a name, the task that is to run, else the newest. Throws `task_not_found` and `ambiguous_id`. */
export function findTask({ services }: Engines, reach: Reach, asked: string, doing: string): KnownTask {
  const found = tasksNamed(services?.() ?? NO_SERVICES, reach, asked);
  const [one] = found;
  if (one === undefined) throw engineError("task_not_found", `Cannot ${doing}: no swarm has it`);
  if (found.some(({ known }) => serviceKey(known.service) !== serviceKey(one.known.service))) {
    throw engineError("ambiguous_id", `Cannot ${doing}: several have this name, use an id`);
  }
  return one;
}

/** Throws the reason why neither the node's engine nor a manager can be asked. */
export async function logOf(
  engines: Engines,
  one: KnownTask,
  doing: string,
  signal: AbortSignal,
): Promise<TaskLog> {
  const { known, task } = one;
  const told = placeOf(one);
  const { links } = engines.backends;
  const link = links.find(({ name }) => name === task.container?.backend);
  if (link?.state === "up" && task.container !== null) {
    const live = await readLive(link.engine, task.container.id, doing, signal);
    // The id is a manager's word, and any container may have it
    if (live.labels[TASK] !== task.id) {
      throw engineError(
        "container_not_found",
        `Cannot ${doing}: its container is none of task "${task.name}"`,
      );
    }
    return { ...live, ...told, via: "node" };
  }
  const managers = links.filter(({ name, state }) => known.managers?.includes(name) && state === "up");
  const [first] = managers;
  if (first === undefined) {
    throw engineError(
      "runtime_unavailable",
      `Cannot ${doing}: neither the engine of ${told.node || "its node"} nor a manager answers`,
    );
  }
  let turn = 0;
  return {
    ...told,
    via: "manager",
    get engine() {
      return (managers[turn % managers.length] ?? first).engine;
    },
    kind: "docker",
    id: task.container?.id ?? task.id,
    name: task.name,
    running: true,
    paused: false,
    life: task.at,
    terminal: known.definition.terminal,
    environment: [],
    labels: {},
    rotates: false,
    managed: { task: task.id, turn: () => void (turn += 1) },
  };
}
