/** The service of a swarm that a unit becomes: what `docker stack deploy` would make of it, by the same names and labels. */

import type { Node, Resource } from "../../artifacts/artifact.ts";
import { bytesOf, nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import { amountText } from "../../artifacts/compose/number_text.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { isNull, listOf, numberOf, oneOrMany, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { ServiceMode } from "../../core/running_services.ts";
import type { ServiceFile, UpdatePolicy } from "../../core/running_services.ts";
import type { ServiceSpec, SwarmNetworkSpec } from "../../core/service_spec.ts";
import { type Declared, nodeAt, UNKNOWN } from "../fields/field.ts";
import { modeOf } from "../fields/grants.ts";
import { wantsOf } from "../fields/mounts.ts";
import { MOST_PORTS, portsOf } from "../fields/ports.ts";
import { containerSpec, placeholderOf } from "./container_spec.ts";
import { networkSpec, volumeSpec } from "./resource_specs.ts";

/** The stack that an object belongs to. */
export const STACK_LABEL = "com.docker.stack.namespace";
/** The image as the file names it. */
export const IMAGE_LABEL = "com.docker.stack.image";

/** Rows that ask for the same of a service as of a container alone. */
const ROWS: ReadonlySet<string> = new Set([
  "command",
  "entrypoint",
  "healthcheck",
  "user",
  "workingDir",
  "terminal",
  "stdinOpen",
  "init",
  "stopSignal",
  "environment",
  "labels",
  "ulimits",
  "hostname",
  "dns",
  "dnsSearch",
  "extraHosts",
  "sysctls",
  "isolation",
  "log.driver",
  "log.options",
  "readOnly",
  "capAdd",
  "capDrop",
]);

export const stackName = (project: string, key: string): string => `${project}_${key}`;

/** Returns the labels of an object that belongs to the stack. */
const stackLabels = (
  project: string,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({ ...own, [STACK_LABEL]: project });

/** Returns the name that a secret or config has in the swarm. */
type NameOf = (resource: Resource) => string;

/** Builds the spec as the files decide it. `nameOf` names secrets and configs, of which there may be several versions. */
export function serviceSpec(of: Declared, nameOf: NameOf): ServiceSpec {
  const { group: { project }, unit, service } = of;
  const asked = containerSpec(
    of,
    { name: unit.label, containerOf: placeholderOf, nameOf: placeholderOf },
    (key) => ROWS.has(key),
  );
  const image = service.image ?? "";
  const { mounts, volumes } = mountsOf(of);
  const { mode, replicas } = modeOfUnit(of);
  return {
    name: stackName(project, unit.label),
    labels: { ...stackLabels(project, labelsAt(nodeAt(of, "deploy", "labels"))), [IMAGE_LABEL]: image },
    mode,
    replicas,
    container: {
      ...asked,
      image,
      labels: stackLabels(project, asked.labels ?? {}),
      // The client sorts those of a mapping, whose order means nothing.
      ...(nodeAt(of, "extra_hosts")?.kind === "mapping" && {
        extraHosts: [...asked.extraHosts ?? []].sort(),
      }),
      mounts,
      networks: networksOf(of),
    },
    volumes,
    stopGrace: nanosecondsAt(nodeAt(of, "stop_grace_period")),
    secrets: filesOf(of, "secret", nameOf),
    configs: filesOf(of, "config", nameOf),
    ports: publishedPorts(of),
    endpointMode: textOf(nodeAt(of, "deploy", "endpoint_mode")) === "dnsrr" ? "dnsrr" : "vip",
    restart: restartOf(of),
    limits: limitsOf(of),
    reservations: reservationsOf(of),
    placement: {
      constraints: textsIn(nodeAt(of, "deploy", "placement", "constraints")),
      spread: listOf(nodeAt(of, "deploy", "placement", "preferences")).flatMap((one) =>
        textOf(valueAt(one, "spread")) ?? []
      ),
      maxPerNode: numberOf(nodeAt(of, "deploy", "placement", "max_replicas_per_node")) ?? 0,
    },
    update: replacing(nodeAt(of, "deploy", "update_config")),
    rollback: replacing(nodeAt(of, "deploy", "rollback_config")),
  };
}

const textsIn = (node: Node | null): string[] => oneOrMany(node).flatMap((one) => textOf(one) ?? []);
const nanosecondsAt = (node: Node | null): number | null => nanosecondsOf(textOf(node) ?? "");

/** Returns labels or options with the texts of their values. */
function labelsAt(node: Node | null): Record<string, string> {
  return Object.fromEntries([...keyValues(node)].map(([name, { value }]) => [name, value ?? ""]));
}

const MODES: Readonly<Record<string, ServiceMode>> = {
  replicated: "replicated",
  global: "global",
  "replicated-job": "replicatedJob",
  "global-job": "globalJob",
};

function modeOfUnit(of: Declared): Pick<ServiceSpec, "mode" | "replicas"> {
  const mode = MODES[textOf(nodeAt(of, "deploy", "mode")) ?? "replicated"] ?? "replicated";
  const isCounted = mode === "replicated" || mode === "replicatedJob";
  const isSaid = nodeAt(of, "deploy", "replicas") !== null || nodeAt(of, "scale") !== null;
  return { mode, replicas: isCounted && isSaid ? of.service.replicas : null };
}

/** The networks by the names that the swarm knows; each service is known by its own name in those of users. */
function networksOf({ group, unit }: Declared): NonNullable<ServiceSpec["container"]["networks"]> {
  const uses = unit.references.filter(({ kind, under }) => kind === "uses" && under === "networks");
  const names = uses.flatMap(({ target }) => {
    const resource = group.resources.find(({ kind, id }) => kind === "network" && id === target);
    return resource?.name ? [{ key: resource.key, name: resource.name }] : [];
  });
  const found = names.length > 0
    ? names
    : [{ key: "default", name: defaultNetworkOf(group)?.name ?? stackName(group.project, "default") }];
  return found.map(({ key, name }) => {
    const at = valueAt(unit.value, "networks", key);
    const isNamed = !["host", "bridge", "none", "default"].includes(name);
    return {
      name,
      aliases: [...textsIn(valueAt(at, "aliases")), ...(isNamed ? [unit.label] : [])],
      ipv4Address: null,
      ipv6Address: null,
      linkLocalAddresses: [],
      macAddress: null,
      links: [],
      driverOptions: labelsAt(valueAt(at, "driver_opts")),
      gatewayPriority: 0,
    };
  });
}

const defaultNetworkOf = ({ resources }: Declared["group"]): Resource | undefined =>
  resources.find(({ kind, key }) => kind === "network" && key === "default");

function mountsOf(
  of: Declared,
): { mounts: NonNullable<ServiceSpec["container"]["mounts"]>; volumes: ServiceSpec["volumes"] } {
  const { group, service } = of;
  const wants = wantsOf(of);
  const wanted = wants === null || wants === UNKNOWN ? [] : wants.value.mounts;
  const volumes: Record<string, ServiceSpec["volumes"][string]> = {};
  const mounts = service.mounts.flatMap((mount) => {
    const one = wanted.find(({ at }) => at === mount.at);
    if (one === undefined) return [];
    const { type, target, readOnly, options } = one;
    const resource = type !== "volume" || mount.source === null
      ? undefined
      : group.resources.find(({ kind, key }) => kind === "volume" && key === mount.source);
    if (resource !== undefined && !resource.external) {
      const own = labelsAt(valueAt(resource.value, "labels"));
      const { name: _, ...spec } = volumeSpec(resource, "", stackLabels(group.project, own));
      volumes[target] = spec;
    }
    const source = resource?.name ?? one.source ?? "";
    return [{ type, source, target, readOnly, options }];
  });
  return { mounts, volumes };
}

/** The readers of a file in a container that says nothing of it. */
const EVERYBODY = 0o444;

function filesOf(of: Declared, kind: "secret" | "config", nameOf: NameOf): ServiceFile[] {
  const { group, unit, service } = of;
  const items = listOf(valueAt(unit.value, `${kind}s`));
  return service.grants.filter((one) => one.kind === kind).flatMap(({ source, target, at }) => {
    const resource = group.resources.find((one) => one.kind === kind && one.key === source);
    if (resource === undefined) return [];
    const whole = items.find((item) => valueAt(item, "source") === at) ?? null;
    return [{
      name: nameOf(resource),
      target: target ?? source,
      uid: textOf(valueAt(whole, "uid")) ?? "0",
      gid: textOf(valueAt(whole, "gid")) ?? "0",
      mode: modeOf(valueAt(whole, "mode")) ?? EVERYBODY,
    }];
  });
}

function publishedPorts({ service }: Declared): ServiceSpec["ports"] {
  // A plan with more is blocked.
  if (portsOf({ service }) > MOST_PORTS) return [];
  return service.ports.flatMap((port) => {
    if (port.unknown || port.invalid !== null) return [];
    const mode = "kind" in port.at ? textOf(valueAt(port.at as Node, "mode")) : null; // the node it was read from
    return Array.from({ length: port.target.last - port.target.first + 1 }, (_, step) => ({
      container: port.target.first + step,
      host: port.published === null ? null : port.published.first + step,
      protocol: port.protocol,
      mode: mode === "host" ? "host" as const : "ingress" as const,
    }));
  });
}

const CONDITIONS: Readonly<Record<string, string>> = {
  no: "none",
  always: "any",
  "unless-stopped": "any",
  "on-failure": "on-failure",
};

/** `restart: "no"` is nothing to `docker stack deploy`, and nothing means always: here it is `none`. */
function restartOf(of: Declared): ServiceSpec["restart"] {
  const policy = nodeAt(of, "deploy", "restart_policy");
  if (policy !== null) {
    return {
      condition: textOf(valueAt(policy, "condition")) ?? "any",
      delay: nanosecondsAt(valueAt(policy, "delay")),
      maxAttempts: numberOf(valueAt(policy, "max_attempts")),
      window: nanosecondsAt(valueAt(policy, "window")),
    };
  }
  const [name = "", attempts] = (textOf(nodeAt(of, "restart")) ?? "").split(":");
  const condition = CONDITIONS[name];
  if (condition === undefined) return null;
  const maxAttempts = condition === "on-failure" ? Number(attempts ?? 0) : null;
  return { condition, delay: null, maxAttempts, window: null };
}

const bytesAt = (node: Node | null): number | null => isNull(node) ? null : bytesOf(amountText(node) ?? "");

function limitsOf(of: Declared): ServiceSpec["limits"] {
  const node = nodeAt(of, "deploy", "resources", "limits");
  if (node === null) return null;
  const number = (key: string) => numberOf(valueAt(node, key));
  return { cpus: number("cpus"), memoryBytes: bytesAt(valueAt(node, "memory")), pids: number("pids") };
}

function reservationsOf(of: Declared): ServiceSpec["reservations"] {
  const node = nodeAt(of, "deploy", "resources", "reservations");
  if (node === null) return null;
  return {
    cpus: numberOf(valueAt(node, "cpus")),
    memoryBytes: bytesAt(valueAt(node, "memory")),
    generic: listOf(valueAt(node, "generic_resources")).flatMap((one) => {
      const kind = textOf(valueAt(one, "discrete_resource_spec", "kind"));
      const value = numberOf(valueAt(one, "discrete_resource_spec", "value"));
      return kind === null || value === null ? [] : [{ kind, value }];
    }),
  };
}

function replacing(node: Node | null): UpdatePolicy | null {
  if (node === null) return null;
  return {
    parallelism: numberOf(valueAt(node, "parallelism")) ?? 1,
    delay: nanosecondsAt(valueAt(node, "delay")) ?? 0,
    failureAction: textOf(valueAt(node, "failure_action")) ?? "pause",
    monitor: nanosecondsAt(valueAt(node, "monitor")) ?? 0,
    maxFailureRatio: numberOf(valueAt(node, "max_failure_ratio")) ?? 0,
    order: textOf(valueAt(node, "order")) ?? "stop-first",
  };
}

/** Returns the labels of a secret or config of the stack. */
export const stackFileLabels = ({ value }: Resource, project: string): Readonly<Record<string, string>> =>
  stackLabels(project, labelsAt(valueAt(value, "labels")));

/** Builds the spec of a network of the stack, which spans all nodes unless its file says otherwise. */
export function stackNetworkSpec(resource: Resource, project: string, name: string): SwarmNetworkSpec {
  const labels = stackLabels(project, labelsAt(valueAt(resource.value, "labels")));
  const spec = networkSpec(resource, name, labels);
  return { ...spec, driver: spec.driver || "overlay" };
}

/** Returns the names of networks that units of the group join and the stack makes itself. */
export function ownNetworks(
  { group, unit }: Declared,
): readonly { readonly resource: Resource; readonly name: string }[] {
  const used = new Set(
    unit.references.flatMap(({ kind, under, target }) =>
      kind === "uses" && under === "networks" && target !== null ? [target] : []
    ),
  );
  return group.resources.flatMap((resource) =>
    resource.kind === "network" && !resource.external && resource.name !== null && used.has(resource.id)
      ? [{ resource, name: resource.name }]
      : []
  );
}
