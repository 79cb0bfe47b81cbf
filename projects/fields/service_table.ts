/** A unit compared with the service of a swarm that it runs as: the table's rows, and what only services have. */

import type { Place, Unit } from "../../artifacts/artifact.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { desiredOf, shownReplicas } from "../../artifacts/live/state.ts";
import { isUnknown, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { KnownService, ServiceDefinition } from "../../core/running_services.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { looksSecret, MASK } from "../../core/secrets.ts";
import type { EngineView } from "./engine_view.ts";
import { type Declared, type Difference, nodeAt, sameSet } from "./field.ts";
import { differencesOf, type FieldDifference, FIELDS, isOpenRow } from "./table.ts";

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
  "limits.cpus",
]);

/** Keys that are compared here, and those that make no difference to a service that runs. */
const COMPARED: ReadonlySet<string> = new Set([
  ...FIELDS.filter(({ key }) => SHARED.has(key)).flatMap(({ covers }) => covers),
  "healthcheck",
  "ports",
  "networks",
  "restart",
  "deploy.replicas",
  "scale",
  "deploy.mode",
  "deploy.labels",
  "deploy.restart_policy.condition",
  "deploy.update_config",
  "deploy.rollback_config",
  "profiles",
  "depends_on",
  "expose",
]);

const OWN_LABEL = /^com\.docker\.stack\./;

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
  const { labels, cpus } = definition;
  const container = {
    ...definition,
    id: service.id,
    name: service.name,
    labels: withoutOwn(labels),
    cpus,
    cpuQuota: null,
    imageId: "",
    imageDefaults: NO_IMAGE,
  };
  // The rows that are asked for read no other field.
  const found = differencesOf(of, container as unknown as InspectedContainer, NO_VIEW, SHARED);
  return [
    ...found.map((one: FieldDifference) => ({ ...withoutRow(one), isOpen: isOpenRow(one.row) })),
    ...[
      ...replicas(of, service),
      ...restart(of, definition),
      ...ports(of, service),
      ...networks(of, definition),
      ...deployLabels(of, definition),
    ].map((one) => ({ ...one, isOpen: one.field !== "deploy.labels" })),
  ];
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

const POLICIES: Readonly<Record<string, ServiceDefinition["restart"]>> = {
  "": "none",
  no: "none",
  none: "none",
  any: "any",
  always: "any",
  "unless-stopped": "any",
  "on-failure": "on-failure",
};

/** `restart: "no"` is nothing to `docker stack deploy`, and nothing means always. */
function restart(of: Declared, definition: ServiceDefinition): Difference[] {
  const node = nodeAt(of, "deploy", "restart_policy", "condition") ?? nodeAt(of, "restart");
  if (node === null || isUnknown(node)) return [];
  const written = textOf(node) ?? "";
  const wanted = POLICIES[written.split(":")[0] ?? ""];
  if (wanted === undefined || wanted === definition.restart) return [];
  return [{ field: "restart", declared: written, seen: definition.restart, at: node }];
}

/** An address is left out by `docker stack deploy`: the port is open on all addresses of every node. */
function ports({ service, unit }: Declared, { ports: published }: KnownService["service"]): Difference[] {
  if (service.ports.some(({ unknown, invalid }) => unknown || invalid !== null)) return [];
  const actual = new Set(
    published.map(({ host, container, protocol }) => `${host ?? ""}:${container}/${protocol}`),
  );
  const wanted = new Map<
    string,
    { readonly written: string; readonly at: Place; readonly hostIp: string | null }
  >();
  for (const port of service.ports) {
    const size = port.target.last - port.target.first;
    for (let step = 0; step <= Math.min(size, 1_000); step += 1) {
      const host = port.published === null ? "" : port.published.first + step;
      wanted.set(`${host}:${port.target.first + step}/${port.protocol}`, port);
    }
  }
  const found: Difference[] = [];
  const isOf = (key: string, one: string) => key === one || one.startsWith(":") && key.endsWith(one);
  const left = new Set([...actual].filter((key) => ![...wanted.keys()].some((one) => isOf(key, one))));
  for (const [key, { written, at, hostIp }] of wanted) {
    if (![...actual].some((one) => isOf(one, key))) {
      const near = [...left].find((one) => one.endsWith(key.slice(key.indexOf(":"))));
      if (near !== undefined) left.delete(near);
      found.push({ field: "ports", declared: written, seen: near ?? "(not set)", at });
    } else if (hostIp !== null && hostIp !== "0.0.0.0" && hostIp !== "::") {
      found.push({ field: "ports", declared: written, seen: `0.0.0.0:${key}, on every node`, at });
    }
  }
  const at = nodeOf(unit, "ports") ?? unit.source;
  for (const seen of left) found.push({ field: "ports", declared: "(not set)", seen, at, isAbsent: true });
  return found;
}

function networks(of: Declared, { networks: actual }: ServiceDefinition): Difference[] {
  if (actual === null || nodeAt(of, "network_mode") !== null) return [];
  const uses = of.unit.references.filter(({ kind, under }) => kind === "uses" && under === "networks");
  const resources = uses.map(({ target }) =>
    of.group.resources.find(({ kind, id }) => kind === "network" && id === target)
  );
  if (resources.some((one) => one === undefined || one.name === null)) return [];
  const shown = (names: readonly string[]) => [...names].sort().join(", ") || "(none)";
  const names = resources.map((one) => one!.name!); // as the line above says
  const wanted = names.length === 0 ? [`${of.group.project}_default`] : names;
  if (sameSet(wanted, actual)) return [];
  return [{
    field: "networks",
    declared: shown(wanted),
    seen: shown(actual),
    at: nodeAt(of, "networks") ?? of.unit.source,
    ...(uses.length === 0 && { isAbsent: true as const }),
  }];
}

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
  const { value } = unit;
  if (value.kind !== "mapping") return [];
  const keys = networks === null ? ["networks"] : [];
  for (const [key, { value: of }] of value.entries) {
    if (key !== "deploy" || of.kind !== "mapping") keys.push(key);
    else keys.push(...[...of.entries.keys()].flatMap((one) => below(of, one, `deploy.${one}`)));
  }
  return keys.filter((key) => !key.startsWith("x-") && !isCompared(key));
}

/** The keys of a part of `deploy`, as far down as they are compared one by one. */
function below(map: Unit["value"], key: string, name: string): string[] {
  const node = valueAt(map, key);
  const isSplit = key === "resources" || key === "restart_policy" || key === "limits";
  if (!isSplit || node?.kind !== "mapping") return [name];
  return [...node.entries.keys()].flatMap((one) => below(node, one, `${name}.${one}`));
}

const isCompared = (key: string): boolean =>
  COMPARED.has(key) || [...COMPARED].some((one) => one.startsWith(`${key}.`) && !key.startsWith("deploy"));
