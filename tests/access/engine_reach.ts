/**
 * Every field by which Docker's API (1.51, `HostConfig`, `Config`, `EndpointSettings`, `Mount`, network and volume
 * create) makes something, with what it can reach beyond the project. Written from the API's documentation, the manual
 * pages of `docker run`, `docker network create`, `docker volume create` and `podman run`, and the engine's Go structs,
 * before its author read berth's own table in `core/`. It imports nothing of berth, so that the two can disagree. Later
 * changes: the form of `Binds` is read, `ofelia.*` follows Ofelia's kinds of jobs,
 * and a network may be called `private`.
 */

/**
 * `host`: the host itself, its kernel, devices, files or processes. `others`: an object of another project, by name.
 * `own`: nothing but what the project has, or resources that a limit of the engine bounds.
 */
export type Reach = "host" | "others" | "own";

// deno-lint-ignore no-explicit-any -- the engine's own words
type Value = any;

export interface Field {
  /** The worst that the field can reach. */
  readonly reach: Reach;
  readonly why: string;
  /** Returns what this value reaches; without it each value that is set reaches `reach`. */
  readonly of?: (value: Value) => Reach;
}

const own = (why: string): Field => ({ reach: "own", why });
const host = (why: string, of?: (value: Value) => Reach): Field => ({
  reach: "host",
  why,
  ...(of && { of }),
});
const others = (why: string): Field => ({ reach: "others", why });

/** The worse of all. */
const worst = (all: readonly Reach[]): Reach =>
  all.includes("host") ? "host" : all.includes("others") ? "others" : "own";

/** A namespace of the host, of a path, of a pod, or of a container. */
const namespace = (mode: string): Reach =>
  ["", "private", "shareable", "none"].includes(mode)
    ? "own"
    : mode.startsWith("container:")
    ? "others"
    : "host";

/** `host`, a path or a helper with options is the host's; a name is a network's. */
const networkMode = (mode: string): Reach =>
  ["", "none", "default", "bridge", "nat"].includes(mode)
    ? "own"
    : /^(host|ns:|pod:|slirp4netns|pasta)/.test(mode)
    ? "host"
    : "others";

/** Kernel parameters that exist once for each IPC or network namespace; all others are the machine's. */
const sysctl = (name: string): Reach =>
  /^(net\.|fs\.mqueue\.|kernel\.(msgmax|msgmnb|msgmni|sem|shmall|shmmax|shmmni|shm_rmid_forced)$)/.test(name)
    ? "own"
    : "host";

/** Drivers that write on this machine where the engine decides; options that only bound or tag what is written. */
const LOG_DRIVERS = ["", "none", "local", "json-file", "journald", "k8s-file", "passthrough"];
const LOG_OPTIONS = [
  "max-size",
  "max-file",
  "max-buffer-size",
  "mode",
  "compress",
  "labels",
  "labels-regex",
  "env",
]
  .concat(["env-regex", "tag", "cache-disabled", "cache-max-file", "cache-max-size", "cache-compress"]);
const log = ({ Type = "", Config = {} }: Value): Reach =>
  LOG_DRIVERS.includes(Type) && Object.keys(Config ?? {}).every((key) => LOG_OPTIONS.includes(key))
    ? "own"
    : "host";

const PRIVATE_RANGES = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd][0-9a-f]{2}:)/i;
const ipam = ({ Driver = "default", Options = {}, Config = [] }: Value): Reach =>
  ["", "default", "host-local"].includes(Driver) && Object.keys(Options ?? {}).length === 0 &&
    Config.every((pool: Value) =>
      ["Subnet", "IPRange", "Gateway"].every((key) => !pool[key] || PRIVATE_RANGES.test(pool[key]))
    )
    ? "own"
    : "host";

/** Labels that a widespread program on the host obeys with the rights of the engine. */
const label = (name: string): Reach =>
  /^(ofelia\.(service|job-(local|run|service-run|compose)\.)|io\.containers\.autoupdate)/.test(name)
    ? "host"
    : /^com\.docker\.(compose|stack|swarm)\./.test(name)
    ? "others"
    : "own";
const labels = (map: Value): Reach => worst(Object.keys(map ?? {}).map(label));

