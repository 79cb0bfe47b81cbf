/** All that a stack's plan is worked out from: the group as declared, and the swarm as a manager tells it. */

import type { Group, Model, Resource } from "../../artifacts/artifact.ts";
import { pathBelow } from "../../artifacts/files/inside.ts";
import { fullOf } from "../../artifacts/files/paths.ts";
import { followed } from "../../artifacts/files/real_folder.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { isForSwarm, stacksNamed } from "../../artifacts/compose/swarm_target.ts";
import { GROUP_LABEL } from "../../artifacts/live/stacks.ts";
import { valueAt } from "../../artifacts/yaml/values.ts";
import { ServiceError } from "../../core/error.ts";
import { planWith } from "../../core/remedy.ts";
import { holdsCluster, holdsService } from "../../core/running_services.ts";
import { type ContainerRuntime, SEES_RUNNING } from "../../core/runtime.ts";
import type { StackCluster, StackFile, Stacks, StackService, SwarmNow } from "../../core/stacks.ts";
import { contentsOf, type OwnSide } from "../drift/contents.ts";
import type { Digest } from "../fields/engine_view.ts";
import { projectOf } from "../hash/labels.ts";
import { IMAGE_LABEL, STACK_LABEL, stackName } from "../specs/service_spec.ts";
import { type Draft, edited } from "./draft.ts";
import { declaredNow, type Looked, sourcesOf } from "./looked.ts";
import { type Asked, settingsOf } from "./scene.ts";
import { backendOf, isOnSwarm, swarmIn } from "./stack_backend.ts";
import { volumesOf } from "./stack_volumes.ts";

export interface StackScene {
  readonly model: Model;
  readonly group: Group;
  readonly workspace: { readonly id: string; readonly name: string };
  /** The swarm, where a plan for containers has its engine. */
  readonly backend: { readonly name: string };
  readonly cluster: StackCluster;
  readonly stacks: Stacks;
  readonly now: SwarmNow;
  /** The services of the stack by their names. */
  readonly services: ReadonlyMap<string, StackService>;
  readonly runtime: ContainerRuntime;
  readonly digest: Digest;
  /** Digests of secrets and configs, by their ids. */
  readonly contents: ReadonlyMap<string, string>;
  /** Ids of configs, each with the hash of what is declared. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The files of secrets and configs with their links followed, by path; null for a link out of the workspace. */
  readonly leadsTo: ReadonlyMap<string, string | null>;
  /** Names of volumes that a node has for another project; null unless all nodes tell theirs. */
  readonly foreignVolumes: ReadonlySet<string> | null;
  /** Names of volumes that a node has of the stack. */
  readonly volumes: ReadonlySet<string>;
  readonly showsValues: boolean;
  /** Tells if the caller may know of a network, secret or config of the swarm. */
  sees(one: Pick<StackFile, "stack" | "labels">): boolean;
}

/** Returns true if a plan of the group is one for a swarm: the file says so, or the request does. */
export const isStackPlan = ({ model, group, request }: Pick<Asked, "model" | "group" | "request">): boolean =>
  request.backend === undefined ? isForSwarm(model, group) : isOnSwarm(request.backend);

/** Throws `engine_unavailable`, `invalid_request`, and `forbidden` for callers who do not see the whole stack. */
export async function lookAtStack(asked: Asked, draft: Draft): Promise<StackScene> {
  const { model, group, workspace, runtime, sight, own } = asked;
  const stacks = runtime.stacks?.() ?? null;
  if (stacks === null) {
    throw unavailable("no engine of berth's is in a swarm, or the plugin for swarms is off");
  }
  await stacks.settle();
  const cluster = clusterOf(asked, stacks);
  const backend = { name: backendOf(cluster) };
  const subject = { engine: backend.name, workspace: workspace.id, project: group.project };
  if (!sight.reach.has(subject)) throw unseen(group.project);
  const now = await stacks.read(cluster.id);
  const mine = now.services.filter(({ stack }) => stack === group.project);
  const others = [...now.networks, ...now.secrets, ...now.configs].filter(({ stack }) =>
    stack === group.project
  );
  // By project or label: a workspace does not own what carries its project's name.
  const sees = ({ labels }: Labelled) => sight.reach.has({ project: group.project, labels });
  if (![...mine, ...others].every(sees)) throw unseen(group.project);
  blockByMatch(model, group, { services: mine, others }, draft);
  return {
    model,
    group,
    workspace,
    backend,
    cluster,
    stacks,
    now,
    services: new Map(mine.map((one) => [one.name, one])),
    runtime,
    digest: own.digest,
    contents: await contentsOf(group, own),
    hashes: await hashesOf(group, own),
    leadsTo: await filesLeadingTo(model, group),
    foreignVolumes: await foreignVolumes(asked, cluster),
    volumes: volumesOf(group.project, cluster, (await runtime.holdings())?.volumes ?? null),
    showsValues: sight.reach.has(subject),
    sees: ({ stack, labels }) => sight.reach.has({ project: stack, labels }),
  };
}

