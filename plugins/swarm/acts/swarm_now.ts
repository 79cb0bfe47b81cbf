/** Reads all of a swarm that a plan looks at, anew from a manager. */
import { isPausedUpdate, type ServiceMode } from "../../../core/running_services.ts";
import { maskSaid } from "../../../core/secrets.ts";
import type { SwarmNetworkSpec } from "../../../core/service_spec.ts";
import type { StackFile, StackNetwork, StackService, SwarmNow } from "../../../core/stacks.ts";
import { at, type EnginePath } from "../../../engines/calls/path.ts";
import {
  flagOf,
  listOf,
  mapOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
  type Wire,
} from "../../../engines/calls/wire.ts";
import { NAMESPACE } from "../rows/service.ts";
import { compareSpecs } from "./compare_specs.ts";
import { serviceWire } from "./service_wire.ts";

/** Reads JSON from a manager. */
type Read = (path: EnginePath, query?: Record<string, string | boolean>) => Promise<unknown>;

/** API versions that keep `StartInterval` of a health check. */
const STARTS_BY_INTERVAL = 1.44;

/** Networks that are asked for one by one. */
const MOST_NETWORKS = 20;
const MOST_SAID = 500;

/** `apiVersion` tells that of the manager which answered: it drops what it does not know. */
export async function readSwarm(read: Read, apiVersion: () => string | null): Promise<SwarmNow> {
  const services = await read(at`/services`);
  const [networks, secrets, configs] = await Promise.all([
    read(at`/networks`),
    read(at`/secrets`),
    read(at`/configs`),
  ]);
  const names = new Map(
    listOf(networks).map(objectOf).map((one) => [textOf(one.Id), textOf(one.Name)] as const),
  );
  // A network of the nodes, as `host`, is in no list.
  const unlisted = new Set(listOf(services).flatMap((one) => networksIn(objectOf(one))))
    .difference(names);
  for (const id of [...unlisted].slice(0, MOST_NETWORKS)) {
    names.set(id, textOf(objectOf(await read(at`/networks/${id}`)).Name));
  }
  const networkOf = (id: string) => names.get(id) ?? null;
  const api = Number(apiVersion() ?? 0);
  return {
    services: listOf(services).map((one) => serviceOf(objectOf(one), networkOf, api)),
    networks: listOf(networks).map((one) => networkFrom(objectOf(one))),
    secrets: listOf(secrets).map((one) => fileFrom(objectOf(one), "secret")),
    configs: listOf(configs).map((one) => fileFrom(objectOf(one), "config")),
  };
}

const networksIn = ({ Spec }: Wire): string[] =>
  listOf(objectOf(objectOf(Spec).TaskTemplate).Networks).map((one) => textOf(objectOf(one).Target));

const stackIn = (labels: Readonly<Record<string, string>>): string | null => labels[NAMESPACE] ?? null;

function serviceOf(wire: Wire, networkOf: (id: string) => string | null, api: number): StackService {
  const spec = objectOf(wire.Spec);
  const labels = mapOf(spec.Labels);
  const specs = [spec, objectOf(wire.PreviousSpec)];
  return {
    id: textOf(wire.ID),
    name: textOf(spec.Name),
    stack: stackIn(labels),
    version: numberOf(objectOf(wire.Version).Index),
    labels,
    definition: JSON.stringify(spec),
    mode: modeOf(objectOf(spec.Mode)),
    image: textOf(containerIn(spec).Image),
    files: {
      secrets: specs.flatMap((one) => filesIn(one, "Secret")),
      configs: specs.flatMap((one) => filesIn(one, "Config")),
    },
    paused: pausedBy(objectOf(wire.UpdateStatus)),
    volumes: volumesIn(spec),
    differences: comparing(spec, networkOf, api),
  };
}

/** Returns the comparison of a definition with what is declared. */
function comparing(
  spec: Wire,
  networkOf: (id: string) => string | null,
  api: number,
): StackService["differences"] {
  return (declared) => {
    const asked = serviceWire(declared, { secrets: new Map(), configs: new Map() });
    const found = compareSpecs(asked, spec, networkOf);
    return api >= STARTS_BY_INTERVAL
      ? found
      : found.filter(({ field }) => field !== "healthcheck.start_interval");
  };
}

