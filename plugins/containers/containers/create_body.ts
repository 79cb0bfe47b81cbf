/** The body that tells an engine what to create: the other direction of `inspected.ts`. */
import type { ContainerSpec } from "../../../core/runtime.ts";
import { UNMASKED } from "../../../core/security_option.ts";
import type { Wire } from "../../../engines/calls/wire.ts";

/** All but what no body carries: the platform is part of the query, and files are copied afterwards. */
type Carried = Partial<Omit<ContainerSpec, "platform" | "files">> & {
  readonly platform?: never;
  readonly files?: never;
};

/**
 * The body of `POST /containers/create`. What is not asked for is left to the image and the engine. Engines before API
 * 1.44 take one network: it has the first, and `connectBody` brings the others.
 */
export function createBody(asked: Carried): Wire {
  return given({
    Image: asked.image,
    Cmd: asked.command,
    Entrypoint: asked.entrypoint,
    Env: asked.env &&
      Object.entries(asked.env).map(([name, value]) => value === null ? name : `${name}=${value}`),
    Labels: asked.labels,
    User: asked.user,
    WorkingDir: asked.workingDir,
    Hostname: asked.hostname,
    Domainname: asked.domainname,
    Tty: asked.terminal,
    OpenStdin: asked.stdinOpen,
    StopSignal: asked.stopSignal,
    StopTimeout: asked.stopTimeoutSeconds ?? undefined,
    ExposedPorts: exposedPorts(asked),
    Volumes: asked.mounts &&
      Object.fromEntries(asked.mounts.filter(isAnonymous).map(({ target }) => [target, {}])),
    Healthcheck: healthcheck(asked),
    HostConfig: hostConfig(asked),
    // Engines before API 1.44 take it here, and the others from the network.
    MacAddress: asked.networks?.[0]?.macAddress ?? undefined,
    NetworkingConfig: asked.networks?.[0] &&
      { EndpointsConfig: { [asked.networks[0].name]: endpoint(asked.networks[0]) } },
  });
}

/** The body of `POST /networks/{name}/connect`. */
export function connectBody(container: string, network: ContainerSpec["networks"][number]): Wire {
  return { Container: container, EndpointConfig: endpoint(network) };
}

/** The body of `POST /containers/{id}/update`: what an engine changes in place. */
export function updateBody(asked: Partial<ContainerSpec>): Wire {
  return given({ RestartPolicy: restartPolicy(asked), ...limits(asked) });
}

const restartPolicy = ({ restart }: Partial<ContainerSpec>): Wire | undefined =>
  restart && { Name: restart.name, MaximumRetryCount: restart.maximumRetries };

function limits(asked: Partial<ContainerSpec>): Wire {
  return {
    Memory: asked.memoryLimitBytes ?? undefined,
    MemoryReservation: asked.memoryReservationBytes ?? undefined,
    MemorySwap: asked.memorySwapBytes ?? undefined,
    NanoCpus: asked.cpus === undefined || asked.cpus === null ? undefined : Math.round(asked.cpus * 1e9),
    CpuShares: asked.cpuShares ?? undefined,
    CpuPeriod: asked.cpuPeriod ?? undefined,
    CpuQuota: asked.cpuQuota ?? undefined,
    CpusetCpus: asked.cpuset,
    PidsLimit: asked.pidsLimit ?? undefined,
  };
}

function hostConfig(asked: Carried): Wire {
  return given({
    Init: asked.init ?? undefined,
    RestartPolicy: restartPolicy(asked),
    PortBindings: asked.ports && portBindings(asked.ports),
    // A folder of the host that is not there is made, as Compose does it.
    Binds: asked.mounts &&
      asked.mounts.filter(isBound).map(({ source, target, readOnly, options }) => {
        const all = [...(readOnly ? ["ro"] : []), ...options];
        return `${source}:${target}${all.length > 0 ? `:${all.join(",")}` : ""}`;
      }),
    Mounts: asked.mounts &&
      asked.mounts.filter((mount) => !isBound(mount) && !isAnonymous(mount)).map((mount) =>
        given({
          Type: mount.type,
          Source: mount.source === "" ? undefined : mount.source,
          Target: mount.target,
          ReadOnly: mount.readOnly,
          ...mountOptions(mount),
        })
      ),
    Tmpfs: asked.tmpfs,
    VolumesFrom: asked.volumesFrom,
    NetworkMode: asked.networkMode,
    Links: asked.links,
    IpcMode: asked.ipcMode,
    PidMode: asked.pidMode,
    UTSMode: asked.utsMode,
    UsernsMode: asked.userMode,
    CgroupnsMode: asked.cgroupMode,
    CgroupParent: asked.cgroupParent,
    StorageOpt: asked.storageOptions,
    Isolation: asked.isolation,
    Dns: asked.dns,
    DnsSearch: asked.dnsSearch,
    DnsOptions: asked.dnsOptions,
    ExtraHosts: asked.extraHosts,
    Privileged: asked.privileged,
    ReadonlyRootfs: asked.readOnlyRoot,
    CapAdd: asked.capAdd,
    CapDrop: asked.capDrop,
    SecurityOpt: asked.securityOptions?.filter((one) => one !== UNMASKED),
    ...(asked.securityOptions?.includes(UNMASKED) && { MaskedPaths: [], ReadonlyPaths: [] }),
    GroupAdd: asked.groupAdd,
    Runtime: asked.runtime,
    Sysctls: asked.sysctls,
    Ulimits: asked.ulimits &&
      Object.entries(asked.ulimits).map(([name, { soft, hard }]) => ({ Name: name, Soft: soft, Hard: hard })),
    Devices: asked.devices?.map(({ source, target, rights }) => ({
      PathOnHost: source,
      PathInContainer: target,
      CgroupPermissions: rights,
    })),
    DeviceCgroupRules: asked.deviceRules,
    DeviceRequests: asked.deviceRequests?.map(({ driver, count, ids, capabilities, options }) => ({
      Driver: driver,
      Count: count,
      DeviceIDs: ids,
      Capabilities: capabilities.length > 0 ? [capabilities] : [],
      Options: options,
    })),
    Annotations: asked.annotations,
    LogConfig: asked.log && { Type: asked.log.driver, Config: asked.log.options },
    ...limits(asked),
    ShmSize: asked.sharedMemoryBytes ?? undefined,
    MemorySwappiness: asked.memorySwappiness ?? undefined,
    ...blockIo(asked.blockIo ?? {}),
    OomScoreAdj: asked.oomScoreAdjustment,
    OomKillDisable: asked.oomKillDisabled,
  });
}

