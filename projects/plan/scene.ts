/** All that a plan is worked out from: the group as declared, and its project on one engine as it is. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { join, type RealPath, runningProjects } from "../../artifacts/live/join.ts";
import { rootOf } from "../../artifacts/live/mapped_paths.ts";
import { isInside } from "../../artifacts/files/inside.ts";
import { ofStack } from "../../artifacts/live/stacks.ts";
import type { RegisteredModel } from "../../artifacts/live/tool_projects.ts";
import { asideFor } from "../../core/applies.ts";
import type { Reach } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import {
  type Backend,
  type ContainerRuntime,
  type Holdings,
  type HostSight,
  type InspectedContainer,
  type RunningContainer,
  SEES_RUNNING,
  type Untold,
} from "../../core/runtime.ts";
import type { SwarmRuntime } from "../../core/stacks.ts";
import { holdsService } from "../../core/running_services.ts";
import { NO_REMEDY, planWith, type Remedies, remediesOr, type Remedy } from "../../core/remedy.ts";
import type { Sight } from "../../core/sight.ts";
import { contentsOf, type OwnSide } from "../drift/contents.ts";
import type { Digest } from "../fields/engine_view.ts";
import type { Declared } from "../fields/field.ts";
import { platformOf } from "../fields/identity.ts";
import { fullImage, imageNames } from "../fields/process.ts";
import { differencesOf } from "../fields/table.ts";
import { projectOf } from "../hash/labels.ts";
import { loopsIn, placesOf, sourcesOf } from "../specs/bind_sources.ts";
import type { Placed } from "../specs/host_places.ts";
import { pullEveryMs } from "./pull_policy.ts";
import { engineViews, remembering, sourcesOnce, viewFor } from "../drift/views.ts";
import { type Draft, edited } from "./draft.ts";
import { compareAll, type Member, sorted } from "./members.ts";
import type { PlanRequest } from "./plan_shape.ts";
import { blockByOtherName } from "./other_name.ts";

export interface Scene {
  readonly model: Model;
  readonly group: Group;
  readonly workspace: { readonly id: string; readonly name: string };
  readonly backend: Backend;
  /** By the label of their service, in order of their numbers. */
  readonly members: ReadonlyMap<string, readonly Member[]>;
  /** Containers of a unit that ended applies left beside its members, by the label of the service. */
  readonly leftovers: ReadonlyMap<string, readonly RunningContainer[]>;
  /** Containers of the project whose service is not in the files. */
  readonly orphans: readonly RunningContainer[];
  /** Every container of the engine, of the project or not, by its name. */
  readonly named: ReadonlyMap<string, RunningContainer>;
  readonly holdings: WholeHoldings;
  readonly runtime: ContainerRuntime;
  readonly digest: Digest;
  /** Of secrets and configs, by their ids. */
  readonly contents: ReadonlyMap<string, string>;
  /** When images were last pulled that are to be pulled again after a while, by full name. */
  readonly pulledAt: ReadonlyMap<string, number>;
  /** Units whose image is there, and for another platform than theirs, by id. */
  readonly foreign: ReadonlySet<string>;
  /** The engine's sight of the workspace's folder; "same" where no container mounts a part of it. */
  readonly hostSight: HostSight;
  /** The places that the sources of bind mounts lead to now. */
  readonly places: ReadonlyMap<string, Placed>;
  /** Sources of bind mounts that are loops of links. */
  readonly loops: ReadonlySet<string>;
  /** The names on the engine that the caller may see. */
  readonly sees: Sees;
  /** True if the caller may see the values of variables that are no secrets. */
  readonly showsValues: boolean;
}

/** Tells if the caller may know of a thing on the engine of the plan. */
interface Sees {
  container(container: { readonly id: string }): boolean;
  /** A network or volume. */
  resource(labels: Readonly<Record<string, string>>): boolean;
}

/** With every network and volume. */
type WholeHoldings = Holdings & {
  readonly networks: NonNullable<Holdings["networks"]>;
  readonly volumes: NonNullable<Holdings["volumes"]>;
};

const isWhole = (holdings: Holdings): holdings is WholeHoldings =>
  holdings.networks !== null && holdings.volumes !== null;

/** A digest that a registry has instead of what runs. */
export interface NewerImage {
  readonly digest: string;
  /** True while it cools down, and where its container went back to the old image before. */
  readonly isHeld: boolean;
}

export type NewerOf = (unit: Unit, containers: readonly RunningContainer[]) => NewerImage | null;