/** Returns the same for a service that was read alone: its networks are looked up by their ids. */
export async function differencesFrom(
  read: Read,
  spec: Wire,
  api: number,
): Promise<StackService["differences"]> {
  const names = new Map<string, string>();
  for (const id of networksIn({ Spec: spec }).slice(0, MOST_NETWORKS)) {
    names.set(id, textOf(objectOf(await read(at`/networks/${id}`)).Name));
  }
  return comparing(spec, (id) => names.get(id) ?? null, api);
}

const pausedBy = ({ State, Message }: Wire): string | null =>
  isPausedUpdate(textOf(State)) ? maskSaid(textOf(Message), []).slice(0, MOST_SAID) : null;

const volumesIn = (spec: Wire): string[] =>
  listOf(containerIn(spec).Mounts).map(objectOf).filter(({ Type }) => Type === "volume").map(({ Source }) =>
    textOf(Source)
  );

const containerIn = (spec: Wire): Wire => objectOf(objectOf(spec.TaskTemplate).ContainerSpec);

const filesIn = (spec: Wire, kind: "Secret" | "Config"): string[] =>
  listOf(containerIn(spec)[`${kind}s`]).map((one) => textOf(objectOf(one)[`${kind}Name`]));

function modeOf(mode: Wire): ServiceMode {
  if (mode.Global !== undefined) return "global";
  if (mode.GlobalJob !== undefined) return "globalJob";
  return mode.ReplicatedJob === undefined ? "replicated" : "replicatedJob";
}

function fileFrom(wire: Wire, kind: "secret" | "config"): StackFile {
  const spec = objectOf(wire.Spec);
  const labels = mapOf(spec.Labels);
  return {
    id: textOf(wire.ID),
    name: textOf(spec.Name),
    stack: stackIn(labels),
    labels,
    content: kind === "config" ? bytesOf(textOf(spec.Data)) : null,
  };
}

function bytesOf(base64: string): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return null;
  }
}

function networkFrom(wire: Wire): StackNetwork {
  const labels = mapOf(wire.Labels);
  return {
    id: textOf(wire.Id),
    name: textOf(wire.Name),
    stack: stackIn(labels),
    labels,
    differences: (declared) => networkDifferences(declared, wire),
  };
}

/** The swarm's own numbers for a network. */
const OWN_OPTION = "com.docker.network.driver.overlay.vxlanid_list";
/** Labels by which berth knows what it made. */
const OWN_LABEL = /^dev\.berth\./;

const written = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !OWN_LABEL.test(name)));

function networkDifferences(declared: SwarmNetworkSpec, wire: Wire): string[] {
  const ipam = objectOf(wire.IPAM);
  const text = (map: Readonly<Record<string, string>>) => JSON.stringify(Object.entries(map).sort());
  const { [OWN_OPTION]: _, ...options } = mapOf(wire.Options);
  const subnets = listOf(ipam.Config).map((one) => textOf(objectOf(one).Subnet)).sort();
  const wanted = declared.pools.flatMap(({ subnet }) => subnet ?? []).sort();
  const found: Readonly<Record<string, boolean>> = {
    driver: textOf(wire.Driver) !== declared.driver,
    driver_opts: text(options) !== text(declared.driverOptions),
    internal: flagOf(wire.Internal) !== declared.internal,
    attachable: flagOf(wire.Attachable) !== declared.attachable,
    enable_ipv6: declared.ipv6 !== null && flagOf(wire.EnableIPv6) !== declared.ipv6,
    "ipam.driver": (declared.ipamDriver ?? "default") !== (textOf(ipam.Driver) || "default"),
    "ipam.config": wanted.length > 0 && textsOf(subnets).join(" ") !== wanted.join(" "),
    labels: text(written(mapOf(wire.Labels))) !== text(written(declared.labels)),
  };
  return Object.entries(found).flatMap(([name, isOther]) => isOther ? [name] : []);
}
