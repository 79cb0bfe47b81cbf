/** Scales, restarts, rolls back and removes services; each is looked at first, and sent once. */
import { ServiceError } from "../../../core/error.ts";
import { sentOrShown } from "../../../engines/calls/lost_answer.ts";
import { at } from "../../../engines/calls/path.ts";
import { listOf, mapOf, numberOf, objectOf, textOf, type Wire } from "../../../engines/calls/wire.ts";
import { maskObject } from "../../../engines/rows/mask.ts";
import type { KnownService } from "../../../core/running_services.ts";
import type { IsOwnObject } from "../../../core/stack_acts.ts";
import { swarmError } from "../errors.ts";
import { NAMESPACE } from "../rows/service.ts";
import type { Cluster } from "../mirror/cluster.ts";
import { type Current, currentService, mustTakeChanges } from "./current.ts";
import { Placement } from "./placement.ts";
import { gainedRights } from "./host_rights.ts";
import type { ServiceChange, ServiceRemoval } from "./said.ts";
import { changesBetween } from "./spec_changes.ts";
import { updateService } from "./update_service.ts";

/** A service that was found, with its swarm. */
export type Found = KnownService & { readonly in: Cluster };

export interface Manner {
  readonly isDryRun: boolean;
  /** True if the caller may see definitions. */
  readonly maySee: boolean;
  /** True if the caller may see the nodes of the swarm. */
  readonly maySeeNodes: boolean;
  /** True if the caller may give a service rights on hosts. */
  readonly mayHost: boolean;
}

/** Tasks whose places are looked for: more are not started by hand. */
const MOST_PLACED = 100;

const tasksOf = ({ service }: Found): number =>
  service.tasks.filter(({ desired, state }) => desired && state !== "completed").length;

interface Intent extends Pick<ServiceChange, "starts" | "stops" | "replaces"> {
  readonly spec: Wire;
  readonly isRollback?: boolean;
  readonly isShown: (now: Current) => boolean;
}

/** Throws `invalid_request` for a service whose number of tasks is not chosen. */
export async function scale(found: Found, replicas: number, manner: Manner): Promise<ServiceChange> {
  const doing = `scale service "${found.service.name}"`;
  return await change(found, doing, manner, (now) => {
    const mode = objectOf(now.spec.Mode);
    if (mode.Replicated === undefined) {
      const isJob = mode.ReplicatedJob !== undefined || mode.GlobalJob !== undefined;
      const why = isJob ? "it is a job" : "each node runs one task of it";
      throw swarmError("invalid_request", `Cannot ${doing}: ${why}`);
    }
    const from = numberOf(objectOf(mode.Replicated).Replicas, 1);
    return {
      spec: { ...now.spec, Mode: { ...mode, Replicated: { Replicas: replicas } } },
      starts: Math.max(0, replicas - from),
      stops: Math.max(0, from - replicas),
      replaces: 0,
      isShown: ({ spec }) => numberOf(objectOf(objectOf(spec.Mode).Replicated).Replicas, -1) === replicas,
    };
  });
}

/** Replaces every task by a new one of the same definition. */
export async function restart(found: Found, manner: Manner): Promise<ServiceChange> {
  return await change(found, `restart service "${found.service.name}"`, manner, (now) => {
    const template = objectOf(now.spec.TaskTemplate);
    const next = numberOf(template.ForceUpdate) + 1;
    return {
      spec: { ...now.spec, TaskTemplate: { ...template, ForceUpdate: next } },
      starts: 0,
      stops: 0,
      replaces: tasksOf(found),
      isShown: ({ spec }) => numberOf(objectOf(spec.TaskTemplate).ForceUpdate) === next,
    };
  });
}

/** Returns to the definition before. Throws `nothing_to_roll_back`, `previous_secret_gone` and `forbidden`. */
export async function rollBack(found: Found, manner: Manner): Promise<ServiceChange> {
  const doing = `roll back service "${found.service.name}"`;
  return await change(found, doing, manner, async (now) => {
    const previous = objectOf(now.wire.PreviousSpec);
    if (changesBetween(now.spec, previous).length === 0 || Object.keys(previous).length === 0) {
      throw swarmError(
        "nothing_to_roll_back",
        `Cannot ${doing}: the swarm remembers no other definition of it than that of now`,
      );
    }
    const ownFiles = await mustHaveObjects(found.in, previous, doing, stackOf(now.spec));
    // Names of networks and volumes say nothing of their owner: another project may have made them since.
    const isOwn: IsOwnObject = (kind, id) => (kind === "secret" || kind === "config") && ownFiles.has(id);
    if (gainedRights(previous, now.spec, isOwn).length > 0 && !manner.mayHost) {
      throw swarmError(
        "forbidden",
        `Cannot ${doing}: the definition before reaches hosts in a way that the one of now does not, ` +
          'which needs the permission "projects:host"',
      );
    }
    const [from, to] = [replicasOf(now.spec), replicasOf(previous)];
    const isOther =
      changesBetween(objectOf(now.spec.TaskTemplate), objectOf(previous.TaskTemplate)).length > 0;
    return {
      spec: previous,
      isRollback: true,
      starts: Math.max(0, (to ?? 0) - (from ?? 0)),
      stops: Math.max(0, (from ?? 0) - (to ?? 0)),
      replaces: isOther ? Math.min(tasksOf(found), to ?? Infinity) : 0,
      isShown: ({ spec }) => changesBetween(spec, previous).length === 0,
    };
  });
}

