/** The tasks of a service at this moment, for applies that wait for them: memory may be seconds old. */
import type { HeldTask, HeldTasks } from "../../../core/stack_acts.ts";
import { at } from "../../../engines/calls/path.ts";
import { listOf, numberOf, objectOf, textOf, type Wire } from "../../../engines/calls/wire.ts";
import type { Cluster } from "../mirror/cluster.ts";
import { shownTask, taskRow } from "../rows/task.ts";

/** The service of a task. */
interface Of extends Pick<HeldTask, "isNewest" | "isOfRun"> {
  readonly name: string;
  /** The text of the definition that its newest tasks are made from. */
  readonly template: string;
}

export async function tasksOf(cluster: Cluster, id: string): Promise<HeldTasks> {
  const doing = "read the tasks of a service";
  const { managers } = cluster;
  const wire = objectOf(await managers.get(at`/services/${id}`, doing));
  const answer = await managers.get(at`/tasks`, doing, { filters: JSON.stringify({ service: [id] }) });
  const tasks = listOf(answer).map(objectOf);
  const spec = objectOf(wire.Spec);
  const template = objectOf(spec.TaskTemplate);
  const mode = objectOf(spec.Mode);
  const condition = textOf(objectOf(template.RestartPolicy).Condition) || "any";
  const isJob = mode.ReplicatedJob !== undefined || mode.GlobalJob !== undefined;
  const run = numberOf(objectOf(objectOf(wire.JobStatus).JobIteration).Index);
  const newest = newestOf(tasks);
  return {
    tasks: tasks.flatMap((one) =>
      taskOf(cluster, one, {
        name: textOf(spec.Name),
        template: madeFrom(template),
        isNewest: newest.has(textOf(one.ID)),
        isOfRun: !isJob || numberOf(objectOf(one.JobIteration).Index) === run,
      }) ?? []
    ),
    wanted: wantedOf(mode),
    isJob,
    mayEnd: isJob || condition !== "any",
    isOnce: condition === "none",
  };
}

function taskOf(
  cluster: Cluster,
  wire: Wire,
  { name, template, isNewest, isOfRun }: Of,
): HeldTask | null {
  const row = taskRow(wire);
  if (row === null) return null;
  const nodes = new Map(cluster.nodes.map((one) => [one.id, one]));
  const shown = shownTask(row, {
    name,
    made: row.made,
    node: (id) => {
      const node = nodes.get(id);
      return node && { name: node.name, isDown: node.state === "down" };
    },
    engine: (id) => nodes.get(id)?.backend ?? null,
  });
  return { ...shown, current: madeFrom(objectOf(wire.Spec)) === template, isNewest, isOfRun };
}

/** Returns a text that is equal for a task and the definition that it was made from. */
const madeFrom = ({ Runtime: _, ...template }: Wire): string => JSON.stringify(template);

function wantedOf(mode: Wire): number | null {
  if (mode.Replicated !== undefined) return numberOf(objectOf(mode.Replicated).Replicas, 1);
  return mode.ReplicatedJob === undefined ? null : numberOf(objectOf(mode.ReplicatedJob).TotalCompletions, 1);
}

/** Returns the ids of the newest tasks, one of each slot, and of each node where tasks have no slot. */
function newestOf(tasks: readonly Wire[]): ReadonlySet<string> {
  const found = new Map<string, Wire>();
  for (const one of tasks) {
    const slot = numberOf(one.Slot);
    const place = slot > 0 ? String(slot) : textOf(one.NodeID);
    const before = found.get(place);
    if (before === undefined || madeAt(before) < madeAt(one)) found.set(place, one);
  }
  return new Set([...found.values()].map((one) => textOf(one.ID)));
}

/** Returns a moment that sorts as text: an engine writes as many digits as it needs. */
function madeAt({ CreatedAt }: Wire): string {
  const [whole = "", digits = ""] = textOf(CreatedAt).replace("Z", "").split(".");
  return `${whole}.${digits.padEnd(9, "0")}`;
}