/** The fields of a container's `HostConfig`. */
export const HOST_CONFIG: Readonly<Record<string, Field>> = {
  AutoRemove: own("removes the container itself"),
  Annotations: host(
    "orders to the OCI runtime and its hooks",
    (map) => Object.keys(map ?? {}).length ? "host" : "own",
  ),
  Binds: host("any path of the host", (list) => worst((list ?? []).map(bindReach))),
  BlkioDeviceReadBps: host("names a device of the host"),
  BlkioDeviceReadIOps: host("names a device of the host"),
  BlkioDeviceWriteBps: host("names a device of the host"),
  BlkioDeviceWriteIOps: host("names a device of the host"),
  BlkioWeight: own("a share"),
  BlkioWeightDevice: host("names a device of the host"),
  CapAdd: host("powers over the kernel", (list) => list?.length ? "host" : "own"),
  CapDrop: own("gives powers away"),
  Cgroup: host("the control group of another container"),
  CgroupParent: host("leaves the limits of the engine's own group"),
  CgroupnsMode: host("sees the machine's control groups", namespace),
  ConsoleSize: own("of a terminal"),
  ContainerIDFile: own("written by clients alone"),
  CpuCount: own("a limit"),
  CpuPercent: own("a limit"),
  CpuPeriod: own("a limit"),
  CpuQuota: own("a limit"),
  CpuRealtimePeriod: host("a realtime process can starve the machine"),
  CpuRealtimeRuntime: host("a realtime process can starve the machine"),
  CpuShares: own("a share"),
  CpusetCpus: own("a limit"),
  CpusetMems: own("a limit"),
  DeviceCgroupRules: host("any device of the host", (list) => list?.length ? "host" : "own"),
  DeviceRequests: host("GPUs, and what a driver brings with them", (list) => list?.length ? "host" : "own"),
  Devices: host("any device of the host", (list) => list?.length ? "host" : "own"),
  Dns: own("whom its own resolver asks"),
  DnsOptions: own("of its own resolver"),
  DnsSearch: own("of its own resolver"),
  ExtraHosts: own("its own /etc/hosts"),
  GroupAdd: own("numbers; files of the host are out of sight"),
  IOMaximumBandwidth: own("a limit, on Windows"),
  IOMaximumIOps: own("a limit, on Windows"),
  Init: own("the engine's own init"),
  IpcMode: host("shared memory of the host or of another", namespace),
  Isolation: host(
    "on Windows, less than a machine of its own",
    (one) => one === "" || one === "default" ? "own" : "host",
  ),
  KernelMemory: own("a limit"),
  KernelMemoryTCP: own("a limit"),
  Links: others("environment and address of another container"),
  LogConfig: host("drivers that dial, and options that name paths", log),
  MaskedPaths: host("shows what /proc hides"),
  Memory: own("a limit"),
  MemoryReservation: own("a limit"),
  MemorySwap: own("a limit"),
  MemorySwappiness: own("of its own group"),
  Mounts: host("see `MOUNT`", (list) => worst((list ?? []).map(mountReach))),
  NanoCpus: own("a limit"),
  NetworkMode: host("the host's interfaces and loopback, or another network", networkMode),
  OomKillDisable: host("the machine kills others in its place", (is) => is === true ? "host" : "own"),
  OomScoreAdj: host(
    "below zero the machine kills others in its place",
    (score) => score < 0 ? "host" : "own",
  ),
  PidMode: host("processes of the host or of another", namespace),
  PidsLimit: own("a limit"),
  PortBindings: own("a port that nobody has; whoever may apply may publish"),
  Privileged: host("everything", (is) => is === true ? "host" : "own"),
  PublishAllPorts: own("free ports of the host"),
  ReadonlyPaths: host("makes /proc and /sys writable"),
  ReadonlyRootfs: own("gives powers away"),
  RestartPolicy: own("its own life"),
  Runtime: host("another program in place of runc", (name) => name === "" ? "own" : "host"),
  SecurityOpt: host(
    "takes the engine's filters away",
    (list) =>
      (list ?? []).every((one: string) => /^no-new-privileges([:=]true)?$/.test(one)) ? "own" : "host",
  ),
  ShmSize: own("memory, which counts as its own"),
  StorageOpt: host("options of the storage driver", (map) => Object.keys(map ?? {}).length ? "host" : "own"),
  Sysctls: host("parameters of the machine's kernel", (map) => worst(Object.keys(map ?? {}).map(sysctl))),
  Tmpfs: own("memory, which counts as its own"),
  UTSMode: host("the machine's name", namespace),
  Ulimits: own("hard limits below the engine's own"),
  UsernsMode: host("turns off the mapping of users", namespace),
  VolumeDriver: host("a plugin on the host", (name) => name === "" || name === "local" ? "own" : "host"),
  VolumesFrom: others("the mounts of another container, with its rights"),
};

/** The top-level fields of a container's creation, beside `HostConfig` and `NetworkingConfig`. */
export const CONFIG: Readonly<Record<string, Field>> = {
  ArgsEscaped: own("of Windows"),
  AttachStderr: own("of the caller's connection"),
  AttachStdin: own("of the caller's connection"),
  AttachStdout: own("of the caller's connection"),
  Cmd: own("inside"),
  Domainname: own("inside"),
  Entrypoint: own("inside"),
  Env: own("inside"),
  ExposedPorts: own("a note"),
  Healthcheck: own("inside"),
  Hostname: own("inside"),
  Image: own("an image; whoever may apply may run images"),
  Labels: host("programs on the host obey labels", labels),
  MacAddress: own("on its own networks"),
  NetworkDisabled: own("gives powers away"),
  OnBuild: own("of images"),
  OpenStdin: own("of its own input"),
  Shell: own("inside"),
  StdinOnce: own("of its own input"),
  StopSignal: own("inside"),
  StopTimeout: own("inside"),
  Tty: own("inside"),
  User: own("inside"),
  Volumes: own("volumes without a name"),
  WorkingDir: own("inside"),
};

