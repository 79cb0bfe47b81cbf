/** Reasons that block the plan of a stack: what no service can say, and what a swarm never changes. */

import type { Place } from "../../artifacts/artifact.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { valueAt } from "../../artifacts/yaml/values.ts";
import { uncoveredBy } from "../fields/coverage.ts";
import { type Declared, nodeAt } from "../fields/field.ts";
import { blockByValues } from "./blocked.ts";
import { type Draft, edited } from "./draft.ts";
import { resourceOf, type StackScene } from "./stack_scene.ts";

const under = (path: string, keys: string): string[] => keys.split(" ").map((key) => `${path}.${key}`);

/** Every key that becomes a part of a service, and those that change nothing in one. */
const uncovered = uncoveredBy([
  ..."image command entrypoint environment env_file labels label_file user working_dir hostname tty".split(
    " ",
  ),
  ..."stdin_open init stop_signal stop_grace_period read_only dns dns_search extra_hosts".split(" "),
  ..."cap_add cap_drop sysctls ulimits isolation restart logging.driver logging.options".split(" "),
  ...under("healthcheck", "test interval timeout retries start_period start_interval disable"),
  ...under("ports.*", "target published protocol mode name app_protocol"),
  ...under("networks.*", "aliases driver_opts"),
  "networks.*",
  ...under("volumes.*", "type source target read_only consistency"),
  ...under("volumes.*.bind", "propagation create_host_path"),
  ...under("volumes.*.volume", "nocopy subpath"),
  ...under("volumes.*.tmpfs", "size mode"),
  ...["secrets.*", "configs.*"].flatMap((path) => under(path, "source target uid gid mode")),
  ...under("deploy", "mode replicas labels endpoint_mode"),
  ...["update_config", "rollback_config"].flatMap((key) =>
    under(`deploy.${key}`, "parallelism delay failure_action monitor max_failure_ratio order")
  ),
  ...under("deploy.restart_policy", "condition delay max_attempts window"),
  ...under("deploy.resources.limits", "cpus memory pids"),
  ...under("deploy.resources.reservations", "cpus memory generic_resources"),
  ...under("deploy.placement", "constraints preferences max_replicas_per_node"),
  // Order, names and places that a swarm does not need.
  ..."depends_on profiles scale extends develop attach container_name expose build pull_policy".split(" "),
]);

/** Labels by which Docker, Compose and berth know whose a container, network or volume is. */
const RESERVED = /^(?:com\.docker\.(?:stack|swarm|compose)|dev\.berth)\./;

/** Blocks the plan for what a service of a swarm cannot say of the unit. */
export function blockByService(scene: StackScene, of: Declared, draft: Draft): void {
  const { unit, service } = of;
  for (const { key, at } of uncovered(unit)) {
    const message = `"${key}" has no place in a service of a swarm, and would be left out: take it out`;
    draft.block("swarm/field-not-supported", message, at, unit.id, edited(at));
  }
  for (const port of service.ports) {
    if (port.hostIp === null || port.hostIp === "0.0.0.0" || port.hostIp === "::") continue;
    const message = `"${port.written}" would be open on all addresses of every node: a swarm knows no ` +
      `address of a port. Take the address out, or the port`;
    draft.block("swarm/field-not-supported", message, port.at, unit.id, edited(port.at));
  }
  for (const mount of service.mounts) {
    if (["bind", "volume", "tmpfs"].includes(mount.type)) continue;
    const message = `A mount of the type "${mount.type}" has no place in a service of a swarm`;
    draft.block("swarm/field-not-supported", message, mount.at, unit.id, edited(mount.at));
  }
  blockByLabels(labelsOf(of), unit.id, draft);
  if (service.image === null) {
    const message = "A swarm builds nothing: name an image that its nodes can pull";
    draft.block("swarm/field-not-supported", message, unit.source, unit.id, edited(unit.source));
  }
  blockByValues(of, draft);
  blockByFiles(scene, of, draft);
}

/** Blocks the plan for labels of what the stack makes beside its services. */
export function blockByResources({ group }: Pick<StackScene, "group">, draft: Draft): void {
  for (const { id, value, external } of group.resources) {
    if (external) continue;
    const labels = [...keyValues(valueAt(value, "labels"))].map(([name, { at }]) => [name, at] as const);
    blockByLabels(labels, id, draft);
  }
}

function blockByLabels(labels: Iterable<readonly [string, Place]>, subject: string, draft: Draft): void {
  for (const [name, at] of labels) {
    if (!RESERVED.test(name)) continue;
    const message = `The label "${name}" is Docker's, Compose's or berth's own`;
    draft.block("project/reserved-label", message, at, subject, edited(at));
  }
}

/** All labels of a service and of its containers, also those of `label_file`. */
function labelsOf(of: Declared): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>([...of.service.labels].map(([name, { at }]) => [name, at]));
  for (const [name, { at }] of keyValues(nodeAt(of, "deploy", "labels"))) found.set(name, at);
  return found;
}

/** Secrets and configs whose content is not known, or that are to exist and do not. */
function blockByFiles({ group, contents, now, sees }: StackScene, of: Declared, draft: Draft): void {
  for (const { kind, under, target, at } of of.unit.references) {
    const network = group.resources.find((one) => one.kind === "network" && one.id === target);
    if (kind !== "uses" || under !== "networks" || network?.external !== true) continue;
    if (now.networks.some((one) => one.name === network.name && sees(one))) continue;
    const message = `The swarm has no network "${
      network.written ?? network.key
    }" that you see, and it is external`;
    draft.block("project/external-missing", message, at, of.unit.id, edited(at));
  }
  for (const { kind, source, at } of of.service.grants) {
    const resource = resourceOf(group, kind, source);
    if (resource === undefined) continue;
    const there = kind === "secret" ? now.secrets : now.configs;
    if (resource.external) {
      if (there.some((one) => one.name === resource.name && sees(one))) continue;
      const message = `The swarm has no ${kind} "${
        resource.written ?? source
      }" that you see, and it is external`;
      draft.block("project/external-missing", message, at, of.unit.id, edited(at));
    } else if (valueAt(resource.value, "driver") !== null) {
      const message = `The ${kind} "${source}" is kept by a driver of the nodes, and berth cannot make it`;
      draft.block("swarm/field-not-supported", message, resource.at, of.unit.id, edited(resource.at));
    } else if (!contents.has(resource.id)) {
      const message = `The content of the ${kind} "${source}" is not known: its file cannot be read, ` +
        `or its variable is not set`;
      draft.block("project/unreadable-file", message, resource.at, of.unit.id, edited(resource.at));
    }
  }
}

/** Returns a command to copy; null where one of its words is more than a plain word to a shell. */
export const commandOf = (program: string, ...words: readonly string[]): string | null =>
  words.every((word) => /^[\w./][\w./-]*$|^-[a-z]$/.test(word)) ? `"${program} ${words.join(" ")}"` : null;