/** The swarm of the request, else the one where the stack runs, else the only one. */
function clusterOf({ request, group, runtime, sight: { reach } }: Asked, { clusters }: Stacks): StackCluster {
  const named = request.backend && swarmIn(request.backend);
  const items = runtime.services?.().items ?? [];
  const runs = new Set(
    items.filter(({ service }) => service.stack === group.project).map(({ cluster }) => cluster),
  );
  const fitting = named === undefined
    ? runs.size > 0 ? clusters.filter(({ name }) => runs.has(name)) : clusters
    : clusters.filter(({ name, id }) => name === named || id === named);
  const [cluster, ...more] = fitting;
  if (cluster === undefined) {
    throw unavailable(named === undefined ? "no engine of berth's is in a swarm" : `no swarm is "${named}"`);
  }
  if (more.length > 0) {
    const seen = new Set(items.filter((one) => holdsService(reach, one)).map((one) => one.cluster));
    const known = fitting.filter(({ name, engines }) => seen.has(name) || holdsCluster(reach, engines));
    const choices = known.map(backendOf);
    const remedies = choices.map((choice) => planWith("backend", choice));
    throw new ServiceError("invalid_request", "Cannot plan: there are several swarms, choose one", {
      remedies,
    });
  }
  return cluster;
}

const unavailable = (why: string): ServiceError =>
  new ServiceError("engine_unavailable", `Cannot plan: the group is for a swarm, and ${why}`);

const unseen = (project: string): ServiceError =>
  new ServiceError(
    "forbidden",
    `Cannot plan: this needs the permission "${SEES_RUNNING}" for all that the stack runs`,
    { remedies: [{ kind: "permission", permission: SEES_RUNNING, scope: `project:${project}` }] },
  );

type Labelled = Pick<StackFile, "name" | "labels">;

/** The objects of a stack in a swarm. */
interface Held {
  readonly services: readonly StackService[];
  /** Its networks, secrets and configs. */
  readonly others: readonly Labelled[];
}

/** A stack carries no path: `berth.yaml` or berth's own label tells whose it is, or that all of it fits the file. */
function blockByMatch(model: Model, group: Group, { services, others }: Held, draft: Draft): void {
  const at = group.projectFrom.at;
  const named = stacksNamed(model.settings, group);
  if (named.length > 0 && !named.includes(group.project)) {
    const message = `berth.yaml joins the stack "${named[0]}" with this group, whose project is called ` +
      `"${group.project}": a plan needs the same name for both`;
    draft.block("project/stack-name", message, at, group.id, edited(at));
  }
  const owner = model.settings.stacks.get(group.project);
  const isForeign = ({ labels }: Labelled) => (labels[GROUP_LABEL] ?? group.name) !== group.name;
  if (services.some(isForeign) || others.some(isForeign) || named.length === 0 && owner !== undefined) {
    const message = `Parts of the stack "${group.project}" are another group's: give one of the stacks ` +
      "another name";
    draft.block("project/foreign-service", message, at, group.id, edited(at));
    return;
  }
  const isMarked = ({ labels }: Labelled) => labels[GROUP_LABEL] === group.name;
  if (named.length > 0 || services.some(isMarked)) return;
  const guess = (what: string, list: readonly Labelled[]) => {
    const names = list.map(({ name }) => `"${name}"`).join(", ");
    const message = `${what}: ${names}. Say under "stacks" in berth.yaml whose it is`;
    draft.block("project/guess", message, at, group.id, settingsOf(model));
  };
  const strange = services.filter(({ name, labels }) =>
    !group.units.some(({ label, service }) =>
      name === stackName(group.project, label) && service?.image === labels[IMAGE_LABEL]
    )
  );
  const unmarked = others.filter((one) => !isMarked(one));
  if (strange.length > 0) {
    const what = `A stack "${group.project}" runs, and nothing tells that it is this group's, as these of ` +
      "its services are not in the file with their image";
    guess(what, strange);
  } else if (services.length === 0 && unmarked.length > 0) {
    const what = `A stack "${group.project}" has no service, and nothing tells that the rest of it is this ` +
      "group's";
    guess(what, unmarked);
  }
}

