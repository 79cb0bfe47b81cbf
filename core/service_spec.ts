/** A service of a swarm as it is asked for, in words that name no engine. */
import type { NetworkSpec, VolumeSpec } from "./engine_acts.ts";
import type { ServiceFile, ServiceMode, UpdatePolicy } from "./running_services.ts";
import type { ContainerSpec } from "./runtime.ts";

/** The fields of its containers that are asked for in the same words as of a container alone. */
type ServiceContainer = Pick<
  ContainerSpec,
  | "image"
  | "command"
  | "entrypoint"
  | "env"
  | "labels"
  | "user"
  | "workingDir"
  | "hostname"
  | "terminal"
  | "stdinOpen"
  | "stopSignal"
  | "init"
  | "readOnlyRoot"
  | "dns"
  | "dnsSearch"
  | "extraHosts"
  | "capAdd"
  | "capDrop"
  | "sysctls"
  | "ulimits"
  | "isolation"
  | "healthcheck"
  | "healthTimes"
  | "log"
  | "mounts"
  | "networks"
>;

/** Amounts that a task may use, or that a node must have for it; null and 0: none. */
interface Amounts {
  readonly cpus: number | null;
  readonly memoryBytes: number | null;
}

export interface ServiceSpec {
  readonly name: string;
  /** Of the service; those of its containers are in `container`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly mode: ServiceMode;
  /** Null: one for each node, or the swarm's own number. */
  readonly replicas: number | null;
  readonly container: Partial<ServiceContainer>;
  /** Volumes that nodes make when a task needs them, by the targets of their mounts. */
  readonly volumes: Readonly<Record<string, Omit<VolumeSpec, "name">>>;
  /** Nanoseconds; null: the engine's own. */
  readonly stopGrace: number | null;
  readonly secrets: readonly ServiceFile[];
  readonly configs: readonly ServiceFile[];
  readonly ports: readonly {
    readonly container: number;
    /** Null: the swarm chooses. */
    readonly host: number | null;
    readonly protocol: string;
    readonly mode: "ingress" | "host";
  }[];
  readonly endpointMode: "vip" | "dnsrr";
  /** Null: nothing is said, which means `any`. Nanoseconds, and null for what is left to the engine. */
  readonly restart: {
    readonly condition: string;
    readonly delay: number | null;
    readonly maxAttempts: number | null;
    readonly window: number | null;
  } | null;
  readonly limits: (Amounts & { readonly pids: number | null }) | null;
  readonly reservations:
    | (Amounts & { readonly generic: readonly { readonly kind: string; readonly value: number }[] })
    | null;
  readonly placement: {
    readonly constraints: readonly string[];
    /** Labels of nodes over which tasks are spread. */
    readonly spread: readonly string[];
    readonly maxPerNode: number;
  };
  readonly update: UpdatePolicy | null;
  readonly rollback: UpdatePolicy | null;
}

/** A network of a swarm as it is asked for. */
export type SwarmNetworkSpec = NetworkSpec;
