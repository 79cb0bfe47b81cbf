/** The permissions of a stack's steps: what its requests to the swarm would reach, each on a subject. */

import type { Place, Resource } from "../../artifacts/artifact.ts";
import { isInGroup } from "../../artifacts/graph/own_folder.ts";
import { WORKSPACE_LABEL } from "../../artifacts/live/stacks.ts";
import { valueAt } from "../../artifacts/yaml/values.ts";
import { type ServiceFacts, serviceNeeds, swarmNetworkNeeds } from "../../core/service_needs.ts";
import type { ServiceSpec, SwarmNetworkSpec } from "../../core/service_spec.ts";
import type { Owner } from "../../core/spec_rows.ts";
import type { StackFile, StackNetwork } from "../../core/stacks.ts";
import { type Declared, nodeAt } from "../fields/field.ts";
import { applying, needOf, placeOfField, readingNeeds, removing } from "./needs.ts";
import type { Need } from "./plan_shape.ts";
import type { StackScene } from "./stack_scene.ts";

type Labelled = Pick<StackFile, "labels">;

/** A scene in which needs are asked for. */
type Asking = Omit<StackScene, "workspace"> & { readonly workspace: { readonly id: string | null } };

/**
 * A stack carries no path, and whoever writes a workspace's files chooses its name: only what was applied from the
 * workspace is within a scope of it. For everything else a scope must hold the project.
 */
function askingFor(scene: StackScene, objects: Iterable<Labelled>): Asking {
  const { id } = scene.workspace;
  const isOwn = [...objects].every(({ labels }) => labels[WORKSPACE_LABEL] === id);
  return isOwn ? scene : { ...scene, workspace: { id: null } };
}

/** Returns the objects whose stack another one would join: all of it. */
const wholeStack = ({ now, services, group: { project } }: StackScene): Labelled[] => [
  ...services.values(),
  ...[...now.networks, ...now.secrets, ...now.configs].filter(({ stack }) => stack === project),
];

/** Returns the networks, secrets and configs of the stack that a service has. */
function usedBy({ now, group: { project } }: StackScene, spec: ServiceSpec): Labelled[] {
  const among = (there: readonly StackNetwork[] | readonly StackFile[], named: readonly { name: string }[]) =>
    there.filter(({ name, stack }) => stack === project && named.some((one) => one.name === name));
  return [
    ...among(now.networks, spec.container.networks ?? []),
    ...among(now.secrets, spec.secrets),
    ...among(now.configs, spec.configs),
  ];
}

const heldBy = (scene: StackScene, name: string): Labelled[] => {
  const held = scene.services.get(name);
  return held === undefined ? wholeStack(scene) : [held];
};

/** A new or changed service. */
export function makingService(scene: StackScene, of: Declared, spec: ServiceSpec): Need[] {
  const asking = askingFor(scene, [...heldBy(scene, spec.name), ...usedBy(scene, spec)]);
  const found = serviceNeeds(spec, factsOf(scene)).map((one) => {
    const network = one.right === "network"
      ? scene.now.networks.find(({ name }) => name === one.name)
      : undefined;
    // One that the caller does not see is named in no need.
    const project = network !== undefined && scene.sees(network) ? network.stack : null;
    const at = placeOfServiceField(of, one.field);
    return needOf(one.right === "workspace" ? scene : asking, one, at, project);
  });
  const all = [applying(asking), ...found, ...readingNeeds(scene, of)];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

function factsOf({ group, now, foreignVolumes, sees }: StackScene): ServiceFacts {
  const declared = (kind: Resource["kind"], name: string) =>
    group.resources.find((one) => one.kind === kind && one.name === name && !one.external);
  return {
    networkOwner: (name): Owner => {
      const held = now.networks.find((one) => one.name === name);
      const isDeclared = declared("network", name) !== undefined;
      if (held === undefined) return isDeclared ? "own" : "unknown";
      if (held.stack === group.project && isDeclared) return "own";
      // Nobody is told if there is one outside of the stack that they do not see.
      return isDeclared || sees(held) ? "other" : "unknown";
    },
    // Nodes make volumes by themselves: only the stack's own name is its own, and only where all nodes tell theirs.
    volumeOwner: (name): Owner => {
      const resource = declared("volume", name);
      const isOwn = resource !== undefined && valueAt(resource.value, "name") === null;
      return isOwn && foreignVolumes?.has(name) === false ? "own" : "unknown";
    },
    fileOwner: (kind, name): Owner => {
      // A later version has the digest of its content behind the name.
      const first = name.replace(/-[0-9a-f]{8}$/, "");
      if ((declared(kind, name) ?? declared(kind, first)) === undefined) return "unknown";
      const held = (kind === "secret" ? now.secrets : now.configs).find((one) => one.name === name);
      return held === undefined || held.stack === group.project ? "own" : "other";
    },
  };
}

/** A new network of the stack. */
export function makingNetwork(scene: StackScene, resource: Resource, spec: SwarmNetworkSpec): Need[] {
  const at = (field: string) => valueAt(resource.value, ...field.split(".")) ?? resource.at;
  const asking = askingFor(scene, wholeStack(scene));
  return [applying(asking), ...swarmNetworkNeeds(spec).map((one) => needOf(asking, one, at(one.field)))];
}

/** A new secret or config, whose file may lie in the folder of another group. */
export function makingFile(scene: StackScene, resource: Resource): Need[] {
  const { model, group, leadsTo } = scene;
  const asking = askingFor(scene, wholeStack(scene));
  const fileAt = valueAt(resource.value, "file");
  const written = fileAt === null ? null : group.paths.find(({ at }) => at === fileAt)?.path ?? null;
  const path = written === null ? null : leadsTo.get(written) ?? null;
  if (fileAt === null || path !== null && isInGroup(model, group, path)) return [applying(asking)];
  const why = `reads "${path ?? "a file"}" outside of the project's own folder`;
  const right = path === null ? "host" as const : "workspace" as const;
  return [applying(asking), needOf(scene, { right, field: `${resource.kind}s`, why }, fileAt)];
}

/** The removal of a service, network, secret or config. */
export const removingFromStack = (scene: StackScene, held: Labelled): Need[] => [
  removing(askingFor(scene, [held])),
];

/** The wait for a service. */
export const applyingToStack = (scene: StackScene, name: string): Need[] => [
  applying(askingFor(scene, heldBy(scene, name))),
];

/** Returns where a field of a service is written; the unit's own place if it is not written. */
export function placeOfServiceField(of: Declared, field: string): Place {
  const [part = "", ...name] = field.split(".");
  const rest = name.join(".");
  if (part === "environment") return of.service.environment.get(rest)?.at ?? placeOfField(of, field);
  if (part === "labels") return of.service.labels.get(rest)?.at ?? placeOfField(of, field);
  if (part === "secrets" || part === "configs") return nodeAt(of, part) ?? of.unit.source;
  if (field === "replicas") return nodeAt(of, "scale") ?? nodeAt(of, "deploy", "replicas") ?? of.unit.source;
  if (part === "deploy") {
    for (let path = field.split("."); path.length > 0; path = path.slice(0, -1)) {
      const node = nodeAt(of, ...path);
      if (node !== null) return node;
    }
    return of.unit.source;
  }
  return placeOfField(of, field);
}
