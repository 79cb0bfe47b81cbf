/** A container as it was created, with the defaults of its image: what drift compares with. */
import { type ClaimLookup, NO_CLAIMS } from "../../../core/claims.ts";
import { Lru } from "../../../core/lru.ts";
import type { InspectedContainer } from "../../../core/runtime.ts";
import { UNMASKED } from "../../../core/security_option.ts";
import type { EngineDefaults, Undeclarable } from "../../../core/undeclarable.ts";
import { unreadable } from "../../../engines/calls/failure.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { at, SlashedName } from "../../../engines/calls/path.ts";
import {
  flagOf,
  listOf,
  mapOf,
  numberOf,
  objectOf,
  textOf,
  textOrNull,
  textsOf,
  type Wire,
} from "../../../engines/calls/wire.ts";
import { commandWords, cpusOf, plainEnvironment, restartOf } from "./detail.ts";
import { declaredPorts } from "./declared_ports.ts";
import { type ContainerRow, containerRow } from "../../../engines/rows/container.ts";

type ImageDefaults = InspectedContainer["imageDefaults"];

const MOST_IMAGES = 256;
const SYSTEM_INIT = /(?:^|\/)(?:systemd|sbin\/init)$/;

/** Reads containers for comparison. Image defaults are cached: an image never changes under its id. */
export class Inspections {
  readonly #images = new Lru<Promise<ImageDefaults>>(MOST_IMAGES);

  constructor(private readonly claims: ClaimLookup = NO_CLAIMS) {}

  async read(engine: Engine, id: string): Promise<InspectedContainer> {
    const doing = `inspect container "${id}"`;
    const inspected = await engine.get(at`/containers/${id}/json`, { doing, missing: "container_not_found" });
    return await this.of(engine, objectOf(inspected), doing);
  }

  /** A container of the engine's own answer. */
  async of(engine: Engine, wire: Wire, doing: string): Promise<InspectedContainer> {
    const row = containerRow(wire, engine.name, { claims: this.claims });
    if (row === null) throw unreadable(engine.name, doing);
    return made(row, wire, await this.#defaults(engine, row.imageId));
  }

  /** Settings of an engine change with its restart alone: they are asked for each time. */
  async defaultsOf(engine: Engine): Promise<EngineDefaults> {
    const doing = `read the settings of engine "${engine.name}"`;
    const info = objectOf(await engine.get(at`/info`, { doing }));
    return {
      logDriver: textOrNull(info.LoggingDriver),
      runtime: textOrNull(info.DefaultRuntime),
      // With the second version of control groups, Docker gives each container a namespace of its own.
      cgroupMode: textOf(info.CgroupVersion) === "2" ? "private" : "host",
    };
  }

  /** Null where the engine does not tell, or has no such image. */
  async taggedAt(engine: Engine, name: string): Promise<number | null> {
    const doing = `inspect image "${name}"`;
    const path = at`/images/${new SlashedName(name)}/json`;
    const image = await engine.get(path, { doing, missing: "image_not_found" }).catch(() => null);
    const time = Date.parse(textOf(objectOf(objectOf(image).Metadata).LastTagTime));
    return time > 0 ? time : null; // the year 1 is nobody's
  }

  #defaults(engine: Engine, imageId: string): Promise<ImageDefaults> {
    const key = `${engine.name} ${imageId}`;
    const known = this.#images.get(key);
    if (known !== undefined) return known;
    const asked = readDefaults(engine, imageId).catch(() => {
      this.#images.delete(key);
      return null;
    });
    this.#images.set(key, asked);
    return asked;
  }
}

async function readDefaults(engine: Engine, imageId: string): Promise<ImageDefaults> {
  const config = objectOf(
    objectOf(
      await engine.get(at`/images/${new SlashedName(imageId)}/json`, {
        doing: `inspect image "${imageId}"`,
        missing: "image_not_found",
      }),
    ).Config,
  );
  return {
    command: textsOf(config.Cmd),
    entrypoint: commandWords(config.Entrypoint),
    env: plainEnvironment(textsOf(config.Env)),
    labels: mapOf(config.Labels),
    user: textOf(config.User),
    workingDir: textOf(config.WorkingDir),
    stopSignal: signalOf(config.StopSignal),
    exposedPorts: exposedOf(config),
    volumes: Object.keys(objectOf(config.Volumes)),
    ...healthOf(config.Healthcheck),
  };
}

