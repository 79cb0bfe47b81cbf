/** The parts of a service's definition by the names that drift has for them. */

/** One part of a definition. */
interface Part {
  readonly field: string;
  /** Returns its value as text; empty for none. Absent: as it is. */
  readonly say?: (value: unknown) => string;
  /** Texts that say nothing. Absent: zero and false. */
  readonly none?: readonly string[];
}

const seconds = (value: unknown): string => typeof value === "number" ? `${value / 1e9}s` : "";
const cpus = (value: unknown): string => typeof value === "number" ? String(value / 1e9) : "";
/** Returns an image with its tag, as a swarm that pins one writes it down, and with its digest where it has one. */
function tagged(image: string): string {
  const [name = "", digest] = image.split("@");
  const whole = name === "" || /:[^/]*$/.test(name) ? name : `${name}:latest`;
  return digest === undefined ? whole : `${whole}@${digest}`;
}
/** Texts in no order. */
const set = (value: unknown): string => Array.isArray(value) ? value.map(String).sort().join(", ") : "";
const unless = (standard: string) => (value: unknown): string =>
  value === standard || typeof value !== "string" ? "" : value;
const ALL: readonly string[] = [];

const of = (
  path: string,
  keys: Readonly<Record<string, string | Part>>,
): readonly (readonly [string, Part])[] =>
  Object.entries(keys).map(([key, part]) => [
    `${path}.${key}`,
    typeof part === "string" ? { field: part } : part,
  ]);

/** A wait of zero says something, where nothing means the engine's own. */
const wait = (field: string): Part => ({ field, say: seconds, none: ALL });
/** A wait of zero is none. */
const time = (field: string): Part => ({ field, say: seconds, none: ["0s"] });

const replacing = (path: string, field: string) =>
  of(path, {
    Parallelism: { field: `${field}.parallelism`, none: ALL },
    Delay: time(`${field}.delay`),
    FailureAction: `${field}.failure_action`,
    Monitor: time(`${field}.monitor`),
    MaxFailureRatio: `${field}.max_failure_ratio`,
    Order: `${field}.order`,
  });

/** By their paths. */
export const FIELD_OF: ReadonlyMap<string, Part> = new Map([
  ...of("TaskTemplate.ContainerSpec", {
    Image: { field: "image", say: (value) => tagged(String(value ?? "")) },
    Command: "entrypoint",
    Args: "command",
    Hostname: "hostname",
    Dir: "workingDir",
    User: "user",
    Init: { field: "init", none: ALL },
    StopSignal: "stopSignal",
    StopGracePeriod: wait("stopGracePeriod"),
    TTY: "terminal",
    OpenStdin: "stdinOpen",
    ReadOnly: "readOnly",
    Hosts: { field: "extraHosts", say: set },
    Isolation: { field: "isolation", say: unless("default") },
    CapabilityAdd: { field: "capAdd", say: set },
    CapabilityDrop: { field: "capDrop", say: set },
  }),
  ...of("TaskTemplate.ContainerSpec.DNSConfig", { Nameservers: "dns", Search: "dnsSearch" }),
  ...of("TaskTemplate.ContainerSpec.Healthcheck", {
    Test: "healthcheck",
    Interval: time("healthcheck.interval"),
    Timeout: time("healthcheck.timeout"),
    StartPeriod: time("healthcheck.start_period"),
    StartInterval: time("healthcheck.start_interval"),
    Retries: "healthcheck.retries",
  }),
  ...of("TaskTemplate.LogDriver", { Name: "log.driver" }),
  ...of("TaskTemplate.Resources.Limits", {
    NanoCPUs: { field: "limits.cpus", say: cpus },
    MemoryBytes: "limits.memory",
    Pids: "limits.pids",
  }),
  ...of("TaskTemplate.Resources.Reservations", {
    NanoCPUs: { field: "deploy.resources.reservations.cpus", say: cpus },
    MemoryBytes: "deploy.resources.reservations.memory",
    GenericResources: "deploy.resources.reservations.generic_resources",
  }),
  ...of("TaskTemplate.RestartPolicy", {
    Condition: "restart",
    Delay: wait("deploy.restart_policy.delay"),
    MaxAttempts: "deploy.restart_policy.max_attempts",
    Window: wait("deploy.restart_policy.window"),
  }),
  ...of("TaskTemplate.Placement", {
    Constraints: { field: "deploy.placement.constraints", say: set },
    Preferences: "deploy.placement.preferences",
    MaxReplicas: "deploy.placement.max_replicas_per_node",
  }),
  ...of("EndpointSpec", { Mode: { field: "deploy.endpoint_mode", say: unless("vip") } }),
  ...replacing("UpdateConfig", "deploy.update_config"),
  ...replacing("RollbackConfig", "deploy.rollback_config"),
]);
