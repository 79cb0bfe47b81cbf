/** A unit compared with the service of a swarm that it runs as: the table's rows, and what only services have. */

import type { Node, Unit } from "../../artifacts/artifact.ts";
import { ignoredBySwarm, isSwarmKey } from "../../artifacts/compose/swarm_keys.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { desiredOf, shownReplicas } from "../../artifacts/live/state.ts";
import { isFilled, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { KnownService, ServiceDefinition } from "../../core/running_services.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { looksSecret, MASK, maskText } from "../../core/secrets.ts";
import { uncoveredBy } from "./coverage.ts";
import type { EngineView } from "./engine_view.ts";
import { type Declared, type Difference, nodeAt } from "./field.ts";
import { mountDifferences, mounts, mountsOf } from "./mounts.ts";
import { networks, ports } from "./service_network.ts";
import { handed, placement, resources, restart, updates } from "./service_deploy.ts";
import { differencesOf, type FieldDifference, FIELDS, isOpenRow, maskedAt } from "./table.ts";

/** Rows whose fields a service has as a container has them. */
const SHARED: ReadonlySet<string> = new Set([
  "image",
  "command",
  "entrypoint",
  "environment",
  "labels",
  "user",
  "workingDir",
  "terminal",
  "stdinOpen",
  "init",
  "stopSignal",
  "stopGracePeriod",
  "healthcheck",
  "readOnly",
  "limits.memory",
  "limits.memoryReservation",
  "limits.cpus",
  "limits.pids",
  "limits.oomScoreAdjustment",
  "ulimits",
  "dns",
  "dnsSearch",
  "dnsOptions",
  "extraHosts",
  "groups",
  "sysctls",
  "capAdd",
  "capDrop",
  "isolation",
  "log.driver",
  "log.options",
]);

const OF_UPDATES = ["parallelism", "delay", "failure_action", "monitor", "max_failure_ratio", "order"];

/** Keys that are compared here. */
const COMPARED: readonly string[] = [
  ...FIELDS.filter(({ key }) => SHARED.has(key)).flatMap(({ covers }) => covers),
  ...mounts.covers,
  ...["target", "published", "host_ip", "protocol", "mode"].map((key) => `ports.*.${key}`),
  ...["aliases", "driver_opts"].map((key) => `networks.*.${key}`),
  "hostname",
  "restart",
  "scale",
  ...["replicas", "mode", "labels", "endpoint_mode"].map((key) => `deploy.${key}`),
  ...["constraints", "preferences", "max_replicas_per_node"].map((key) => `deploy.placement.${key}`),
  ...["condition", "delay", "max_attempts", "window"].map((key) => `deploy.restart_policy.${key}`),
  ...OF_UPDATES.flatMap((key) => [`deploy.update_config.${key}`, `deploy.rollback_config.${key}`]),
  ...["cpus", "memory", "generic_resources"].map((key) => `deploy.resources.reservations.${key}`),
];

/** Keys that make no difference to tasks: their image is pulled, and they are named and found by the swarm. */
const NO_EFFECT: readonly string[] = [
  "build",
  "pull_policy",
  "pull_refresh_after",
  "container_name",
  "depends_on",
  "expose",
  "links",
  "profiles",
  "extends",
  "develop",
  "attach",
  "ports.*.name",
  "ports.*.app_protocol",
];

const rest = uncoveredBy([...COMPARED, ...NO_EFFECT]);

const OWN_LABEL = /^(?:com\.docker\.stack|dev\.berth)\./;

/** Nothing comes from an image: a definition holds only what somebody wrote. */
const NO_IMAGE: InspectedContainer["imageDefaults"] = {
  command: [],
  entrypoint: [],
  env: {},
  labels: {},
  user: "",
  workingDir: "",
  stopSignal: "",
  exposedPorts: [],
  healthcheck: null,
  healthTimes: null,
  volumes: [],
};

/** A service has no paths and no neighbours. */
const NO_VIEW: EngineView = {
  kind: "docker",
  mappedTo: (path) => path,
  realOf: (path) => path,
  sourceAt: () => undefined,
  neighbour: () => undefined,
  imageNow: () => undefined,
  digest: null,
  contents: new Map(),
};

/** One difference, and whether an engine shows its value anyway. Both texts are masked. */
interface ServiceDifference extends Difference {
  readonly isOpen: boolean;
}

export function serviceDifferences(
  of: Declared,
  { service, definition }: Pick<KnownService, "service" | "definition">,
): ServiceDifference[] {
  const container = {
    ...definition,
    image: imageOf(of, definition.image),
    id: service.id,
    name: service.name,
    labels: withoutOwn(definition.labels),
    cpuQuota: null,
    imageId: "",
    imageDefaults: NO_IMAGE,
    privileged: false,
    tmpfs: {},
    volumesFrom: [],
    isSystem: false,
  };
  // The rows that are asked for read no other field.
  const found = differencesOf(of, container as unknown as InspectedContainer, NO_VIEW, SHARED);
  const all: ServiceDifference[] = [
    ...found.map((one: FieldDifference) => ({ ...withoutRow(one), isOpen: isOpenRow(one.row) })),
    ...[
      ...replicas(of, service),
      ...restart(of, definition, service.mode.endsWith("Job")),
      ...ports(of, service),
      ...networks(of, definition),
      ...mountDifferences(mountsOf(of), container, NO_VIEW, of),
      ...handed(of, definition),
      ...placement(of, definition),
      ...updates(of, definition),
      ...resources(of, definition),
      ...deployLabels(of, definition),
      ...ignored(of),
    ].map((one) => ({
      ...one,
      declared: maskedAt(one, []),
      seen: maskText(one.seen),
      isOpen: !one.field.startsWith("deploy.labels") && one.seen !== IGNORED,
    })),
  ];
  const isByBerth = Object.keys(definition.serviceLabels).some((name) => name.startsWith("dev.berth."));
  return isByBerth ? all : all.map((one) => withVariables(of, one));
}

/** A swarm pins the tag that was asked for to a digest, and a digest that moved is a newer image, no difference. */
const imageOf = ({ service }: Declared, image: string): string =>
  service.image?.includes("@") ? image : image.replace(/@.*$/, "");

/** `docker stack deploy` takes variables of its own surroundings alone. */
function withVariables(of: Declared, one: ServiceDifference): ServiceDifference {
  const isOfFile = of.group.envFiles.length > 0 && "kind" in one.at && isFilled(one.at as Node);
  return isOfFile ? { ...one, seen: `${one.seen}; "docker stack deploy" reads no .env` } : one;
}

const IGNORED = "(a swarm ignores it)";

/** Keys that a swarm ignores. Those that a row compares are told by the row. */
function ignored({ unit }: Declared): Difference[] {
  const all = new Set(rest(unit).map(({ key }) => key.split(".")[0]));
  return ignoredBySwarm(unit).flatMap(({ key, value }) => {
    if (!key.includes(".") && !all.has(key)) return [];
    const declared = value.kind === "scalar" ? textOf(value) ?? "(a variable)" : "(as written)";
    return [{ field: key, declared, seen: IGNORED, at: value }];
  });
}

const withoutRow = ({ row: _row, ...one }: FieldDifference): Difference => one;

const withoutOwn = (labels: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !OWN_LABEL.test(name)));

