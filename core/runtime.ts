/** The contract of a container runtime with the rest of the service, without any type of an engine. */
import type { HeldImage, HeldNetwork, HeldVolume } from "./held_objects.ts";
import { type Permission, type Principal, type Reach, reachOf } from "./access.ts";
import * as z from "./schema.ts";
import type { RunningServices } from "./running_services.ts";
import type { Condition, Ending } from "./condition.ts";
import type { EngineDefaults, Undeclarable } from "./undeclarable.ts";

export const ContainerState = z.enum([
  "created",
  "running",
  "paused",
  "restarting",
  "removing",
  "exited",
  "dead",
  "unknown",
]).meta({ id: "ContainerState" });
export type ContainerState = z.infer<typeof ContainerState>;

/** A start that is told this late is still one that berth saw. */
export const STARTED_WITHIN_MS = 2_000;

export interface RunningContainer {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  readonly state: ContainerState;
  readonly health: "starting" | "healthy" | "unhealthy" | null;
  readonly exitCode: number | null;
  /** The number of restarts by the engine since its last start. */
  readonly restartCount: number;
  /** Why it does not run, if the engine says more than an exit code. */
  readonly reason: string | null;
  /** The last output of its health check while that fails, masked and cut; null otherwise. */
  readonly healthOutput: string | null;
  /** Its condition by itself at the time it was read. */
  readonly condition: Condition;
  readonly createdAt: string;
  readonly startedAt: string | null;
  /** When it last ended; null while it runs. */
  readonly finishedAt: string | null;
  readonly ending: Ending;
  /** Since when it is stopped, and if somebody is known to have done it; null unless that is its condition. */
  readonly stopped: { readonly since: string | null; readonly byHand: boolean } | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly compose: {
    readonly project: string;
    readonly service: string;
    readonly workingDir: string | null;
    readonly configFiles: readonly string[];
    /** Absent where its own labels say so; `likely` for another container under a claimed name. */
    readonly claim?: "certain" | "likely" | undefined;
  } | null;
  readonly backend: string;
}

/**
 * The configuration of a container in words that all engines share: sent to make one, and read from an
 * existing one. `env` and the arguments are unmasked.
 */
export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly entrypoint: readonly string[];
  /** Null takes away what the image sets. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workingDir: string;
  readonly hostname: string;
  readonly domainname: string;
  readonly terminal: boolean;
  readonly stdinOpen: boolean;
  /** A name as `SIGTERM`; empty for the engine's or the image's. */
  readonly stopSignal: string;
  /** Null: the engine's. */
  readonly stopTimeoutSeconds: number | null;
  /** Null where the engine does not tell, or decides. */
  readonly init: boolean | null;
  readonly restart: { readonly name: string; readonly maximumRetries: number };
  readonly ports: readonly {
    readonly container: number;
    readonly protocol: string;
    /** Null: published, and the engine chose. */
    readonly host: number | null;
    /** The end of a range of which the engine may take any; absent for a single port. */
    readonly hostLast?: number;
    readonly address: string | null;
  }[];
  /** `80/tcp`: told to others, published or not. */
  readonly exposedPorts: readonly string[];
  readonly mounts: readonly {
    readonly type: string;
    /** A path of the host or the name of a volume; empty for a volume without a name. */
    readonly source: string;
    readonly target: string;
    readonly readOnly: boolean;
    /** As `rshared`, `Z`, `nocopy`, `size=1048576`, in no order; those that an engine gives by itself are left out. */
    readonly options: readonly string[];
    /** Asked for alone: a path of the host that is not there is a failure, and is not made. */
    readonly mustExist?: true;
  }[];
  /** Copied into it before it is started: secrets and configs that are no files. No engine tells them. */
  readonly files: readonly {
    readonly path: string;
    readonly content: string;
    readonly uid: number;
    readonly gid: number;
    readonly mode: number;
  }[];
  /** Options by target, of what lies in memory; an engine may list these among the mounts instead, or in both places. */
  readonly tmpfs: Readonly<Record<string, string>>;
  /** The ids of containers, each with `:ro` where it may not be written to. */
  readonly volumesFrom: readonly string[];
  readonly networks: readonly {
    readonly name: string;
    readonly aliases: readonly string[];
    readonly ipv4Address: string | null;
    readonly ipv6Address: string | null;
    readonly linkLocalAddresses: readonly string[];
    /** The requested address; null if the engine chose it, or does not report it. */
    readonly macAddress: string | null;
    /** `container:name`, for what it calls others. */
    readonly links: readonly string[];
    readonly driverOptions: Readonly<Record<string, string>>;
    readonly gatewayPriority: number;
  }[];
  readonly networkMode: string;
  /** `container:name`, for what it calls others in the engine's own network. */
  readonly links: readonly string[];
  readonly ipcMode: string;
  readonly pidMode: string;
  readonly utsMode: string;
  readonly cgroupMode: string;
  readonly userMode: string;
  readonly cgroupParent: string;
  /** Of the driver that has its files. */
  readonly storageOptions: Readonly<Record<string, string>>;
  /** Of its processes from the host; only Windows has a choice. */
  readonly isolation: string;
  readonly dns: readonly string[];
  readonly dnsSearch: readonly string[];
  readonly dnsOptions: readonly string[];
  /** `name:address`. */
  readonly extraHosts: readonly string[];
  readonly privileged: boolean;
  readonly readOnlyRoot: boolean;
  readonly capAdd: readonly string[];
  readonly capDrop: readonly string[];
  readonly securityOptions: readonly string[];
  readonly groupAdd: readonly string[];
  readonly runtime: string;
  readonly sysctls: Readonly<Record<string, string>>;
  readonly ulimits: Readonly<Record<string, { readonly soft: number; readonly hard: number }>>;
  readonly devices: readonly { readonly source: string; readonly target: string; readonly rights: string }[];
  readonly deviceRules: readonly string[];
  /** GPUs and their like. A count of -1 is all. */
  readonly deviceRequests: readonly {
    readonly driver: string;
    readonly count: number;
    readonly ids: readonly string[];
    readonly capabilities: readonly string[];
    readonly options: Readonly<Record<string, string>>;
  }[];
  readonly annotations: Readonly<Record<string, string>>;
  /** As `linux/arm64`; empty for the engine's own. No engine tells it of a container. */
  readonly platform: string;
  readonly log: { readonly driver: string; readonly options: Readonly<Record<string, string>> };
  /** Null for every amount: no limit, or the engine's own. */
  readonly memoryLimitBytes: number | null;
  readonly memoryReservationBytes: number | null;
  readonly memorySwapBytes: number | null;
  readonly sharedMemoryBytes: number | null;
  readonly cpus: number | null;
  readonly cpuShares: number | null;
  readonly cpuPeriod: number | null;
  readonly cpuQuota: number | null;
  readonly memorySwappiness: number | null;
  /** By what is limited, as `weight` and `readBps /dev/sda`. */
  readonly blockIo: Readonly<Record<string, number>>;
  readonly cpuset: string;
  readonly pidsLimit: number | null;
  readonly oomScoreAdjustment: number;
  readonly oomKillDisabled: boolean;
  readonly healthcheck: readonly string[] | null;
  /** Nanoseconds, and 0 for what is left to the engine; null without a health check. */
  readonly healthTimes: {
    readonly interval: number;
    readonly timeout: number;
    readonly startPeriod: number;
    readonly startInterval: number;
    readonly retries: number;
  } | null;
}

