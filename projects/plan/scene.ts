/** All that a plan is worked out from: the group as declared, and its project on one engine as it is. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { join, type RealPath, runningProjects } from "../../artifacts/live/join.ts";
import type { RegisteredModel } from "../../artifacts/live/tool_projects.ts";
import { ServiceError } from "../../core/error.ts";
import type {
  Backend,
  ContainerRuntime,
  Holdings,
  InspectedContainer,
  RunningContainer,
} from "../../core/runtime.ts";
import type { Declared } from "../fields/field.ts";
import { differencesOf, type FieldDifference } from "../fields/table.ts";
import { engineViews, viewFor } from "../drift/look.ts";
import type { Draft } from "./draft.ts";
import type { PlanRequest } from "./plan_shape.ts";

/** A container of the project, and how it differs from its unit. */
export interface Member {
  readonly container: InspectedContainer;
  readonly differences: readonly FieldDifference[];
}

export interface Scene {
  readonly model: Model;
  readonly group: Group;
  readonly workspace: { readonly id: string; readonly name: string };
  readonly backend: Backend;
  /** By the label of their service, in order of their numbers. */
  readonly members: ReadonlyMap<string, readonly Member[]>;
  /** Containers of the project whose service is not in the files. */
  readonly orphans: readonly RunningContainer[];
  readonly holdings: WholeHoldings;
  readonly runtime: ContainerRuntime;
}

/** With every network and volume: who sees a part of an engine only cannot plan for it. */
type WholeHoldings = Holdings & {
  readonly networks: NonNullable<Holdings["networks"]>;
  readonly volumes: NonNullable<Holdings["volumes"]>;
};

const isWhole = (holdings: Holdings): holdings is WholeHoldings =>
  holdings.networks !== null && holdings.volumes !== null;

/** Where a plan is asked for. */
export interface Asked {
  readonly model: Model;
  readonly group: Group;
  readonly workspace: { readonly id: string; readonly name: string };
  /** Every registered workspace: two groups may claim one project. */
  readonly registered: readonly RegisteredModel[];
  readonly runtime: ContainerRuntime;
  readonly request: PlanRequest;
  readonly real: RealPath;
}

/** Containers that are inspected at a time. */
const AT_ONCE = 8;

/** Looks at the engine. Throws `engine_unavailable`, with its name. */
export async function look(asked: Asked, draft: Draft): Promise<Scene> {
  const { model, group, runtime, workspace } = asked;
  const all = await runtime.containers();
  const own = await ownContainers(asked, all, draft);
  const backend = engineOf(asked, own, draft);
  const containers = own.filter((container) => container.backend === backend.name);
  const holdings = await runtime.holdings();
  if (holdings === null || !isWhole(holdings)) throw away(backend.name, "it does not answer");
  const view = engineViews(runtime, holdings, all)(backend.name);
  const units = new Map(group.units.map((unit) => [unit.label, unit]));
  const members = new Map<string, Member[]>();
  const orphans: RunningContainer[] = [];
  const jobs = [...containers].sort(byNumber);
  for (const container of jobs) {
    const label = container.compose!.service; // only labelled ones are joined
    if (units.get(label)?.service) members.set(label, []);
    else orphans.push(container);
  }
  let next = 0;
  const compared = new Map<string, Member>();
  const work = async () => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const of = declaredOf(model, group, units.get(job.compose!.service)); // as above
      if (of === null) continue;
      const container = await runtime.inspect(job.id, job.backend);
      const whole = await viewFor(of, container, view, asked.real);
      compared.set(job.id, { container, differences: differencesOf(of, container, whole) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, jobs.length) }, work));
  for (const { id, compose } of jobs) {
    const member = compared.get(id);
    if (member !== undefined) members.get(compose!.service)?.push(member); // as above
  }
  return { model, group, workspace, backend, members, orphans, holdings, runtime };
}

