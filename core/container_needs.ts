/** The rights that a container's spec needs: an allow list, so that a value it does not know needs the host. */
import type { ContainerSpec } from "./runtime.ts";
import {
  harmless,
  host,
  labelNeeds,
  needsOf,
  NO_FACTS,
  NOTHING,
  type Rows,
  type SpecFacts,
  type SpecNeed,
  unlessEmpty,
} from "./spec_rows.ts";

const CONTAINER: Rows<ContainerSpec> = {
  name: harmless,
  image: harmless,
  command: harmless,
  entrypoint: harmless,
  env: harmless,
  labels: (labels) => labelNeeds(labels),
  user: harmless,
  workingDir: harmless,
  hostname: harmless,
  domainname: harmless,
  terminal: harmless,
  stdinOpen: harmless,
  stopSignal: harmless,
  stopTimeoutSeconds: harmless,
  init: harmless,
  restart: harmless,
  ports: harmless,
  exposedPorts: harmless,
  mounts: (mounts, facts) => mounts.flatMap((one) => mountNeeds(one, facts)),
  files: harmless,
  tmpfs: harmless,
  volumesFrom: (others, facts) =>
    others.flatMap((one) => {
      const [container = ""] = one.split(":");
      return facts.isOwnContainer(container)
        ? NOTHING // `containerNeeds`
        : host("volumesFrom", `mounts what "${container}" has mounted, which is not of this project`);
    }),
  networks: (networks, facts) => networks.flatMap((one) => connectionNeeds(one, facts)),
  networkMode: (mode, facts) => networkModeNeeds(mode, facts),
  links: (links, facts) => linkNeeds(links, facts),
  ipcMode: (mode, facts) => namespaceNeeds("ipc", mode, facts),
  pidMode: (mode, facts) => namespaceNeeds("pid", mode, facts),
  utsMode: (mode, facts) => namespaceNeeds("uts", mode, facts),
  cgroupMode: (mode, facts) => namespaceNeeds("cgroup", mode, facts),
  userMode: (mode, facts) => namespaceNeeds("userNamespace", mode, facts),
  cgroupParent: unlessEmpty("cgroupParent", "joins a control group of the host"),
  storageOptions: unlessEmpty("storageOptions", "sets options of the host's storage"),
  isolation: (isolation) =>
    ["", "default"].includes(isolation) ? NOTHING : host("isolation", "chooses its isolation from the host"),
  dns: harmless,
  dnsSearch: harmless,
  dnsOptions: harmless,
  extraHosts: harmless,
  privileged: (privileged) => privileged ? host("privileged", "has all rights on the host") : NOTHING,
  readOnlyRoot: harmless,
  capAdd: unlessEmpty("capAdd", "has capabilities beyond the default ones"),
  capDrop: harmless,
  securityOptions: (options) =>
    options.every((one) => HARDENING.test(one))
      ? NOTHING
      : host("securityOptions", "changes how the host confines it"),
  groupAdd: harmless,
  runtime: unlessEmpty("runtime", "chooses the program of the host that runs it"),
  sysctls: (sysctls) =>
    Object.keys(sysctls).filter((name) => !NAMESPACED.test(name)).flatMap((name) =>
      host(`sysctls.${name}`, "sets a parameter of the host's kernel")
    ),
  ulimits: harmless,
  devices: unlessEmpty("devices", "uses devices of the host"),
  deviceRules: unlessEmpty("deviceRules", "uses devices of the host"),
  deviceRequests: (requests) => requests.flatMap((one) => needsOf(DEVICE_REQUEST, one, NO_FACTS)).slice(0, 1),
  annotations: unlessEmpty("annotations", "gives orders to the host's runtime"),
  platform: harmless,
  log: (log, facts) => needsOf(LOG, log, facts),
  memoryLimitBytes: harmless,
  memoryReservationBytes: harmless,
  memorySwapBytes: harmless,
  sharedMemoryBytes: harmless,
  cpus: harmless,
  cpuShares: harmless,
  cpuPeriod: harmless,
  cpuQuota: harmless,
  memorySwappiness: harmless,
  blockIo: harmless,
  cpuset: harmless,
  pidsLimit: harmless,
  oomScoreAdjustment: (score) =>
    score < 0 ? host("limits.oomScoreAdjustment", "is kept alive before processes of the host") : NOTHING,
  oomKillDisabled: (isDisabled) =>
    isDisabled ? host("limits.oomKillDisabled", "is kept alive before processes of the host") : NOTHING,
  healthcheck: harmless,
  healthTimes: harmless,
};