function replicas({ unit }: Declared, { mode, desired }: KnownService["service"]): Difference[] {
  const written = textOf(nodeOf(unit, "deploy", "mode")) ?? "replicated";
  const actual = MODES[mode];
  const at = nodeOf(unit, "deploy", "mode") ?? unit.source;
  if (written !== actual) return [{ field: "deploy.mode", declared: written, seen: actual, at }];
  const wanted = unit.service?.active === false ? unit.service.replicas : desiredOf(unit);
  if (mode !== "replicated" || wanted === null || desired === null || wanted === desired) return [];
  return [{
    field: "replicas",
    declared: shownReplicas(unit) === null ? "(a variable)" : String(wanted),
    seen: String(desired),
    at: nodeOf(unit, "scale") ?? nodeOf(unit, "deploy", "replicas") ?? unit.source,
  }];
}

const MODES = {
  replicated: "replicated",
  global: "global",
  replicatedJob: "replicated-job",
  globalJob: "global-job",
} as const;

const nodeOf = (unit: Unit, ...path: readonly string[]) => valueAt(unit.value, ...path);

function deployLabels(of: Declared, { serviceLabels }: ServiceDefinition): Difference[] {
  const node = nodeAt(of, "deploy", "labels");
  const written = keyValues(node);
  const actual = withoutOwn(serviceLabels);
  const masked = (name: string, value: string) => looksSecret(name) ? MASK : value;
  const found: Difference[] = [];
  for (const [name, { value, unknown, at }] of written) {
    if (unknown || actual[name] === (value ?? "")) continue;
    const seen = actual[name] === undefined ? "(not set)" : masked(name, actual[name]);
    found.push({ field: `deploy.labels.${name}`, declared: masked(name, value ?? ""), seen, at });
  }
  for (const [name, value] of Object.entries(actual)) {
    if (written.has(name)) continue;
    const at = node ?? of.unit.source;
    found.push({
      field: `deploy.labels.${name}`,
      declared: "(not set)",
      seen: masked(name, value),
      at,
      isAbsent: true,
    });
  }
  return found;
}

/** Returns the keys of a unit that are not compared with a service. */
export function notComparedWithService(
  unit: Unit,
  { networks }: Pick<ServiceDefinition, "networks">,
): string[] {
  const ignored = new Set(ignoredBySwarm(unit).map(({ key }) => key));
  // Such as \`privileged: false\`, a key that a swarm ignores may also ask for nothing.
  const keys = rest(unit).map(({ key }) => key).filter((key) => !ignored.has(key) && !isSwarmKey(key));
  return [...networks === null ? ["networks"] : [], ...keys];
}

/** The secrets and configs of a unit whose content cannot be compared: nobody reads a secret of a swarm. */
export const unreadFiles = ({ group, unit }: Pick<Declared, "group" | "unit">): string[] =>
  (unit.service?.grants ?? []).flatMap(({ kind, source }) => {
    const resource = group.resources.find((one) => one.kind === kind && one.key === source);
    return resource === undefined || resource.external ? [] : [`${kind} "${source}"`];
  });
