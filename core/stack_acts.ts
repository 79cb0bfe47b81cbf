/** The acts of an apply on a swarm: single, each sent once, and none by force. */
import type { ActingRuntime, RegistryLogin } from "./engine_acts.ts";
import type { RunningTask } from "./running_services.ts";
import type { ServiceSpec, SwarmNetworkSpec } from "./service_spec.ts";
import type { SpecDifference, Stacks } from "./stacks.ts";

/** The swarms that engines are in, for plans and for those who carry them out. */
export interface ActingStacks extends Stacks {
  /** Throws `engine_unavailable` where berth has no engine of the swarm. */
  acts(cluster: string): StackActs;
}

/** A service at this moment, as an apply has to know it before it changes it. */
export interface HeldService {
  readonly id: string;
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The image, pinned to a digest where it is. */
  readonly image: string;
  /** The whole definition as JSON: it holds values that may be secret. */
  readonly definition: string;
  /** The latest update; null where there was none since the definition was posted. The message is masked. */
  readonly update: { readonly state: string; readonly message: string } | null;
}

/** A task of a service. */
export interface HeldTask extends RunningTask {
  /** True if it is the newest one of its slot, or of its node. */
  readonly isNewest: boolean;
  /** True if it is of the job's run of now; also for what is no job. */
  readonly isOfRun: boolean;
}

/** The tasks of a service, and how many of them there should be. */
export interface HeldTasks {
  readonly tasks: readonly HeldTask[];
  /** Tasks that are to run, or of a job those that are to end well; null where the nodes decide it. */
  readonly wanted: number | null;
  readonly isJob: boolean;
  /** True if a task that ended well is not started again. */
  readonly mayEnd: boolean;
  /** True if a task that failed is not started again. */
  readonly isOnce: boolean;
}

/** The ids of secrets and configs by their names. */
export interface FileIds {
  readonly secrets: ReadonlyMap<string, string>;
  readonly configs: ReadonlyMap<string, string>;
}

/** A secret or config to be made. */
export interface NewStackFile {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
  /** The driver that fills its placeholders in; null for none. */
  readonly template: string | null;
}

/**
 * Tells if an object is of the service's own stack: a secret or config by its id, a volume by its name, a network by
 * either.
 */
export type IsOwnObject = (kind: "secret" | "config" | "network" | "volume", id: string) => boolean;

type LoginFor = (host: string) => RegistryLogin | undefined;

/**
 * The acts of an apply on one swarm: each is sent once. Every method throws a `ServiceError`; where no manager answers,
 * `isAway` says so, and nobody knows then what became of a change: look again.
 */
export interface StackActs {
  /** Returns true if this failure says nothing about the act: no manager answers, or they have no leader. */
  isAway(error: unknown): boolean;
  /** By its whole name, read from a manager; null where there is none. */
  service(name: string): Promise<HeldService | null>;
  /** Returns the fields in which it differs from what is declared. */
  differences(held: HeldService, declared: ServiceSpec): Promise<readonly SpecDifference[]>;
  tasks(id: string): Promise<HeldTasks>;
  /** Returns true while the swarm has tasks of the service, also of one that was removed. */
  hasTasks(id: string): Promise<boolean>;
  /** Returns true if both definitions, as JSON, mean the same. */
  isSame(one: string, other: string): boolean;
  /** Returns the names of secrets and configs that a definition names and that are gone. */
  gone(definition: string): Promise<readonly string[]>;
  /** Returns the parts of a definition that reach hosts in a way that the one of now does not; null for no service. */
  gained(definition: string, held: string | null, isOwn: IsOwnObject): readonly string[];
  createService(spec: ServiceSpec, files: FileIds, loginFor: LoginFor): Promise<void>;
  /** Posts all of the definition. Throws `changed_meanwhile` unless it has this version. */
  updateService(
    held: Pick<HeldService, "id" | "version">,
    spec: ServiceSpec,
    files: FileIds,
    loginFor: LoginFor,
  ): Promise<void>;
  /** Posts a definition that a service had before; `held` is null for one that was removed. */
  restoreService(
    held: Pick<HeldService, "id" | "version"> | null,
    definition: string,
    loginFor: LoginFor,
  ): Promise<void>;
  removeService(id: string, name: string): Promise<void>;
  createNetwork(spec: SwarmNetworkSpec): Promise<void>;
  removeNetwork(id: string, name: string): Promise<void>;
  createFile(kind: "secret" | "config", file: NewStackFile): Promise<void>;
  removeFile(kind: "secret" | "config", id: string, name: string): Promise<void>;
}

/** A runtime whose swarms can be changed, too. */
export interface ActingSwarmRuntime extends ActingRuntime {
  /** Null or absent where nothing can know any swarm. */
  stacks?(): ActingStacks | null;
}