/** Null for a unit that is no service. */
export function declaredOf(model: Model, group: Group, unit: Unit | undefined): Declared | null {
  return unit === undefined || unit.service === null ? null : { model, group, unit, service: unit.service };
}

const numberOf = ({ labels }: RunningContainer): number =>
  Number(labels["com.docker.compose.container-number"] ?? "") || 0;

const byNumber = (a: RunningContainer, b: RunningContainer): number =>
  numberOf(a) - numberOf(b) || (a.name < b.name ? -1 : 1);

/**
 * The containers that certainly belong to the group. One that only carries its project's name blocks the plan: its
 * labels may be forged, or another folder may have started it.
 */
async function ownContainers(
  { model, group, real }: Asked,
  all: readonly RunningContainer[],
  draft: Draft,
): Promise<RunningContainer[]> {
  // One by one: a project's first container does not speak for the others.
  const each = all.flatMap((container) => runningProjects([container]));
  const { joined, ambiguous, strangers } = await join(model, each, real);
  const names = (of: readonly { readonly containers: readonly RunningContainer[] }[]) =>
    of.flatMap(({ containers }) => containers).map(({ name }) => `"${name}"`).join(", ");
  const mine = joined.filter((one) => one.group === group);
  const sure = mine.filter(({ match }) => match.confidence === "certain");
  const unsure = mine.filter(({ match }) => match.confidence !== "certain").map(({ running }) => running);
  const at = group.projectFrom.at;
  if (unsure.length > 0) {
    const message = `Containers match this group by a guess alone (${names(unsure)}): say in berth.yaml ` +
      `under "projects" to which group they belong`;
    draft.block("project/guess", message, at, group.id);
  }
  const doubtful = ambiguous.filter(({ groups }) => groups.includes(group)).map(({ running }) => running);
  if (doubtful.length > 0) {
    const message =
      `Containers could belong to several groups (${names(doubtful)}): say in berth.yaml under ` +
      `"projects" to which`;
    draft.block("project/ambiguous", message, at, group.id);
  }
  const others = [...strangers, ...joined.filter((one) => one.group !== group).map(({ running }) => running)];
  const foreign = others.filter(({ project }) => project === group.project);
  if (foreign.length > 0) {
    const message = `Containers carry the project name "${group.project}" and come from elsewhere ` +
      `(${names(foreign)}): remove them, or give one of the projects another name`;
    draft.block("project/foreign-container", message, at, group.id);
  }
  return sure.flatMap(({ running }) => running.containers);
}

function engineOf(
  { runtime, request, group }: Asked,
  own: readonly RunningContainer[],
  draft: Draft,
): Backend {
  const backends = runtime.backends();
  const runs = [...new Set(own.map(({ backend }) => backend))].sort();
  const name = request.backend ?? runs[0] ?? backends.find((one) => one.default)?.name;
  const backend = backends.find((one) => one.name === name);
  if (backend === undefined) {
    throw new ServiceError(
      "invalid_request",
      name === undefined
        ? "Cannot plan: there is no engine; see /api/system/backends"
        : `Cannot plan: there is no engine "${name}"; see /api/system/backends`,
    );
  }
  if (backend.state !== "up") throw away(backend.name, backend.reason ?? backend.state);
  if (request.backend === undefined && runs.length > 1) {
    const message = `The project runs on several engines (${runs.join(", ")}): name one as "backend"`;
    draft.block("project/several-engines", message, group.projectFrom.at, group.id);
  }
  return backend;
}

const away = (name: string, why: string): ServiceError =>
  new ServiceError("engine_unavailable", `Cannot plan: engine "${name}" is not available: ${why}`);

/** Every main group, in any workspace, that has the same project name. */
export function namesakes({ group, registered, workspace }: Asked): string[] {
  return registered.flatMap(({ workspace: { id, name }, model }) =>
    mainGroups(model)
      .filter((other) => other.project === group.project && other.value !== null)
      .filter((other) => id !== workspace.id || other.id !== group.id)
      .map((other) => `"${other.name}" in ${name}`)
  );
}
