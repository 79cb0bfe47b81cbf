/** The tasks of one service as memory has them, in the scope of the caller who reads their logs. */
import type { Reach } from "../../../../core/access.ts";
import {
  holdsService,
  type KnownService,
  type KnownTask,
  NO_SERVICES,
  type RunningServices,
  type RunningTask,
  serviceKey,
} from "../../../../core/running_services.ts";
import type { Engines } from "../../backends/seen.ts";

/** A look at the tasks. */
export interface TasksNow {
  /** True while the service is in memory and the caller holds it. */
  readonly isHeld: boolean;
  /** The tasks to be read. */
  readonly wanted: readonly KnownTask[];
  /** Tasks that were replaced and are remembered: to be read where the caller lacks lines of them. */
  readonly replaced: readonly KnownTask[];
  /** The future of a task that is read: `ended` writes no more, and `hidden` must not be read on. */
  fateOf(task: string): "goesOn" | "ended" | "hidden";
}

interface Asked {
  readonly engines: Pick<Engines, "services">;
  readonly reach: Reach;
  readonly service: Pick<KnownService["service"], "cluster" | "id">;
  /** False for those that are to run or may run on; else all that are remembered. */
  readonly isAll: boolean;
  /** The id of the only one that is wanted. */
  readonly only?: string;
}

/** Returns a look at the tasks; an id alone may be that of another swarm's service, and scopes follow labels. */
export function tasksOf({ engines, reach, service, isAll, only }: Asked): () => TasksNow {
  const key = serviceKey(service);
  return () => {
    const known = servicesByKey(engines.services?.() ?? NO_SERVICES).get(key);
    const isHeld = known !== undefined && holdsService(reach, known);
    const all = known === undefined || !isHeld ? [] : known.service.tasks
      .filter((task) => task.container !== null && (only === undefined || task.id === only))
      .map((task) => ({ known, task }));
    const isWanted = ({ task }: KnownTask) => isAll || task.desired || task.state === "lost";
    return {
      isHeld,
      wanted: all.filter(isWanted),
      replaced: all.filter((one) => !isWanted(one)),
      fateOf: (task) => {
        if (known === undefined) return "ended";
        if (!isHeld) return "hidden";
        return hasEnded(tasksById(known).get(task)) ? "ended" : "goesOn";
      },
    };
  };
}

/** Returns true if the task writes no more. One whose node is down may. */
function hasEnded(task: RunningTask | undefined): boolean {
  const state = task?.state;
  return state === undefined || state === "completed" || state === "failed" || state === "stopped";
}

/** Made once for each state of memory: logs look at it several times a second. */
const services = new WeakMap<RunningServices, ReadonlyMap<string, KnownService>>();
const tasks = new WeakMap<KnownService, ReadonlyMap<string, RunningTask>>();

const servicesByKey = (all: RunningServices) =>
  kept(services, all, () => new Map(all.items.map((one) => [serviceKey(one.service), one])));

const tasksById = (known: KnownService) =>
  kept(tasks, known, () => new Map(known.service.tasks.map((one) => [one.id, one])));

function kept<Key extends object, Value>(all: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const found = all.get(key) ?? make();
  all.set(key, found);
  return found;
}