/** The settings of an endpoint; the network's name itself is `others`. */
export const ENDPOINT: Readonly<Record<string, Field>> = {
  Aliases: own("names on that network"),
  DNSNames: own("answered by the engine"),
  DriverOpts: host(
    "sysctls of an interface, and what a driver makes of it",
    (map) => Object.keys(map ?? {}).length ? "host" : "own",
  ),
  EndpointID: own("answered by the engine"),
  Gateway: own("answered by the engine"),
  GlobalIPv6Address: own("answered by the engine"),
  GlobalIPv6PrefixLen: own("answered by the engine"),
  GwPriority: own("which of its networks leads out"),
  IPAMConfig: own("an address on that network"),
  IPAddress: own("answered by the engine"),
  IPPrefixLen: own("answered by the engine"),
  IPv6Gateway: own("answered by the engine"),
  Links: others("a name for another container"),
  MacAddress: own("on that network"),
  NetworkID: own("answered by the engine"),
};

/** One mount. */
export const MOUNT: Readonly<Record<string, Field>> = {
  BindOptions: host(
    "propagation of mounts to the host",
    (options) => ["", "private", "rprivate"].includes(options?.Propagation ?? "") ? "own" : "host",
  ),
  ClusterOptions: host("a volume of the cluster's plugins"),
  Consistency: own("of Docker Desktop"),
  ImageOptions: own("a folder in an image"),
  ReadOnly: own("gives powers away"),
  Source: host("a path of the host, or a volume's name"),
  Target: own("inside"),
  TmpfsOptions: own("memory, which counts as its own"),
  Type: host(
    "bind, npipe, cluster: the host's",
    (type) => ["volume", "tmpfs", "image"].includes(type) ? "own" : "host",
  ),
  VolumeOptions: host(
    "a driver with options mounts what they say",
    (options) => volumeReach(options?.DriverConfig ?? {}),
  ),
};

/** `source:target:options`; a source without a slash is a volume's name. */
function bindReach(bind: string): Reach {
  const [source = "", , options = ""] = bind.split(":");
  return source.startsWith("/") || /r?(shared|slave)/.test(options) ? "host" : "others";
}

/** Returns the reach of a whole mount. A bind is `host` here: which folder is harmless is a question of folders. */
function mountReach(mount: Value): Reach {
  const byName = mount.Type === "volume" && mount.Source ? "others" : "own";
  const fields = ["BindOptions", "ClusterOptions", "Type", "VolumeOptions"].filter((key) =>
    mount[key] !== undefined
  );
  return worst([byName, ...fields.map((key) => reachOf(MOUNT[key]!, mount[key]))]);
}

/** Options of `local` are those of mount(8): a device, an overlay, a server. */
function volumeReach({ Name, Driver = Name, Options, DriverOpts = Options }: Value): Reach {
  return (Driver ?? "local") === "local" && Object.keys(DriverOpts ?? {}).length === 0 ? "own" : "host";
}

/** `POST /volumes/create`. */
export const VOLUME: Readonly<Record<string, Field>> = {
  ClusterVolumeSpec: host("plugins of the cluster"),
  Driver: host("a plugin on the host", (name) => ["", "local"].includes(name) ? "own" : "host"),
  DriverOpts: host("what mount(8) takes", (map) => Object.keys(map ?? {}).length ? "host" : "own"),
  Labels: host("programs on the host obey labels", labels),
  Name: others("one that is there already is answered as if it were made"),
};

/** `POST /networks/create`. */
export const NETWORK: Readonly<Record<string, Field>> = {
  Attachable: own("containers may join"),
  CheckDuplicate: own("of old engines"),
  ConfigFrom: others("the settings of another network"),
  ConfigOnly: own("makes settings alone"),
  Driver: host(
    "macvlan, ipvlan, host and plugins stand on the host's interfaces",
    (name) => ["", "bridge"].includes(name) ? "own" : "host",
  ),
  EnableIPv4: own("addresses"),
  EnableIPv6: own("addresses"),
  IPAM: host("ranges of the host's own networks take their traffic", ipam),
  Ingress: host("the cluster's own network"),
  Internal: own("gives powers away"),
  Labels: host("programs on the host obey labels", labels),
  Name: others("a name that others join"),
  Options: host(
    "an interface of the host, masquerading, trust",
    (map) => Object.keys(map ?? {}).length ? "host" : "own",
  ),
  Scope: host("of the cluster", (scope) => ["", "local"].includes(scope) ? "own" : "host"),
};

/** Returns what the field reaches with this value. */
export const reachOf = (field: Field, value: Value): Reach =>
  field.of === undefined ? field.reach : field.of(value);