/** The group of a plan, its workspace, the request, and the caller's scopes. */
export interface Asked {
  readonly model: Model;
  readonly group: Group;
  readonly workspace: { readonly id: string; readonly name: string };
  /** Of the workspace as the caller sees it. */
  readonly revision: string;
  /** Every registered workspace: two groups may claim one project. */
  readonly registered: readonly RegisteredModel[];
  readonly runtime: SwarmRuntime;
  readonly request: PlanRequest;
  readonly real: RealPath;
  readonly own: OwnSide;
  /** The caller's scope of all that runs. */
  readonly sight: Sight;
  /** The files that the caller may read. */
  readonly readable: Reach;
  /** Returns the newer image of a unit that runs as these containers; null for none, and where the caller asks for no update. */
  readonly newerOf: NewerOf;
  /** True if the caller holds `projects:host` on the project. */
  readonly mayReachHost: boolean;
}

/** Lists anew what the engine does not announce, and the plan may be about. */
async function listAnew(runtime: ContainerRuntime, backend: Backend, group: Group): Promise<void> {
  const kinds: Untold[] = backend.kind === "podman" ? ["networks", "containers"] : [];
  if (group.units.some(({ service }) => service?.build)) kinds.push("images");
  await Promise.all(kinds.map((kind) =>
    runtime.relist(backend.name, kind).catch(() => {
      throw away(backend.name, runtime.unheard().get(backend.name) ?? `it does not list its ${kind}`);
    })
  ));
}

/**
 * Looks at all that runs, and names nothing that the caller does not see. Throws `engine_unavailable`, and `forbidden`
 * for callers who do not see the whole project.
 */
export async function look(asked: Asked, draft: Draft): Promise<Scene> {
  const { model, group, runtime, workspace, sight, own: side } = asked;
  const all = await runtime.containers();
  await sight.settle();
  const own = await ownContainers(asked, all, draft);
  const backend = engineOf(asked, own, draft);
  const subject = { engine: backend.name, workspace: workspace.id, project: group.project };
  if (!own.every((container) => sight.sees(container)) || !sight.reach.has(subject)) {
    throw unseen(group.project);
  }
  const containers = own.filter((container) => container.backend === backend.name);
  await listAnew(runtime, backend, group);
  const holdings = await runtime.holdings();
  if (holdings === null) throw away(backend.name, "it does not answer");
  if (!isWhole(holdings)) throw away(backend.name, "not every engine lists its networks and volumes");
  const seen = new Map(all.filter((one) => sight.sees(one)).map((one) => [one.id, one]));
  const view = (await engineViews(runtime, holdings, [...seen.values()], model)).of(backend.name);
  const contents = await contentsOf(group, side);
  const disk = { real: remembering(asked.real), source: sourcesOnce(), digest: side.digest, contents };
  const { jobs, members, leftovers, orphans } = sorted(group, containers);
  const units = new Map(group.units.map((unit) => [unit.label, unit]));
  const declared = (label: string) => declaredOf(model, group, units.get(label));
  const compare = async (container: InspectedContainer, of: Declared) =>
    differencesOf(of, container, await viewFor(of, container, view, disk));
  await compareAll({ jobs, members, runtime, declared, compare });
  const hostSight = await sightFor(model, group, runtime, backend.name);
  const mounting = { model, group, engine: backend.name, holdings, sight: () => Promise.resolve(hostSight) };
  const places = await placesOf(mounting, sourcesOf(model, group));
  return {
    pulledAt: await pulledAtOf(asked, backend.name),
    foreign: await foreignIn(asked, backend.name, holdings),
    hostSight,
    places,
    loops: await loopsIn(model, places.keys()),
    model,
    group,
    workspace,
    backend,
    members,
    leftovers,
    orphans,
    named: new Map(all.flatMap((one) => one.backend === backend.name ? [[one.name, one]] : [])),
    holdings,
    runtime,
    digest: side.digest,
    contents,
    showsValues: sight.reach.has({ workspace: workspace.id, project: group.project, engine: backend.name }),
    sees: {
      container: ({ id }) => seen.has(id),
      resource: (labels) => {
        const project = projectOf(labels);
        return project === group.project || sight.reach.has({ engine: backend.name, project, labels });
      },
    },
  };
}

/** Returns when the images were last pulled that are pulled again after a while, by full name. */
async function pulledAtOf({ model, group, runtime }: Asked, backend: string): Promise<Map<string, number>> {
  const pulledAt = new Map<string, number>();
  for (const unit of group.units) {
    const of = declaredOf(model, group, unit);
    if (of === null || pullEveryMs(of) === null) continue;
    const name = fullImage(imageNames(of)[0]!); // there is one at least
    const at = await runtime.imageTaggedAt(name, backend);
    if (at !== null) pulledAt.set(name, at);
  }
  return pulledAt;
}

