/** The JSON that a manager is sent for a service: the one that `docker stack deploy` sends. */
import type { ServiceFile, UpdatePolicy } from "../../../core/running_services.ts";
import type { ServiceSpec } from "../../../core/service_spec.ts";
import type { FileIds } from "../../../core/stack_acts.ts";
import type { Wire } from "../../../engines/calls/wire.ts";

type Container = ServiceSpec["container"];

export function serviceWire(spec: ServiceSpec, ids: FileIds): Wire {
  return {
    Name: spec.name,
    Labels: spec.labels,
    TaskTemplate: {
      ContainerSpec: containerWire(spec, ids),
      Resources: resourcesWire(spec),
      RestartPolicy: present(spec.restart, ({ condition, delay, maxAttempts, window }) =>
        given({
          Condition: condition,
          Delay: delay,
          MaxAttempts: maxAttempts,
          Window: window,
        })),
      Placement: given({
        Constraints: unlessEmpty(spec.placement.constraints),
        Preferences: unlessEmpty(
          spec.placement.spread.map((label) => ({ Spread: { SpreadDescriptor: label } })),
        ),
        MaxReplicas: spec.placement.maxPerNode || null,
      }),
      Networks: (spec.container.networks ?? []).map(({ name, aliases, driverOptions }) =>
        given({ Target: name, Aliases: aliases, DriverOpts: unlessEmpty(driverOptions) })
      ).sort((one, other) => String(one.Target) < String(other.Target) ? -1 : 1),
      LogDriver: present(
        spec.container.log,
        ({ driver, options }) => given({ Name: driver || null, Options: unlessEmpty(options) }),
      ),
    },
    Mode: modeWire(spec),
    UpdateConfig: present(spec.update, replacingWire),
    RollbackConfig: present(spec.rollback, replacingWire),
    EndpointSpec: {
      Mode: spec.endpointMode,
      Ports: spec.ports.map(({ container, host, protocol, mode }) =>
        given({ Protocol: protocol, TargetPort: container, PublishedPort: host, PublishMode: mode })
      ).sort((one, other) => Number(one.PublishedPort ?? 0) - Number(other.PublishedPort ?? 0)),
    },
  };
}

/** Without what is null: nothing is said of it. */
const given = (wire: Wire): Wire =>
  Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== null && value !== undefined));

const present = <T>(value: T | null | undefined, write: (value: T) => Wire): Wire | undefined =>
  value === null || value === undefined ? undefined : write(value);

function unlessEmpty<T extends readonly unknown[] | Readonly<Record<string, unknown>>>(
  value: T | undefined,
): T | null {
  return value === undefined || Object.keys(value).length === 0 ? null : value;
}

function containerWire(spec: ServiceSpec, ids: FileIds): Wire {
  const { container: one } = spec;
  return given({
    Image: one.image,
    Labels: one.labels,
    Command: unlessEmpty(one.entrypoint),
    Args: unlessEmpty(one.command),
    Hostname: one.hostname || null,
    Env: unlessEmpty(
      Object.entries(one.env ?? {}).map(([name, value]) => value === null ? name : `${name}=${value}`).sort(),
    ),
    // An empty one is another definition than none: the client's next deploy would start every task anew.
    Privileges: { CredentialSpec: null, SELinuxContext: null },
    Dir: one.workingDir || null,
    User: one.user || null,
    Init: one.init,
    StopSignal: one.stopSignal || null,
    StopGracePeriod: spec.stopGrace,
    TTY: one.terminal || null,
    OpenStdin: one.stdinOpen || null,
    ReadOnly: one.readOnlyRoot || null,
    Mounts: unlessEmpty((one.mounts ?? []).map((mount) => mountWire(mount, spec.volumes[mount.target]))),
    Healthcheck: healthWire(one),
    Hosts: unlessEmpty((one.extraHosts ?? []).map(hostWire)),
    DNSConfig: present(
      one.dns ?? one.dnsSearch,
      () => given({ Nameservers: unlessEmpty(one.dns), Search: unlessEmpty(one.dnsSearch) }),
    ),
    Secrets: unlessEmpty(spec.secrets.map((file) => fileWire("Secret", file, ids.secrets)).sort(byName)),
    Configs: unlessEmpty(spec.configs.map((file) => fileWire("Config", file, ids.configs)).sort(byName)),
    Isolation: one.isolation || null,
    Sysctls: unlessEmpty(one.sysctls),
    ...capabilities(one),
    Ulimits: unlessEmpty(
      Object.entries(one.ulimits ?? {}).sort(([a], [b]) => a < b ? -1 : 1)
        .map(([name, { soft, hard }]) => ({ Name: name, Soft: soft, Hard: hard })),
    ),
  });
}

