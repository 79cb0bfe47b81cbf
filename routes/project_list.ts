/** All projects that a caller sees, each with its row and its units. */
import { type Principal, type Reach, reachOf } from "../core/access.ts";
import { holdsService, type KnownService, reachOfServices } from "../core/running_services.ts";
import { type ContainerRuntime, reachOfRunning, type RunningContainer } from "../core/runtime.ts";
import { runtimeSeen } from "../core/sight.ts";
import { type ComparedOptions, type ComparedProject, type Comparison, countsOf } from "./compared.ts";
import { compareAll } from "./compare_all.ts";
import { containersOf, undeclaredStacks } from "./stack_rows.ts";
import type { Seen } from "./compared_answers.ts";
import type { UpdateRules } from "../core/updates.ts";
import type * as z from "../core/schema.ts";
import type { KnownUpdates } from "../projects/updates/updates.ts";
import type { Ignored } from "./ignored.ts";
import { type ProjectUpdates, projectUpdatesOf } from "./project_update_rules.ts";
import { newerIn, updateFacts, type UpdateItem, updatesOf } from "./project_updates.ts";
import {
  type Away,
  byWorst,
  declaredRow,
  finished,
  type Finishes,
  type LooseContainers,
  looseContainers,
  portsOf,
  type ProjectRow,
  undeclaredRows,
} from "./project_rows.ts";

/** What an id stands for: a declared project, or the containers of one that only runs. */
export interface Known {
  readonly declared: ComparedProject | null;
  readonly containers: readonly RunningContainer[];
  /** The services of a stack that only runs. */
  readonly services?: readonly KnownService[];
}

export interface ProjectList {
  /** The rules, and the images of each declared project by its row's id. */
  readonly updates: UpdateRules & {
    readonly items: ReadonlyMap<string, readonly UpdateItem[]>;
    readonly projects: readonly z.input<typeof ProjectUpdates>[];
  };
  /** The worst first. */
  readonly rows: readonly ProjectRow[];
  readonly known: ReadonlyMap<string, Known>;
  readonly finishes: Finishes;
  readonly counts: ReturnType<typeof countsOf>;
  readonly loose: readonly LooseContainers[];
  /** The containers without a project, by `<name>@engine:<engine>`. */
  readonly single: ReadonlyMap<string, RunningContainer>;
  readonly engines: readonly Pick<
    ReturnType<ContainerRuntime["backends"]>[number],
    "name" | "state" | "reason" | "stale"
  >[];
  readonly liveNeeds: Comparison["liveNeeds"];
  /** Returns true for a container of a declared project. */
  readonly isDeclared: (container: RunningContainer) => boolean;
}

interface Listing {
  readonly principal: Principal;
  readonly reach: Reach;
  /** Of the list that this one replaces. */
  readonly before: Finishes;
  readonly ignored: Ignored;
  readonly updates: KnownUpdates;
  readonly now: number;
}

export async function listProjects(
  options: ComparedOptions,
  { models, shown }: Seen,
  { principal, reach, before, ignored, updates, now }: Listing,
): Promise<ProjectList> {
  const { projects, declared, liveNeeds } = await compareAll(options, { models, principal, reach });
  const engines = options.runtime();
  const sight = options.sights.of(reachOfRunning(principal));
  const seen = engines === null || sight.reach.nowhere ? null : runtimeSeen(engines, sight);
  const ports = portsOf(await seen?.holdings() ?? null);
  const away = awayOf(seen);
  const facts = await updateFacts(seen === null ? null : engines, updates);
  const { enabled, coolDownDays } = updates;
  const items = new Map(
    (seen === null ? [] : projects).map((one) =>
      [`${one.group.name}@${one.workspace.id}`, updatesOf(one, facts, updates, now)] as const
    ),
  );
  const claimed = new Set(projects.flatMap(({ containers }) => containers));
  const services = seen?.services?.().items ?? [];
  const units = projects.flatMap(({ units }) => units);
  const ownServices = new Set(
    units.flatMap(({ service }) => service === undefined ? [] : `${service.cluster} ${service.id}`),
  );
  const ofServices = reachOfServices(principal);
  const shownServices = services.filter((one) => holdsService(ofServices, one));
  const stacks = undeclaredStacks(shownServices, ownServices, shown, ignored);
  const ofStacks = new Set(
    shownServices.filter(({ service }) => service.stack !== null).flatMap(({ service }) =>
      containersOf(service)
    ),
  );
  const others = shown.filter((one) =>
    !claimed.has(one) && !declared.has(one) &&
    !(ofStacks.size > 0 && ofStacks.has(`${one.backend} ${one.id}`))
  );
  const known = new Map<string, Known>(
    projects.map((
      one,
    ) => [`${one.group.name}@${one.workspace.id}`, { declared: one, containers: one.containers }]),
  );
  const made = [
    ...projects.map((project) => {
      const newer = newerIn(items.get(`${project.group.name}@${project.workspace.id}`) ?? []);
      return declaredRow(project, declared, { ports, away, newer });
    }),
    ...undeclaredRows(others, ports, ignored),
    ...stacks.map(({ row }) => row),
  ];
  for (const { row: { id }, services, containers } of stacks) {
    known.set(id, { declared: null, containers, services });
  }
  const undeclared = Map.groupBy(
    others,
    ({ compose, backend }) => compose === null ? "" : `${compose.project}@engine:${backend}`,
  );
  for (const { id } of made) {
    if (!known.has(id)) known.set(id, { declared: null, containers: undeclared.get(id) ?? [] });
  }
  const { rows, finishes } = finished(made, (id) => {
    const { declared, containers, services = [] } = known.get(id)!; // as the loop above says
    const kept = services.map(({ service }) => service);
    return declared === null ? [...containers, ...kept] : [declared.units, ...containers];
  }, before);
  return {
    updates: {
      enabled,
      coolDownDays,
      items,
      projects: projectUpdatesOf(updates, (project) => known.has(project)),
    },
    rows: rows.sort(byWorst),
    known,
    finishes,
    counts: countsOf(
      rows.filter(({ workspace }) => workspace !== null),
      rows.filter(({ workspace, ignored }) => workspace === null && !ignored).length,
    ),
    loose: looseContainers(others, ignored),
    single: new Map(
      others.filter(({ compose }) => compose === null).map((
        one,
      ) => [`${one.name}@engine:${one.backend}`, one]),
    ),
    isDeclared: (one) => claimed.has(one) || declared.has(one),
    engines: (engines?.backends() ?? []).filter(({ name }) =>
      reachOf(principal, "system:read").has({ engine: name })
    ).map(({ name, state, reason, stale }) => ({
      name,
      state,
      ...(reason !== undefined && { reason }),
      ...(stale !== undefined && { stale }),
    })),
    liveNeeds,
  };
}

/** Returns the engines in scope that do not answer. */
function awayOf(seen: ContainerRuntime | null): Away {
  const since = new Map(seen?.backends().map((one) => [one.name, one.since ?? null]) ?? []);
  return new Map([...seen?.unheard().keys() ?? []].map((name) => [name, since.get(name) ?? null]));
}