type Mount = ContainerSpec["mounts"][number];

/** Options that only the long form has. */
const LONG = /^(?:subpath|recursive)=/;

/** SELinux only the short form knows. */
const SHORT = /^[zZ]$/;

/** The engine takes a colon of the short form for the end of a path, and would mount another one than was judged. */
const isBound = ({ type, source, target, options, mustExist }: Mount): boolean =>
  source !== "" && (type === "bind" || type === "volume") && !`${source}${target}`.includes(":") &&
  !options.some((one) => LONG.test(one)) &&
  (mustExist === undefined || options.some((one) => SHORT.test(one)));
const isAnonymous = ({ type, source }: Mount): boolean => type === "volume" && source === "";

function mountOptions({ type, options, mustExist }: Mount): Wire {
  const valueOf = (name: string) => options.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const [size, mode, subpath] = [valueOf("size"), valueOf("mode"), valueOf("subpath")];
  if (type === "tmpfs") {
    const asked = given({
      SizeBytes: size === undefined ? undefined : Number(size),
      Mode: mode === undefined ? undefined : parseInt(mode, 8),
    });
    return { TmpfsOptions: asked };
  }
  if (type === "image") return { ImageOptions: given({ Subpath: subpath }) };
  if (type === "volume") {
    return { VolumeOptions: given({ NoCopy: options.includes("nocopy") || undefined, Subpath: subpath }) };
  }
  const propagation = options.find((one) => /^r?(?:shared|slave|private)$/.test(one));
  return {
    BindOptions: given({
      Propagation: propagation,
      CreateMountpoint: mustExist ? undefined : true,
      NonRecursive: options.includes("recursive=disabled") || undefined,
    }),
  };
}

function exposedPorts({ exposedPorts = [], ports = [] }: Carried): Wire | undefined {
  const all = [...exposedPorts, ...ports.map(({ container, protocol }) => `${container}/${protocol}`)];
  return all.length === 0 ? undefined : Object.fromEntries(all.map((port) => [port, {}]));
}

function portBindings(ports: ContainerSpec["ports"]): Wire {
  const bindings: Record<string, Wire[]> = {};
  for (const { container, protocol, host, hostLast, address } of ports) {
    const published = host === null ? "" : hostLast === undefined ? String(host) : `${host}-${hostLast}`;
    (bindings[`${container}/${protocol}`] ??= []).push({ HostIp: address ?? "", HostPort: published });
  }
  return bindings;
}

function healthcheck({ healthcheck, healthTimes }: Carried): Wire | undefined {
  if (healthcheck === undefined && healthTimes === undefined) return undefined;
  const times = healthTimes ?? { interval: 0, timeout: 0, startPeriod: 0, startInterval: 0, retries: 0 };
  return given({
    Test: healthcheck ?? undefined,
    Interval: times.interval,
    Timeout: times.timeout,
    StartPeriod: times.startPeriod,
    StartInterval: times.startInterval || undefined, // engines before API 1.44 do not know it
    Retries: times.retries,
  });
}

function endpoint(network: ContainerSpec["networks"][number]): Wire {
  const { aliases, ipv4Address, ipv6Address, linkLocalAddresses, macAddress, links } = network;
  const addresses = given({
    IPv4Address: ipv4Address ?? undefined,
    IPv6Address: ipv6Address ?? undefined,
    LinkLocalIPs: linkLocalAddresses.length > 0 ? linkLocalAddresses : undefined,
  });
  return given({
    Aliases: aliases,
    IPAMConfig: Object.keys(addresses).length > 0 ? addresses : undefined,
    MacAddress: macAddress ?? undefined,
    Links: links.length > 0 ? links : undefined,
    DriverOpts: Object.keys(network.driverOptions).length > 0 ? network.driverOptions : undefined,
    GwPriority: network.gatewayPriority || undefined,
  });
}

const RATES: Readonly<Record<string, string>> = {
  readBps: "BlkioDeviceReadBps",
  readIops: "BlkioDeviceReadIOps",
  writeBps: "BlkioDeviceWriteBps",
  writeIops: "BlkioDeviceWriteIOps",
};

function blockIo(asked: ContainerSpec["blockIo"]): Wire {
  const body: Record<string, unknown[]> = {};
  let weight: number | undefined;
  for (const [name, amount] of Object.entries(asked)) {
    const [what = "", path] = name.split(" ");
    if (path === undefined) weight = amount;
    else if (what === "weight") (body["BlkioWeightDevice"] ??= []).push({ Path: path, Weight: amount });
    else (body[RATES[what]!] ??= []).push({ Path: path, Rate: amount }); // one of those
  }
  return given({ BlkioWeight: weight, ...body });
}

/** Without what is undefined. */
export function given(fields: Readonly<Record<string, unknown>>): Wire {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