/** The option that only takes rights away. */
const HARDENING = /^no-new-privileges(?:[:=]true)?$/;
/** Kernel parameters that each container has for itself. */
const NAMESPACED =
  /^(?:net\.|kernel\.(?:msgmax|msgmnb|msgmni|sem|shmall|shmmax|shmmni|shm_rmid_forced)$|fs\.mqueue\.)/;

type Mount = ContainerSpec["mounts"][number];

/** Judged as a whole: what a source means depends on the type. */
function mountNeeds(mount: Mount, facts: SpecFacts): readonly SpecNeed[] {
  const field = `mounts.${mount.target}`;
  const unknown = mount.options.filter((one) => !MOUNT_OPTION.test(one));
  return [
    ...needsOf(MOUNT, mount, facts).map((one) => ({ ...one, field })),
    ...sourceNeeds(field, mount, facts),
    ...unknown.flatMap((one) => host(field, `has the mount option "${one}"`)),
  ];
}

/** Options that concern the mount alone; propagation would reach the host. */
const MOUNT_OPTION =
  /^(?:z|Z|r?private|nocopy|rw|ro|size=\d+|mode=\d+|subpath=.*|recursive=(?:enabled|disabled|writable|readonly))$/;
const MOUNT: Rows<Mount> = {
  type: (type) =>
    ["bind", "volume", "tmpfs", "image"].includes(type)
      ? NOTHING
      : host("mounts", `is a mount of the type "${type}"`),
  source: harmless, // `sourceNeeds`
  target: harmless,
  readOnly: harmless,
  options: harmless, // `mountNeeds`
  mustExist: harmless,
};

/** Names that engines give to volumes. */
const VOLUME_NAME = /^[0-9A-Za-z][\w.-]*$/;

function sourceNeeds(
  field: string,
  { type, source, readOnly }: Mount,
  facts: SpecFacts,
): readonly SpecNeed[] {
  if (type === "volume" && source !== "") {
    // Whatever a file calls its volume: an engine would take a path for a folder of the host.
    if (!VOLUME_NAME.test(source)) return host(field, `uses "${source}", which is no name of a volume`);
    if (facts.isDriversVolume(source)) {
      const why = `uses "${source}", whose driver or options can bind any folder of the host`;
      return [{ right: "host", field, name: source, why }];
    }
    const owner = facts.volumeOwner(source);
    if (owner === "own") return NOTHING;
    if (owner === "other") {
      return [{ right: "volume", field, name: source, why: `uses the volume "${source}" of another owner` }];
    }
    return host(field, `uses "${source}", which is no volume of this project`);
  }
  if (type !== "bind") return NOTHING;
  if (!readOnly && facts.isAboveMount(source)) {
    return host(field, "is a folder below which another container has something mounted");
  }
  switch (facts.placeOf(source)) {
    case "own":
      return NOTHING;
    case "workspace":
      return [{ right: "workspace", field, why: "lies outside of the project's own folder" }];
    case "shared":
      return host(field, "lies below a folder that another container may write to");
    case "special":
      return host(field, "is a socket or a device");
    case "mapped":
      return host(
        field,
        'is mapped by "paths" to a folder of the host that berth does not see to be the same',
      );
    case "outside":
      return host(field, "lies outside of the workspace");
  }
}

