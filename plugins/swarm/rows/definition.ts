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

/** `networkOf` names a network by its id. */
export function serviceDefinition(spec: Wire, networkOf: (id: string) => string | null): ServiceDefinition {
  const template = objectOf(spec.TaskTemplate);
  const container = objectOf(template.ContainerSpec);
  const limits = objectOf(objectOf(template.Resources).Limits);
  const grace = numberOf(container.StopGracePeriod, -1);
  const networks = listOf(template.Networks).map((one) => textOf(objectOf(one).Target));
  const names = networks.map(networkOf);
  return {
    image: textOf(container.Image).replace(/@.*$/, ""),
    command: textsOf(container.Args),
    entrypoint: textsOf(container.Command),
    env: Object.fromEntries(textsOf(container.Env).map(variable)),
    labels: mapOf(container.Labels),
    serviceLabels: mapOf(spec.Labels),
    user: textOf(container.User),
    workingDir: textOf(container.Dir),
    hostname: textOf(container.Hostname),
    terminal: flagOf(container.TTY),
    stdinOpen: flagOf(container.OpenStdin),
    init: typeof container.Init === "boolean" ? container.Init : null,
    stopSignal: textOf(container.StopSignal),
    stopTimeoutSeconds: grace < 0 ? null : Math.trunc(grace / 1e9),
    readOnlyRoot: flagOf(container.ReadOnly),
    memoryLimitBytes: numberOf(limits.MemoryBytes) || null,
    cpus: numberOf(limits.NanoCPUs) / 1e9 || null,
    ...healthOf(objectOf(container.Healthcheck)),
    restart: restartOf(textOf(objectOf(template.RestartPolicy).Condition)),
    networks: names.every((one) => one !== null) ? names : null,
  };
}

function variable(entry: string): readonly [string, string] {
  const equals = entry.indexOf("=");
  return equals < 0 ? [entry, ""] : [entry.slice(0, equals), entry.slice(equals + 1)];
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

/** A policy that says nothing restarts always. */
const restartOf = (condition: string): ServiceDefinition["restart"] =>
  condition === "none" || condition === "on-failure" ? condition : "any";
