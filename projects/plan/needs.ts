/** Who may carry out a step: each effect on what is there, as a permission on a subject. */

import { resolve } from "../../artifacts/files/paths.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import type { RuntimeAct } from "../../core/runtime.ts";
import type { Declared } from "../fields/field.ts";
import { bindsOf } from "../fields/mounts.ts";
import { nodeAt } from "../fields/field.ts";
import { projectOf } from "../hash/labels.ts";
import type { Resource } from "../../artifacts/artifact.ts";
import { entriesOf, listOf, textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { Need } from "./plan_shape.ts";
import type { Scene } from "./scene.ts";

const onProject = ({ backend, workspace, group }: Scene): Need["subject"] => ({
  engine: backend.name,
  workspace: workspace.id,
  project: group.project,
});

/** What is done to the project's own containers, networks and volumes. */
export const applying = (scene: Scene): Need => ({ permission: "projects:apply", subject: onProject(scene) });

/** The same act, done alone, to what belongs to the engine or to another project. */
export const acting = (scene: Scene, act: RuntimeAct, project: string | null): Need => ({
  permission: scene.runtime.permissionFor(act),
  subject: { engine: scene.backend.name, workspace: null, project },
});

/** Removing what the files no longer name. */
export const removing = (scene: Scene): Need => ({
  permission: scene.runtime.permissionFor("removeContainer"),
  subject: onProject(scene),
});

/** What a hook takes: with all privileges it has the host. */
export const runningCommand = (scene: Scene, { privileged }: { readonly privileged: boolean }): Need[] => [
  applying(scene),
  { permission: scene.runtime.permissionFor("runCommand"), subject: onProject(scene) },
  ...privileged ? [{ permission: "projects:host" as const, subject: onProject(scene) }] : [],
];

/** What removing the project's data takes. */
export const destroying = (scene: Scene): Need => ({
  permission: "projects:destroy",
  subject: onProject(scene),
});

/** What a new volume takes: options of its driver can bind any folder of the host. */
export const makingVolume = (scene: Scene, { value }: Resource): Need[] => [
  applying(scene),
  ...[...entriesOf(valueAt(value, "driver_opts"))].length === 0
    ? []
    : [{ permission: "projects:host", subject: onProject(scene) }],
];

/** What a new container of a unit takes. Whoever writes a file with these fields becomes root by it. */
export function making(scene: Scene, of: Declared): Need[] {
  const needs = [applying(scene)];
  if (reachesHost(of)) needs.push({ permission: "projects:host", subject: onProject(scene) });
  for (const { kind, target } of of.unit.references) {
    if (kind !== "uses") continue;
    const resource = of.group.resources.find(({ id }) => id === target);
    if (resource === undefined) continue;
    const held = resource.kind === "network" ? scene.holdings.networks : scene.holdings.volumes;
    const found = held.find(({ name, backend }) => name === resource.name && backend === scene.backend.name);
    if (found === undefined || !scene.sees.resource(found.labels)) continue; // which blocks the plan
    const owner = projectOf(found.labels);
    // Whatever the file calls it: what belongs to others is used by the rights on them.
    if (!resource.external && owner === scene.group.project) continue;
    if (resource.kind === "network") needs.push(acting(scene, "useNetwork", owner));
    if (resource.kind === "volume") needs.push(acting(scene, "useVolume", owner));
  }
  return needs;
}

const MODES = ["network_mode", "ipc", "pid", "uts", "userns_mode", "cgroup"];
/** Devices and kernel, runtimes that annotations steer, and links, which tell another container's environment. */
const HOST_FIELDS = [
  ...["devices", "device_cgroup_rules", "gpus", "security_opt", "runtime", "cgroup_parent", "sysctls"],
  ...["annotations", "external_links"],
];
/** What engines take for no network of that name, but for somebody's namespace. */
const NAMESPACE = /^host$|:/;

/** Whether the container gets hold of the host, or of what is not the workspace's. */
function reachesHost(of: Declared): boolean {
  if (truthOf(nodeAt(of, "privileged")) === true) return true;
  if (HOST_FIELDS.some((key) => nodeAt(of, key) !== null)) return true;
  if (nodeAt(of, "cap_add") !== null) return true;
  if (nodeAt(of, "deploy", "resources", "reservations", "devices") !== null) return true;
  // `service:` is the project's own; `container:` may be anybody's.
  if (MODES.some((key) => /^(?:host$|container:)/.test(textOf(nodeAt(of, key)) ?? ""))) return true;
  if (listOf(nodeAt(of, "volumes_from")).some((one) => textOf(one)?.startsWith("container:"))) return true;
  if (networksOf(of).some((name) => NAMESPACE.test(name))) return true;
  return leadsOut(of) || bindsOf(of).some((path) => resolve(of.model.root, "", cleanPath(path)) === null);
}

const networksOf = ({ unit, group }: Declared): string[] =>
  unit.references.flatMap(({ kind, target }) => kind === "uses" ? target ?? [] : [])
    .flatMap((id) => group.resources.find((one) => one.kind === "network" && one.id === id)?.name ?? []);

/** Whether a path below the workspace is a link out of it, or a socket or device. */
function leadsOut({ unit, group, service }: Declared): boolean {
  const granted = service.grants.map(({ kind, source }) =>
    valueAt(group.resources.find((one) => one.kind === kind && one.key === source)?.value, "file")
  );
  return [
    ...unit.paths.filter(({ kind }) => kind === "bind"),
    ...group.paths.filter(({ at }) => granted.some((file) => file === at)),
  ].some(({ found }) => found === "outside" || found === "other");
}