type Connection = ContainerSpec["networks"][number];

function linkNeeds(links: readonly string[], facts: SpecFacts): readonly SpecNeed[] {
  return links.flatMap((one) => {
    const [container = ""] = one.split(":");
    return facts.isOwnContainer(container)
      ? NOTHING
      : host("links", `reads the environment of "${container}", which is not of this project`);
  });
}

const CONNECTION: Rows<Connection> = {
  name: (name, facts) => membershipNeeds("networks", name, facts),
  aliases: harmless,
  ipv4Address: harmless,
  ipv6Address: harmless,
  linkLocalAddresses: harmless,
  macAddress: harmless,
  links: linkNeeds,
  driverOptions: (options) =>
    Object.keys(options).filter((name) => name !== INTERFACE_NAME).flatMap((name) =>
      host("driverOptions", `sets the driver option "${name}"`)
    ),
  gatewayPriority: harmless,
};

/** The name of the container's own network interface. */
const INTERFACE_NAME = "com.docker.network.endpoint.ifname";

const connectionNeeds = (one: Partial<Connection>, facts: SpecFacts) => needsOf(CONNECTION, one, facts);

function membershipNeeds(field: string, name: string, facts: SpecFacts): readonly SpecNeed[] {
  if (["none", "bridge", "default"].includes(name)) return NOTHING;
  // Engines take these for somebody's namespace or a helper on the host, whatever networks there are.
  if (["host", "pod", "pasta", "slirp4netns"].includes(name) || name.includes(":")) {
    return host(field, `joins the namespace "${name}"`);
  }
  const owner = facts.networkOwner(name);
  if (owner === "own") return NOTHING;
  return owner === "other"
    ? [{ right: "network", field, name, why: `joins the network "${name}" of another owner` }]
    : host(field, `joins "${name}", which is no network of this project`);
}

function networkModeNeeds(mode: string, facts: SpecFacts): readonly SpecNeed[] {
  return mode === "" || joinsOwn(mode, facts) ? NOTHING : membershipNeeds("networks", mode, facts);
}

function namespaceNeeds(field: string, mode: string, facts: SpecFacts): readonly SpecNeed[] {
  return ["", "private", "shareable", "none"].includes(mode) || joinsOwn(mode, facts)
    ? NOTHING
    : host(field, `joins the namespace "${mode}"`);
}

/** Returns true for the namespace of a container of the project, which `containerNeeds` judges. */
function joinsOwn(mode: string, facts: SpecFacts): boolean {
  const container = containerOf(mode);
  return container !== null && facts.isOwnContainer(container);
}

/** Returns the container whose namespace a mode joins; null for every other mode. */
const containerOf = (mode: string): string | null => /^container:(.*)$/.exec(mode)?.[1] ?? null;

type Lent = readonly (keyof ContainerSpec)[];
/** The fields of a container that one that joins it takes over. */
const LENT = {
  volumes: ["mounts", "volumesFrom"],
  network: ["networkMode", "networks", "links"],
  ipc: ["ipcMode"],
  uts: ["utsMode"],
  cgroup: ["cgroupMode"],
  user: ["userMode"],
  // A process can enter those that it sees: their files by /proc/<pid>/root, and their code by ptrace.
  pid: [
    "pidMode",
    "mounts",
    "volumesFrom",
    "networkMode",
    "networks",
    "links",
    "ipcMode",
    "utsMode",
    "userMode",
    "privileged",
    "devices",
    "deviceRules",
    "deviceRequests",
    "securityOptions",
  ],
} as const satisfies Record<string, Lent>;

/** A container that another one joins, with the field that says so and the part that it takes over. */
interface Loan {
  readonly field: string;
  readonly container: string;
  readonly lent: keyof typeof LENT;
}

