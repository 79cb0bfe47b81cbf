/** A service's definition in the words that all engines share. */
import type { ServiceDefinition } from "../../../core/running_services.ts";
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
import { filesOf, mountOf, restartOf, updateOf } from "./definition_parts.ts";

/** `networkOf` names a network by its id. */
export function serviceDefinition(spec: Wire, networkOf: (id: string) => string | null): ServiceDefinition {
  const template = objectOf(spec.TaskTemplate);
  const container = objectOf(template.ContainerSpec);
  const grace = numberOf(container.StopGracePeriod, -1);
  const log = objectOf(template.LogDriver);
  return {
    image: textOf(container.Image),
    command: textsOf(container.Args),
    entrypoint: textsOf(container.Command),
    env: Object.fromEntries(textsOf(container.Env).map(variable)),
    labels: mapOf(container.Labels),
    serviceLabels: mapOf(spec.Labels),
    user: textOf(container.User),
    groupAdd: textsOf(container.Groups),
    workingDir: textOf(container.Dir),
    hostname: textOf(container.Hostname),
    terminal: flagOf(container.TTY),
    stdinOpen: flagOf(container.OpenStdin),
    init: typeof container.Init === "boolean" ? container.Init : null,
    stopSignal: textOf(container.StopSignal),
    stopTimeoutSeconds: grace < 0 ? null : Math.trunc(grace / 1e9),
    readOnlyRoot: flagOf(container.ReadOnly),
    isolation: textOf(container.Isolation),
    oomScoreAdjustment: numberOf(container.OomScoreAdj),
    sysctls: mapOf(container.Sysctls),
    capAdd: textsOf(container.CapabilityAdd),
    capDrop: textsOf(container.CapabilityDrop),
    ulimits: Object.fromEntries(
      listOf(container.Ulimits).map(objectOf)
        .map(({ Name, Soft, Hard }) => [textOf(Name), { soft: numberOf(Soft), hard: numberOf(Hard) }]),
    ),
    ...namesOf(container),
    ...healthOf(objectOf(container.Healthcheck)),
    ...amountsOf(objectOf(template.Resources)),
    log: { driver: textOf(log.Name), options: mapOf(log.Options) },
    mounts: listOf(container.Mounts).map((one) => mountOf(objectOf(one))),
    secrets: filesOf(container.Secrets, "Secret"),
    configs: filesOf(container.Configs, "Config"),
    restart: restartOf(objectOf(template.RestartPolicy)),
    networks: networksOf(template, networkOf),
    placement: placementOf(objectOf(template.Placement)),
    update: updateOf(spec.UpdateConfig),
    rollback: updateOf(spec.RollbackConfig),
    endpointMode: textOf(objectOf(spec.EndpointSpec).Mode) || "vip",
  };
}

function variable(entry: string): readonly [string, string] {
  const equals = entry.indexOf("=");
  return equals < 0 ? [entry, ""] : [entry.slice(0, equals), entry.slice(equals + 1)];
}

/** The names that containers resolve, and where. A line of hosts may give an address several names. */
function namesOf(
  container: Wire,
): Pick<ServiceDefinition, "dns" | "dnsSearch" | "dnsOptions" | "extraHosts"> {
  const dns = objectOf(container.DNSConfig);
  return {
    dns: textsOf(dns.Nameservers),
    dnsSearch: textsOf(dns.Search),
    dnsOptions: textsOf(dns.Options),
    extraHosts: textsOf(container.Hosts).flatMap((line) => {
      const [address = "", ...names] = line.trim().split(/\s+/);
      return names.map((name) => `${name}:${address}`);
    }),
  };
}

function healthOf(health: Wire): Pick<ServiceDefinition, "healthcheck" | "healthTimes"> {
  const test = textsOf(health.Test);
  return {
    healthcheck: test.length === 0 ? null : test,
    healthTimes: test.length === 0 ? null : {
      interval: numberOf(health.Interval),
      timeout: numberOf(health.Timeout),
      startPeriod: numberOf(health.StartPeriod),
      startInterval: numberOf(health.StartInterval),
      retries: numberOf(health.Retries),
    },
  };
}

type Amounts = Pick<
  ServiceDefinition,
  "memoryLimitBytes" | "cpus" | "pidsLimit" | "memoryReservationBytes" | "cpusReserved" | "generic"
>;

function amountsOf(resources: Wire): Amounts {
  const limits = objectOf(resources.Limits);
  const reservations = objectOf(resources.Reservations);
  return {
    memoryLimitBytes: numberOf(limits.MemoryBytes) || null,
    cpus: numberOf(limits.NanoCPUs) / 1e9 || null,
    pidsLimit: numberOf(limits.Pids) || null,
    memoryReservationBytes: numberOf(reservations.MemoryBytes) || null,
    cpusReserved: numberOf(reservations.NanoCPUs) / 1e9 || null,
    generic: Object.fromEntries(
      listOf(reservations.GenericResources).map((one) => {
        const { DiscreteResourceSpec, NamedResourceSpec } = objectOf(one);
        const { Kind, Value } = objectOf(DiscreteResourceSpec ?? NamedResourceSpec);
        return [textOf(Kind), typeof Value === "number" ? String(Value) : textOf(Value)];
      }),
    ),
  };
}

function networksOf(
  template: Wire,
  networkOf: (id: string) => string | null,
): ServiceDefinition["networks"] {
  const found = listOf(template.Networks).map((one) => {
    const { Target, Aliases, DriverOpts } = objectOf(one);
    return { name: networkOf(textOf(Target)), aliases: textsOf(Aliases), driverOptions: mapOf(DriverOpts) };
  });
  return found.flatMap(({ name, ...rest }) => name === null ? [] : [{ ...rest, name }]).length < found.length
    ? null
    : found.map(({ name, ...rest }) => ({ ...rest, name: name ?? "" }));
}

const placementOf = (placement: Wire): ServiceDefinition["placement"] => ({
  constraints: textsOf(placement.Constraints),
  spread: listOf(placement.Preferences).map((one) => textOf(objectOf(objectOf(one).Spread).SpreadDescriptor)),
  maxPerNode: numberOf(placement.MaxReplicas),
});