function made(row: ContainerRow, wire: Wire, imageDefaults: ImageDefaults): InspectedContainer {
  const config = objectOf(wire.Config);
  const host = objectOf(wire.HostConfig);
  const networks = Object.entries(objectOf(objectOf(wire.NetworkSettings).Networks));
  return {
    ...row,
    labels: mapOf(config.Labels),
    command: textsOf(config.Cmd),
    entrypoint: commandWords(config.Entrypoint),
    env: plainEnvironment(textsOf(config.Env)),
    imageDefaults,
    pid: numberOf(objectOf(wire.State).Pid) || null,
    inherited: textsOf(host.VolumesFrom).length === 0 ? [] : inheritedTargets(host, config, row),
    askedMacAddress: textOrNull(config.MacAddress),
    undeclarable: undeclarableOf(host),
    isSystem: SYSTEM_INIT.test([...commandWords(config.Entrypoint), ...textsOf(config.Cmd)][0] ?? ""),
    user: textOf(config.User),
    workingDir: textOf(config.WorkingDir),
    hostname: textOf(config.Hostname),
    domainname: textOf(config.Domainname),
    terminal: flagOf(config.Tty),
    stdinOpen: flagOf(config.OpenStdin),
    stopSignal: signalOf(config.StopSignal),
    // Podman says 0 where nothing was asked for.
    stopTimeoutSeconds: typeof config.StopTimeout === "number" ? config.StopTimeout : null,
    init: typeof host.Init === "boolean" ? host.Init : null,
    restart: restartOf(host),
    ports: declaredPorts(host, row, exposedOf(config)),
    exposedPorts: exposedOf(config),
    // A named volume is declared by its name, not by the folder where the engine stores it.
    mounts: row.mounts.map(({ type, name, source, target, readOnly }) => ({
      type,
      source: name ?? source,
      target,
      readOnly,
      options: mountOptions(host, target),
    })),
    tmpfs: mapOf(host.Tmpfs),
    volumesFrom: textsOf(host.VolumesFrom),
    networks: networks.map(([name, network]) => attachmentOf(name, objectOf(network), config)),
    networkMode: textOf(host.NetworkMode),
    links: textsOf(host.Links).map(linkOf).sort(), // Docker tells them in any order
    ipcMode: textOf(host.IpcMode),
    pidMode: textOf(host.PidMode),
    utsMode: textOf(host.UTSMode),
    cgroupMode: textOf(host.CgroupnsMode),
    userMode: textOf(host.UsernsMode),
    cgroupParent: textOf(host.CgroupParent),
    storageOptions: mapOf(host.StorageOpt),
    isolation: textOf(host.Isolation),
    dns: textsOf(host.Dns),
    dnsSearch: textsOf(host.DnsSearch),
    dnsOptions: textsOf(host.DnsOptions),
    extraHosts: textsOf(host.ExtraHosts),
    privileged: flagOf(host.Privileged),
    readOnlyRoot: flagOf(host.ReadonlyRootfs),
    capAdd: textsOf(host.CapAdd),
    capDrop: textsOf(host.CapDrop),
    securityOptions: [...textsOf(host.SecurityOpt), ...(isUnmasked(host) ? [UNMASKED] : [])],
    groupAdd: textsOf(host.GroupAdd),
    runtime: textOf(host.Runtime),
    sysctls: mapOf(host.Sysctls),
    ulimits: Object.fromEntries(listOf(host.Ulimits).map(objectOf).map(ulimitOf)),
    ...devicesOf(host),
    annotations: mapOf(host.Annotations),
    platform: "",
    files: [],
    log: { driver: textOf(objectOf(host.LogConfig).Type), options: mapOf(objectOf(host.LogConfig).Config) },
    ...limitsOf(host),
    ...healthOf(config.Healthcheck),
  };
}

function devicesOf(host: Wire): Pick<InspectedContainer, "devices" | "deviceRules" | "deviceRequests"> {
  return {
    devices: listOf(host.Devices).map(objectOf).map((device) => ({
      source: textOf(device.PathOnHost),
      target: textOf(device.PathInContainer),
      rights: textOf(device.CgroupPermissions),
    })),
    deviceRules: textsOf(host.DeviceCgroupRules),
    deviceRequests: listOf(host.DeviceRequests).map(objectOf).map((request) => ({
      driver: textOf(request.Driver),
      count: numberOf(request.Count),
      ids: textsOf(request.DeviceIDs),
      capabilities: listOf(request.Capabilities).flatMap(textsOf),
      options: mapOf(request.Options),
    })),
  };
}