/** A container as it was made, for comparing with what was declared. Never answered as it is: `env` is unmasked. */
export interface InspectedContainer extends RunningContainer, ContainerSpec {
  /** The identities of the files and folders that it mounted, by their paths; absent if berth was not there. */
  readonly sourcesAtStart?: ReadonlyMap<string, string>;
  readonly name: string;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The number of restarts by the engine since its last start. */
  readonly restartCount: number;
  /** Its process on the engine's machine; null while it does not run. */
  readonly pid: number | null;
  /** The targets of mounts that it has from other containers, by `volumesFrom`. */
  readonly inherited: readonly string[];
  /** The address that was asked for; null where the engine chose it, or does not tell. */
  readonly askedMacAddress: string | null;
  /** Settings that no file can declare. */
  readonly undeclarable: readonly Undeclarable[];
  /** True if it runs the init of a whole system, for which Podman mounts memory by itself. */
  readonly isSystem: boolean;
  /** The settings of the image itself, which do not count as differences; null if the image is gone. */
  readonly imageDefaults:
    | Pick<
      ContainerSpec,
      | "command"
      | "entrypoint"
      | "env"
      | "labels"
      | "user"
      | "workingDir"
      | "stopSignal"
      | "exposedPorts"
      | "healthcheck"
      | "healthTimes"
    >
      & { readonly volumes: readonly string[] }
    | null;
}

/** The end of a container's main process, as its engine told it. */
export interface Death {
  readonly at: string;
  readonly backend: string;
  /** As it was then. */
  readonly container: RunningContainer;
  readonly exitCode: number | null;
}

/** Acts that a plan may hold, beside those on the containers of its project, and those of a person on containers. */
export type RuntimeAct =
  | "controlContainer"
  | "readLogs"
  | "readEvents"
  | "pullImage"
  | "buildImage"
  | "removeContainer"
  | "revealContainer"
  | "runCommand"
  | "useNetwork"
  | "useVolume";

/** Names and ports in use on the engines that are up, with which a unit that does not run yet may collide. */
export interface Holdings {
  readonly ports: readonly {
    readonly container: string;
    readonly backend: string;
    readonly host: number;
    readonly protocol: string;
    readonly address: string | null;
  }[];
  /** Null if unknown, as for callers who may not see the engines. */
  readonly networks: readonly HeldNetwork[] | null;
  /** The same. */
  readonly volumes: readonly HeldVolume[] | null;
  /** Paths of the host that containers have mounted, as the engine names them. */
  readonly boundPaths: readonly {
    readonly path: string;
    readonly backend: string;
    readonly isWritable: boolean;
  }[];
  /**
   * Every name of an image, and the id that it stands for now. On Podman several images may have one name with a digest:
   * that of an index, which they were pulled by for several platforms.
   */
  readonly images: readonly { readonly name: string; readonly id: string; readonly backend: string }[];
}