const modesOf = (spec: Partial<ContainerSpec>) =>
  [
    ["networks", "network", spec.networkMode],
    ["ipc", "ipc", spec.ipcMode],
    ["pid", "pid", spec.pidMode],
    ["uts", "uts", spec.utsMode],
    ["cgroup", "cgroup", spec.cgroupMode],
    ["userNamespace", "user", spec.userMode],
  ] as const;

const loansOf = (spec: Partial<ContainerSpec>): readonly Loan[] => [
  ...(spec.volumesFrom ?? []).map((one): Loan => ({
    field: "volumesFrom",
    container: one.split(":")[0]!, // it has a first part
    lent: "volumes",
  })),
  ...modesOf(spec).flatMap(([field, lent, mode = ""]): readonly Loan[] => {
    const container = containerOf(mode);
    return container === null ? [] : [{ field, container, lent }];
  }),
];

/** Returns the containers that one joins by its spec. */
export const joinedBy = (spec: Partial<ContainerSpec>): readonly string[] =>
  loansOf(spec).map(({ container }) => container);

/**
 * Judges what a container takes over from others of its project as if it had asked for it itself, and what those take
 * over. Containers join each other in circles, in long chains and on many paths: each is judged once for a field.
 */
function lentNeeds(spec: Partial<ContainerSpec>, facts: SpecFacts): readonly SpecNeed[] {
  const found: SpecNeed[] = [];
  const seen = new Set<string>();
  const open = [...loansOf(spec)];
  for (const { field, container, lent } of open) { // it grows meanwhile
    const key = `${field} ${lent} ${container}`;
    if (seen.has(key) || !facts.isOwnContainer(container)) continue;
    seen.add(key);
    const lender = facts.specOf(container);
    if (lender === null) {
      found.push(...host(field, "joins a container that berth cannot look at"));
      continue;
    }
    const part = Object.fromEntries(
      LENT[lent].flatMap((name) => lender[name] === undefined ? [] : [[name, lender[name]]]),
    );
    const needs = needsOf(CONTAINER, part, facts);
    found.push(
      ...needs.map((one) => ({
        ...one,
        field,
        why: `shares "${one.field}" of another service, which ${one.why}`,
      })),
    );
    for (const loan of loansOf(part)) open.push({ ...loan, field });
  }
  return found;
}

type DeviceRequest = ContainerSpec["deviceRequests"][number];
const usesDevice = () => host("deviceRequests", "uses devices of the host");
const DEVICE_REQUEST: Rows<DeviceRequest> = {
  driver: usesDevice,
  count: usesDevice,
  ids: usesDevice,
  capabilities: usesDevice,
  options: usesDevice,
};

/** Drivers that write on the engine's own machine, and their options that name no path and no address. */
const LOG_DRIVERS = ["", "json-file", "local", "journald", "none"];
const LOG_OPTIONS = ["max-size", "max-file", "labels", "labels-regex", "env", "env-regex", "tag", "compress"]
  .concat(["mode", "max-buffer-size"]);
const LOG: Rows<ContainerSpec["log"]> = {
  driver: (driver) =>
    LOG_DRIVERS.includes(driver) ? NOTHING : host("log.driver", `logs by the driver "${driver}"`),
  options: (options) =>
    Object.keys(options).filter((name) => !LOG_OPTIONS.includes(name)).flatMap((name) =>
      host(`log.options.${name}`, `sets the log option "${name}"`)
    ),
};

/** Returns the rights that a container with this spec needs; also for a part of one. */
export const containerNeeds = (spec: Partial<ContainerSpec>, facts: SpecFacts): readonly SpecNeed[] => [
  ...needsOf(CONTAINER, spec, facts),
  ...lentNeeds(spec, facts),
];

/** Returns the rights that joining a network in this way needs. */
export const joinNeeds = (spec: Partial<Connection>, facts: SpecFacts): readonly SpecNeed[] =>
  connectionNeeds(spec, facts);