/** `db:store` of `/db:/web/store`. */
function linkOf(text: string): string {
  const [other = "", alias = ""] = text.split(":");
  return `${other.slice(other.lastIndexOf("/") + 1)}:${alias.slice(alias.lastIndexOf("/") + 1)}`;
}

/** An engine lists mounts of other containers as if they had been asked for. */
function inheritedTargets(host: Wire, config: Wire, { mounts }: ContainerRow): string[] {
  const asked = new Set([
    ...textsOf(host.Binds).map((bind) => bind.split(":")[1] ?? bind),
    ...listOf(host.Mounts).map((mount) => textOf(objectOf(mount).Target)),
    ...Object.keys(objectOf(config.Volumes)),
  ]);
  return mounts.map(({ target }) => target).filter((target) => !asked.has(target));
}

function undeclarableOf(host: Wire): Undeclarable[] {
  const found: readonly (readonly [Undeclarable, boolean])[] = [
    ["removesItself", flagOf(host.AutoRemove)],
    ["publishesAll", flagOf(host.PublishAllPorts)],
    ["volumeDriver", textOf(host.VolumeDriver) !== "" && textOf(host.VolumeDriver) !== "local"],
    ["memoryNodes", textOf(host.CpusetMems) !== ""],
    ["realtime", numberOf(host.CpuRealtimePeriod) !== 0 || numberOf(host.CpuRealtimeRuntime) !== 0],
    ["unmaskedPaths", isEmptyList(host.MaskedPaths) && !flagOf(host.Privileged) && !isUnmasked(host)],
  ];
  return found.flatMap(([name, isSet]) => isSet ? [name] : []);
}

/** A privileged container has neither by its privileges. */
const isUnmasked = (host: Wire): boolean =>
  isEmptyList(host.MaskedPaths) && isEmptyList(host.ReadonlyPaths) && !flagOf(host.Privileged);

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

type Limit =
  | "memoryLimitBytes"
  | "memoryReservationBytes"
  | "memorySwapBytes"
  | "sharedMemoryBytes"
  | "cpus"
  | "cpuShares"
  | "cpuPeriod"
  | "cpuQuota"
  | "memorySwappiness"
  | "blockIo"
  | "cpuset"
  | "pidsLimit"
  | "oomScoreAdjustment"
  | "oomKillDisabled";

function limitsOf(host: Wire): Pick<InspectedContainer, Limit> {
  return {
    memoryLimitBytes: amountOf(host.Memory),
    memoryReservationBytes: amountOf(host.MemoryReservation),
    memorySwapBytes: numberOf(host.MemorySwap) === 0 ? null : numberOf(host.MemorySwap),
    sharedMemoryBytes: amountOf(host.ShmSize),
    cpus: cpusOf(host),
    cpuShares: amountOf(host.CpuShares),
    // Podman says processors as these two.
    cpuPeriod: isByQuota(host) ? null : amountOf(host.CpuPeriod),
    cpuQuota: isByQuota(host) ? null : amountOf(host.CpuQuota),
    memorySwappiness: typeof host.MemorySwappiness === "number" ? host.MemorySwappiness : null,
    blockIo: blockIoOf(host),
    cpuset: textOf(host.CpusetCpus),
    pidsLimit: amountOf(host.PidsLimit),
    oomScoreAdjustment: numberOf(host.OomScoreAdj),
    oomKillDisabled: flagOf(host.OomKillDisable),
  };
}

const exposedOf = (config: Wire): string[] =>
  Object.keys(objectOf(config.ExposedPorts)).map((port) => port.includes("/") ? port : `${port}/tcp`);

const amountOf = (value: unknown): number | null => numberOf(value) > 0 ? numberOf(value) : null;

function attachmentOf(name: string, network: Wire, config: Wire): InspectedContainer["networks"][number] {
  const asked = objectOf(network.IPAMConfig);
  return {
    name,
    aliases: textsOf(network.Aliases),
    ipv4Address: textOrNull(asked.IPv4Address),
    ipv6Address: textOrNull(asked.IPv6Address),
    linkLocalAddresses: textsOf(asked.LinkLocalIPs),
    // Before API 1.44 only the container tells what was asked for.
    macAddress: textOrNull(network.MacAddress) ?? textOrNull(config.MacAddress),
    links: textsOf(network.Links),
    driverOptions: mapOf(network.DriverOpts),
    gatewayPriority: numberOf(network.GwPriority),
  };
}