/** Asks the engine only where a platform is written. */
async function foreignIn(
  { model, group, runtime }: Asked,
  backend: string,
  { images }: Holdings,
): Promise<ReadonlySet<string>> {
  const foreign = new Set<string>();
  for (const unit of group.units) {
    const of = declaredOf(model, group, unit);
    const platform = of === null ? "" : platformOf(of);
    if (of === null || platform === "") continue;
    const names = imageNames(of).map(fullImage);
    const held = images.filter((one) => one.backend === backend && names.includes(fullImage(one.name)));
    const areFor = await Promise.all(held.map(({ id }) => runtime.isImageFor(platform, id, backend)));
    if (held.length > 0 && areFor.every((isFor) => isFor === false)) foreign.add(unit.id);
  }
  return foreign;
}

/** Asks the engine only if a container mounts a part of the workspace. */
async function sightFor(
  model: Model,
  group: Group,
  runtime: ContainerRuntime,
  backend: string,
): Promise<HostSight> {
  const isMounted = sourcesOf(model, group).some((source) => isInside(source, model.root));
  return isMounted ? await runtime.sightOf(rootOf(model), backend) : "same";
}

/** Null for a unit that is no service. */
export function declaredOf(model: Model, group: Group, unit: Unit | undefined): Declared | null {
  return unit === undefined || unit.service === null ? null : { model, group, unit, service: unit.service };
}

const unseen = (project: string): ServiceError =>
  new ServiceError(
    "forbidden",
    `Cannot plan: this needs the permission "${SEES_RUNNING}" for all that the project runs`,
    { remedies: [{ kind: "permission", permission: SEES_RUNNING, scope: `project:${project}` }] },
  );

const IN_HAND = "another berth may be replacing one of them: keep them until its apply is over";

/**
 * The containers that certainly belong to the group. One that only carries its project's name blocks the plan: its
 * labels may be forged, or another folder may have started it.
 */
async function ownContainers(
  { model, group, real, runtime, sight }: Asked,
  all: readonly RunningContainer[],
  draft: Draft,
): Promise<RunningContainer[]> {
  // One by one: a project's first container does not speak for the others.
  const each = all.flatMap((container) => runningProjects([container]));
  const { joined, ambiguous, strangers } = await join(model, each, real);
  const names = (of: readonly { readonly containers: readonly RunningContainer[] }[]) =>
    named(of.flatMap(({ containers }) => containers), (one) => sight.sees(one));
  const mine = joined.filter((one) => one.group === group);
  const sure = mine.filter(({ match }) => match.confidence === "certain");
  const unsure = mine.filter(({ match }) => match.confidence !== "certain").map(({ running }) => running);
  const at = group.projectFrom.at;
  if (unsure.length > 0) {
    const message = `Containers match this group by a guess alone (${names(unsure)}): say in berth.yaml ` +
      `under "projects" to which group they belong`;
    draft.block("project/guess", message, at, group.id, settingsOf(model));
  }
  const doubtful = ambiguous.filter(({ groups }) => groups.includes(group)).map(({ running }) => running);
  if (doubtful.length > 0) {
    const message =
      `Containers could belong to several groups (${names(doubtful)}): say in berth.yaml under ` +
      `"projects" to which`;
    draft.block("project/ambiguous", message, at, group.id, settingsOf(model));
  }
  const others = [...strangers, ...joined.filter((one) => one.group !== group).map(({ running }) => running)];
  const foreign = others.filter(({ project }) => project === group.project);
  if (foreign.length > 0) {
    const isInHand = foreign.some(({ containers }) => containers.some(({ name }) => asideFor(name) !== null));
    const message = `Containers carry the project name "${group.project}" and come from elsewhere ` +
      `(${names(foreign)}): ${isInHand ? IN_HAND : "remove them, or give one of the projects another name"}`;
    draft.block("project/foreign-container", message, at, group.id, edited(at));
  }
  blockByOtherName(group, sure.map(({ running }) => running), draft);
  blockByStack({ group, runtime, sight }, all, draft);
  return sure.flatMap(({ running }) => running.containers);
}