const replicasOf = (spec: Wire): number | null => {
  const { Replicated } = objectOf(spec.Mode);
  return Replicated === undefined ? null : numberOf(objectOf(Replicated).Replicas, 1);
};

const stackOf = (wire: Wire): string | undefined => mapOf(wire.Labels)[NAMESPACE];

/**
 * Returns the ids of those secrets and configs that are of this stack. Throws `previous_secret_gone` where one of the
 * definition was removed meanwhile.
 */
async function mustHaveObjects(
  { managers }: Cluster,
  spec: Wire,
  doing: string,
  stack: string | undefined,
): Promise<ReadonlySet<string>> {
  const container = objectOf(objectOf(spec.TaskTemplate).ContainerSpec);
  const named = [
    { what: "secret", path: at`/secrets`, refs: listOf(container.Secrets).map(objectOf), id: "SecretID" },
    { what: "config", path: at`/configs`, refs: listOf(container.Configs).map(objectOf), id: "ConfigID" },
  ];
  const own = new Set<string>();
  for (const { what, path, refs, id } of named) {
    if (refs.length === 0) continue;
    const all = listOf(await managers.get(path, doing)).map(objectOf);
    const there = new Set(all.map((one) => textOf(one.ID)));
    for (const one of all) {
      if (stack !== undefined && stackOf(objectOf(one.Spec)) === stack) own.add(textOf(one.ID));
    }
    const gone = refs.find((one) => !there.has(textOf(one[id])));
    if (gone === undefined) continue;
    const name = textOf(gone[what === "secret" ? "SecretName" : "ConfigName"]);
    throw swarmError(
      "previous_secret_gone",
      `Cannot ${doing}: the ${what} "${name}" of the definition before was removed, so no task of it could start`,
    );
  }
  return own;
}

async function change(
  found: Found,
  doing: string,
  { isDryRun, maySee, maySeeNodes }: Manner,
  intend: (now: Current) => Intent | Promise<Intent>,
): Promise<ServiceChange> {
  const { in: cluster, service: { id, name } } = found;
  const nodes = await mustTakeChanges(cluster, doing);
  const now = await currentService(cluster, id, doing);
  const { spec, isRollback = false, isShown, ...tasks } = await intend(now);
  const changes = changesBetween(now.spec, spec);
  const hasChanges = changes.length > 0;
  const said = {
    id,
    name,
    dryRun: isDryRun,
    changes: maySee ? changes : [],
    ...tasks,
    waits: await waitsOf(found, nodes, { spec, starts: tasks.starts, maySeeNodes, doing }),
    spec: isRollback && maySee ? maskObject(spec) as Record<string, unknown> : null,
  };
  if (isDryRun || !hasChanges) return { ...said, changed: false };
  // The swarm takes the definition before from its own memory.
  const sent = isRollback ? now.spec : spec;
  await updateService(cluster, { id, version: now.version, spec: sent, isRollback, doing, isShown });
  return { ...said, changed: true };
}

/** Returns those of further tasks that no node takes. */
async function waitsOf(
  { in: { managers }, service: { id, name, tasks } }: Found,
  nodes: readonly Wire[],
  { spec, starts, maySeeNodes, doing }: {
    readonly spec: Wire;
    readonly starts: number;
    readonly maySeeNodes: boolean;
    readonly doing: string;
  },
): Promise<ServiceChange["waits"]> {
  if (starts === 0) return [];
  const { running, services } = await placesOf(managers, doing);
  const placement = new Placement(nodes, running, services);
  const used = new Set(tasks.filter(({ desired }) => desired).map(({ slot }) => slot));
  const waits: ServiceChange["waits"] = [];
  let slot = 0;
  for (let number = 0; number < Math.min(starts, MOST_PLACED); number += 1) {
    do slot += 1; while (used.has(slot));
    const reason = placement.place(id, spec, maySeeNodes);
    if (reason !== null) waits.push({ task: `${name}.${slot}`, reason });
  }
  return waits;
}

/** Reads the tasks that are to run, and the definitions of all services. */
export async function placesOf(
  managers: Cluster["managers"],
  doing: string,
): Promise<{ readonly running: readonly Wire[]; readonly services: ReadonlyMap<string, Wire> }> {
  const [tasks, services] = await Promise.all([
    managers.get(at`/tasks`, doing, { filters: JSON.stringify({ "desired-state": ["running"] }) }),
    managers.get(at`/services`, doing),
  ]);
  return {
    running: listOf(tasks).map(objectOf),
    services: new Map(
      listOf(services).map(objectOf).map((one) => [textOf(one.ID), objectOf(one.Spec)]),
    ),
  };
}

export async function remove(found: Found, isDryRun: boolean): Promise<ServiceRemoval> {
  const { in: cluster, service: { id, name } } = found;
  const doing = `remove service "${name}"`;
  await mustTakeChanges(cluster, doing);
  await currentService(cluster, id, doing);
  const said = { id, name, dryRun: isDryRun, removed: !isDryRun, stops: tasksOf(found) };
  if (isDryRun) return said;
  await sentOrShown(
    async () => void await cluster.managers.send("DELETE", at`/services/${id}`, { doing }),
    async () => {
      try {
        await currentService(cluster, id, doing);
        return null;
      } catch (error) {
        if (error instanceof ServiceError && error.code === "service_not_found") return undefined;
        throw error;
      }
    },
  );
  return said;
}