/** Options that an engine sets by itself, and those that other fields show. */
const OWN_OPTIONS = ["", "rw", "ro", "rbind", "bind", "rprivate", "nosuid", "nodev", "noexec"];

/** Of a mount that was asked for, in either of the forms that there are. */
function mountOptions(host: Wire, target: string): string[] {
  for (const bind of textsOf(host.Binds)) {
    const [, place, options = ""] = bind.split(":");
    if (place !== target) continue;
    return options.split(",").filter((one) => !OWN_OPTIONS.includes(one));
  }
  const mount = listOf(host.Mounts).map(objectOf).find((one) => textOf(one.Target) === target);
  if (mount === undefined) return [];
  const [bind, volume, tmpfs, image] = [
    mount.BindOptions,
    mount.VolumeOptions,
    mount.TmpfsOptions,
    mount.ImageOptions,
  ]
    .map(objectOf) as [Wire, Wire, Wire, Wire]; // as many as there are
  const propagation = textOf(bind.Propagation);
  const subpath = textOf(volume.Subpath) || textOf(image.Subpath);
  return [
    ...(OWN_OPTIONS.includes(propagation) ? [] : [propagation]),
    ...(flagOf(bind.NonRecursive) ? ["recursive=disabled"] : []),
    ...(flagOf(volume.NoCopy) ? ["nocopy"] : []),
    ...(subpath === "" ? [] : [`subpath=${subpath}`]),
    ...(numberOf(tmpfs.SizeBytes) === 0 ? [] : [`size=${numberOf(tmpfs.SizeBytes)}`]),
    ...(numberOf(tmpfs.Mode) === 0 ? [] : [`mode=${numberOf(tmpfs.Mode).toString(8)}`]),
  ];
}

/** Podman's way to say a share of processors. */
const isByQuota = (host: Wire): boolean => numberOf(host.NanoCpus) > 0;

const BLOCK_IO = [
  ["BlkioWeightDevice", "weight", "Weight"],
  ["BlkioDeviceReadBps", "readBps", "Rate"],
  ["BlkioDeviceReadIOps", "readIops", "Rate"],
  ["BlkioDeviceWriteBps", "writeBps", "Rate"],
  ["BlkioDeviceWriteIOps", "writeIops", "Rate"],
] as const;

function blockIoOf(host: Wire): Record<string, number> {
  const weight = amountOf(host.BlkioWeight);
  const found = BLOCK_IO.flatMap(([list, name, amount]) =>
    listOf(host[list]).map(objectOf).map((one): [string, number] => [
      `${name} ${textOf(one.Path)}`,
      numberOf(one[amount]),
    ])
  );
  return Object.fromEntries([...(weight === null ? [] : [["weight", weight] as const]), ...found]);
}

/** Podman writes `RLIMIT_NOFILE` for `nofile`. */
function ulimitOf(limit: Wire): [string, { soft: number; hard: number }] {
  const name = textOf(limit.Name).replace(/^RLIMIT_/, "").toLowerCase();
  return [name, { soft: numberOf(limit.Soft), hard: numberOf(limit.Hard) }];
}

/** The signals that Linux has on all its common machines, by their numbers: Podman writes those. */
const SIGNALS =
  ("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP " +
    "TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS").split(" ");

/** `SIGTERM` of `SIGTERM`, `term` or `15`. */
function signalOf(value: unknown): string {
  const text = textOf(value).toUpperCase().replace(/^SIG/, "");
  const name = /^\d+$/.test(text) ? SIGNALS[Number(text) - 1] ?? text : text;
  return name === "" ? "" : `SIG${name}`;
}

function healthOf(value: unknown): Pick<InspectedContainer, "healthcheck" | "healthTimes"> {
  if (value === null || value === undefined) return { healthcheck: null, healthTimes: null };
  const check = objectOf(value);
  return {
    healthcheck: textsOf(check.Test),
    healthTimes: {
      interval: numberOf(check.Interval),
      timeout: numberOf(check.Timeout),
      startPeriod: numberOf(check.StartPeriod),
      startInterval: numberOf(check.StartInterval),
      retries: numberOf(check.Retries),
    },
  };
}