/** `unresponsive`: it can be reached, or could be, and does not answer. */
export const BackendState = z.enum(["up", "unresponsive", "away", "refused", "unsupported"]).meta({
  id: "BackendState",
});
export type BackendState = z.infer<typeof BackendState>;

/** One engine, and how it is doing. */
export interface Backend {
  readonly name: string;
  readonly kind: "docker" | "podman";
  readonly address: string;
  readonly state: BackendState;
  readonly version: string | null;
  readonly apiVersion: string | null;
  readonly os: string | null;
  readonly arch: string | null;
  readonly default: boolean;
  readonly reason?: string;
  /** Kinds of objects that it does not list although it is up, as "networks": shown as last known. */
  readonly stale?: string[];
  /** When it last answered, or was lost; absent while it is up, and where it was away from the start. */
  readonly since?: string;
}

export interface RuntimeCounts {
  readonly containers: {
    readonly running: number;
    readonly paused: number;
    readonly stopped: number;
    readonly total: number;
  };
  readonly images: number;
}

/** The counted parts of a runtime. */
export interface Counted {
  container(container: RunningContainer): boolean;
  imagesOf(engine: string): boolean;
}

/** Whether an engine sees the same folder under a path of this machine, another one, or none. */
export const HostSight = z.enum(["same", "different", "absent", "unknown"]).meta({ id: "HostSight" });
export type HostSight = z.infer<typeof HostSight>;

/** A folder, by its path here and by the engine's path of it. */
export interface HostFolder {
  readonly here: string;
  readonly there: string;
}

/**
 * Objects of which an engine may tell nothing, or late, when they change: images of some builds, and networks and
 * containers of Podman, whose events come up to a quarter of a second after the change.
 */
export type Untold = "images" | "networks" | "containers";

export interface ContainerRuntime {
  backends(): readonly Backend[];
  /** Resolves when every engine that is there was read once, or is known to be away. */
  settle(): Promise<void>;
  /** Null while no engine is up. `of` limits what is counted. */
  counts(of?: Counted): RuntimeCounts | null;
  /** Every container of every engine that is up, as fresh as the mirror's promise; as last known where it hangs. */
  containers(): Promise<readonly RunningContainer[]>;
  /** The engines that cannot be asked for their containers now, each with the reason: theirs are as last known. */
  unheard(): ReadonlyMap<string, string>;
  /** Changes whenever `containers()` would answer otherwise. */
  readonly revision: number;
  /** Another text whenever anything that it tells of containers, images, networks or volumes may be another. */
  readonly stamp: string;
  /** Reads a container from its engine; null where it is gone. */
  inspect(id: string, backend: string): Promise<InspectedContainer | null>;
  /** Null while no engine is up. */
  holdings(): Promise<Holdings | null>;
  /**
   * Learns whether the engine sees a folder of this machine. The answer is remembered until the engine is lost, or for
   * `maxAgeMs`. Runs nothing.
   */
  sightOf(folder: HostFolder, backend: string, maxAgeMs?: number): Promise<HostSight>;
  /** Lists objects of an engine anew that it may not have announced yet. Rejects where it cannot. */
  relist(backend: string, kind: Untold): Promise<void>;
  /** The values that an engine gives a container by itself. `bare` is one with nothing else, where the engine tells less. */
  engineDefaults(backend: string): Promise<EngineDefaults & { readonly bare: InspectedContainer | null }>;
  /** When an image was last pulled or given its name; null where the engine does not tell, or has no such image. */
  imageTaggedAt(name: string, backend: string): Promise<number | null>;
  /** The fields of limits that the kernel of an engine cannot hold, so that they are left out; absent where nothing can know. */
  unheldLimits?(backend: string): Promise<ReadonlySet<string>>;
  /** Returns true if the image is one for a platform, as `linux/arm64`; null where the engine does not tell. */
  isImageFor(platform: string, name: string, backend: string): Promise<boolean | null>;
  /** Every image of every engine that is up, also those that have no name. */
  images(): Promise<readonly HeldImage[]>;
  /** The services that clusters of engines keep, from memory; absent where nothing can know any. */
  services?(): RunningServices;
  /**
   * Returns the latest deaths of containers that `of` holds for, newest first: of those that engines told since berth
   * started.
   */
  deaths(of: (container: RunningContainer) => boolean, limit: number): readonly Death[];
  /** Returns the permission that a caller needs for this act alone. */
  permissionFor(act: RuntimeAct): Permission;
}

/** The permission without which nobody sees what runs, by whatever route. */
export const SEES_RUNNING = "containers:read";

/** Returns the scope in which the caller may see running containers. */
export function reachOfRunning(principal: Principal): Reach {
  return reachOf<typeof SEES_RUNNING>(principal, SEES_RUNNING);
}