/** Its tasks may run where berth has no engine, and its swarm starts a stack of no tasks. */
function blockByStack(
  { group, runtime, sight }: Pick<Asked, "group" | "runtime" | "sight">,
  all: readonly RunningContainer[],
  draft: Draft,
): void {
  const { containers, services } = ofStack(group, all, runtime.services?.());
  if (containers.length === 0 && services.length === 0) return;
  const parts = services.length === 0 ? named(containers, (one) => sight.sees(one)) : named(
    services.map((one) => ({ ...one, name: one.service.name })),
    (one) => holdsService(sight.reach, one),
  );
  const message = `A stack of a swarm runs under the project name "${group.project}" (${parts}): write ` +
    `"x-berth: { target: swarm }" into the file if it is this one, remove it with ` +
    `"docker stack rm ${group.project}" on a manager, or give the project another name`;
  const { at } = group.projectFrom;
  draft.block("project/foreign-container", message, at, group.id, edited(at));
}

/** Returns the remedy of a message that berth.yaml answers. */
export function settingsOf({ files }: Pick<Model, "files">): Remedies {
  const settings = files.find(({ kind }) => kind === "settings");
  if (settings === undefined) return NO_REMEDY("the folder has no berth.yaml to open");
  return [{ kind: "edit", file: settings.path, line: 1 }];
}

/** Throws `engine_unavailable` with each engine that answers and that the caller may plan this project for. */
function engineOf(
  { runtime, request, group, workspace, sight }: Asked,
  own: readonly RunningContainer[],
  draft: Draft,
): Backend {
  const backends = runtime.backends();
  const runs = [...new Set(own.map(({ backend }) => backend))].sort();
  const name = request.backend ?? runs[0] ?? backends.find((one) => one.default)?.name;
  const backend = backends.find((one) => one.name === name);
  const others = backends.filter((one) =>
    one.name !== name && one.state === "up" && one.stale === undefined &&
    sight.reach.has({ engine: one.name, workspace: workspace.id, project: group.project })
  ).map((one) => planWith("backend", one.name));
  if (backend === undefined) {
    throw new ServiceError(
      "invalid_request",
      name === undefined
        ? "Cannot plan: there is no engine; see /api/system/backends"
        : `Cannot plan: there is no engine "${name}"; see /api/system/backends`,
      {
        remedies: name === undefined ? [{ kind: "setting", name: "BERTH_ENGINES", value: EXAMPLE }] : others,
      },
    );
  }
  if (backend.state !== "up" || backend.stale !== undefined) {
    throw away(backend.name, backend.reason ?? backend.state, others);
  }
  const silent = backends.filter(({ state }) => state !== "up").map(({ name }) => name);
  if (request.backend === undefined && runs.length === 0 && silent.length > 0) {
    const message = `Engines do not answer (${
      silent.join(", ")
    }), and the project may already run there: choose the engine to use`;
    const remedies: Remedies = [planWith("backend", backend.name), ...others];
    draft.block("project/several-engines", message, group.projectFrom.at, group.id, remedies);
  }
  if (request.backend === undefined && runs.length > 1) {
    const message = `The project runs on several engines (${runs.join(", ")}): choose the engine to use`;
    const remedies = remediesOr(
      runs.map((one) => planWith("backend", one)),
      NO_REMEDY("there are several of them"),
    );
    draft.block("project/several-engines", message, group.projectFrom.at, group.id, remedies);
  }
  return backend;
}

/** Their names, without those that the caller does not see. */
export function named<T extends { readonly name: string }>(
  list: readonly T[],
  sees: (one: T) => boolean,
): string {
  const shown = list.filter(sees).map(({ name }) => `"${name}"`);
  return [...shown, ...(shown.length < list.length ? ["others that you do not see"] : [])].join(", ");
}

/** A setting that adds an engine. */
const EXAMPLE = "docker=unix:///var/run/docker.sock";

const away = (name: string, why: string, remedies: readonly Remedy[] = []): ServiceError =>
  new ServiceError("engine_unavailable", `Cannot plan: engine "${name}" is not available: ${why}`, {
    discreet: `Cannot plan: engine "${name}" is not available`,
    remedies,
  });

/** Every main group, in any workspace, that has the same project name; empty where there is none. */
export function namesakes({ group, registered, workspace, readable }: Asked): string {
  const others = registered.flatMap(({ workspace: { id, name }, model }) =>
    mainGroups(model)
      .filter((other) => other.project === group.project && other.value !== null)
      .filter((other) => id !== workspace.id || other.id !== group.id)
      .map((other) => ({ name: other.name, workspace: id, in: name, project: other.project }))
  );
  const shown = others.filter((one) => readable.has(one)).map((one) => `"${one.name}" in ${one.in}`);
  return [...shown, ...(shown.length < others.length ? ["one that you do not see"] : [])].join(", ");
}