/** `name:address` as a line of a hosts file. */
function hostWire(host: string): string {
  const colon = host.indexOf(":");
  return `${host.slice(colon + 1)} ${host.slice(0, colon)}`;
}

/** The client's order; all of them leave out what is added again. */
function capabilities({ capAdd = [], capDrop = [] }: Container): Wire {
  const add = [...new Set(capAdd)].sort();
  const drop = [...new Set(capDrop)].filter((one) => !add.includes(one)).sort();
  const all = (list: readonly string[]) => list.includes("ALL") ? ["ALL"] : list;
  return { CapabilityAdd: unlessEmpty(all(add)), CapabilityDrop: unlessEmpty(all(drop)) };
}

function healthWire({ healthcheck, healthTimes }: Container): Wire | undefined {
  if (healthcheck?.[0] === "NONE") return { Test: ["NONE"] };
  if (healthTimes === undefined || healthTimes === null) return undefined;
  return given({
    Test: unlessEmpty(healthcheck ?? undefined),
    Interval: healthTimes.interval || null,
    Timeout: healthTimes.timeout || null,
    StartPeriod: healthTimes.startPeriod || null,
    StartInterval: healthTimes.startInterval || null,
    Retries: healthTimes.retries || null,
  });
}

type Mount = NonNullable<Container["mounts"]>[number];

function mountWire(
  { type, source, target, readOnly, options }: Mount,
  volume: ServiceSpec["volumes"][string] | undefined,
): Wire {
  const option = (name: string) => options.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const propagation = options.find((one) => /^r?(?:shared|slave|private)$/.test(one));
  const size = option("size");
  const mode = option("mode");
  return given({
    Type: type,
    Source: source || null,
    Target: target,
    ReadOnly: readOnly || null,
    BindOptions: type === "bind" && propagation !== undefined ? { Propagation: propagation } : null,
    TmpfsOptions: type === "tmpfs" && (size !== undefined || mode !== undefined)
      ? given({
        SizeBytes: size === undefined ? null : Number(size),
        Mode: mode === undefined ? null : parseInt(mode, 8),
      })
      : null,
    VolumeOptions: type === "volume" && source !== ""
      ? given({
        NoCopy: options.includes("nocopy") || null,
        Subpath: option("subpath"),
        Labels: volume?.labels,
        DriverConfig: volume === undefined ||
            volume.driver === null && Object.keys(volume.driverOptions).length === 0
          ? null
          : given({ Name: volume.driver, Options: unlessEmpty(volume.driverOptions) }),
      })
      : null,
  });
}

function fileWire(
  kind: "Secret" | "Config",
  { name, target, uid, gid, mode }: ServiceFile,
  ids: ReadonlyMap<string, string>,
): Wire {
  return given({
    File: { Name: target, UID: uid, GID: gid, Mode: mode },
    [`${kind}ID`]: ids.get(name),
    [`${kind}Name`]: name,
  });
}

const byName = (one: Wire, other: Wire): number =>
  String(one.SecretName ?? one.ConfigName) < String(other.SecretName ?? other.ConfigName) ? -1 : 1;

function resourcesWire({ limits, reservations }: ServiceSpec): Wire {
  const nano = (cpus: number | null) => cpus === null ? null : Math.round(cpus * 1e9) || null;
  return given({
    Limits: present(limits, ({ cpus, memoryBytes, pids }) =>
      given({
        NanoCPUs: nano(cpus),
        MemoryBytes: memoryBytes || null,
        Pids: pids || null,
      })),
    Reservations: present(reservations, ({ cpus, memoryBytes, generic }) =>
      given({
        NanoCPUs: nano(cpus),
        MemoryBytes: memoryBytes || null,
        GenericResources: unlessEmpty(
          generic.map(({ kind, value }) => ({ DiscreteResourceSpec: { Kind: kind, Value: value } })),
        ),
      })),
  });
}

function modeWire({ mode, replicas }: ServiceSpec): Wire {
  switch (mode) {
    case "replicated":
      return { Replicated: given({ Replicas: replicas }) };
    case "replicatedJob":
      return { ReplicatedJob: given({ MaxConcurrent: replicas, TotalCompletions: replicas }) };
    case "global":
      return { Global: {} };
    case "globalJob":
      return { GlobalJob: {} };
  }
}

const replacingWire = (one: UpdatePolicy): Wire => ({
  Parallelism: one.parallelism,
  Delay: one.delay,
  FailureAction: one.failureAction,
  Monitor: one.monitor,
  MaxFailureRatio: one.maxFailureRatio,
  Order: one.order,
});