/** The hashes of the contents that are declared for configs, whose contents a swarm tells. */
export async function hashesOf(
  group: Group,
  { hashOf }: Pick<OwnSide, "hashOf">,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { id, kind, value, external, content } of group.resources) {
    if (kind !== "config" || external) continue;
    const at = valueAt(value, "file");
    const path = at === null ? null : group.paths.find((use) => use.at === at)?.path ?? null;
    const hash = content !== null ? sha256(content) : path === null ? null : await hashOf(path);
    if (hash !== null) found.set(id, hash);
  }
  return found;
}

/** Returns where the files of secrets and configs lead, by their paths below the root; null for a link out of it. */
export async function filesLeadingTo(
  { root }: Model,
  { paths }: Group,
): Promise<ReadonlyMap<string, string | null>> {
  const named = new Set(paths.flatMap(({ path }) => path ?? []));
  return new Map(
    await Promise.all([...named].map(async (path) => {
      const real = await followed(fullOf(root, path));
      return [path, real === null ? null : pathBelow(root, real)] as const;
    })),
  );
}

/** Names of volumes that a node has for another project; null unless all nodes tell theirs. */
export async function foreignVolumes(
  { runtime, group: { project } }: Pick<Asked, "runtime" | "group">,
  { nodes }: StackCluster,
): Promise<ReadonlySet<string> | null> {
  const volumes = (await runtime.holdings())?.volumes ?? null;
  const telling = new Set(
    runtime.backends().flatMap(({ name, state, stale }) =>
      state === "up" && stale?.includes("volumes") !== true ? [name] : []
    ),
  );
  const areAllTold = nodes.length > 0 && nodes.every((engine) => engine !== null && telling.has(engine));
  if (volumes === null || !areAllTold) return null;
  const foreign = volumes.filter(({ labels }) =>
    labels[STACK_LABEL] !== project && projectOf(labels) !== project
  );
  return new Set(foreign.map(({ name }) => name));
}

/** Returns the resource that a unit names. */
export const resourceOf = (group: Group, kind: Resource["kind"], key: string): Resource | undefined =>
  group.resources.find((one) => one.kind === kind && one.key === key);

/** Digests of what the plan looked at, so that it can be refused when anything moved. */
export function stackLookedAt(scene: StackScene): Looked {
  const { group, services, now, cluster, digest } = scene;
  const names = new Set(group.resources.map(({ name }) => name));
  const files = [...now.secrets, ...now.configs].filter(({ name, stack }) =>
    stack === group.project || names.has(name)
  );
  const found: [string, unknown][] = [
    ["swarm", cluster.id],
    // A swarm counts the version up while it updates: that is nobody's change.
    ...[...services.values()].map(({ id, name, definition, files }): [string, unknown] => [
      `service ${name}`,
      [id, definition, files],
    ]),
    ...now.networks.filter(({ name, stack }) => stack === group.project || names.has(name)).map((
      { name, id },
    ): [string, unknown] => [
      `network ${name}`,
      id,
    ]),
    ...files.map(({ name, id }): [string, unknown] => [`secret or config ${name}`, id]),
  ];
  return {
    declared: declaredNow(scene),
    sources: sourcesOf(group),
    observed: Object.fromEntries(found.map(([name, value]) => [name, digest(JSON.stringify(value))])),
  };
}
