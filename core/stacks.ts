/** Stacks of swarms, as a plan reads them, without any type of an engine. */
import type { ServiceSpec, SwarmNetworkSpec } from "./service_spec.ts";
import type { ServiceMode } from "./running_services.ts";
import type { ContainerRuntime } from "./runtime.ts";

/** One field in which a service differs from what is declared. Both texts are masked. */
export interface SpecDifference {
  /** Named as in drift. */
  readonly field: string;
  readonly declared: string;
  readonly actual: string;
  /** True if nothing is declared. */
  readonly isAbsent: boolean;
}

/** A service of the swarm as its managers keep it. */
export interface StackService {
  readonly id: string;
  readonly name: string;
  /** Null for a service of no stack. */
  readonly stack: string | null;
  /** Rises with every change; an update names the one that it was made for. */
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The whole definition as JSON: it holds values that may be secret. */
  readonly definition: string;
  readonly mode: ServiceMode;
  /** The image, pinned to a digest where it is. */
  readonly image: string;
  /** Names of secrets and configs that it has, and that it would have again after a rollback. */
  readonly files: { readonly secrets: readonly string[]; readonly configs: readonly string[] };
  /** The swarm's words, masked, where it has paused the latest update or the way back; null unless it has. */
  readonly paused: string | null;
  /** Names of the volumes that its tasks mount. */
  readonly volumes: readonly string[];
  /** Returns the fields in which it differs, by name. */
  differences(declared: ServiceSpec): readonly SpecDifference[];
}

/** A secret or config. */
export interface StackFile {
  readonly id: string;
  readonly name: string;
  readonly stack: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** The content of a config; null for a secret, whose content nobody is told. */
  readonly content: Uint8Array | null;
}

export interface StackNetwork {
  readonly id: string;
  readonly name: string;
  readonly stack: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** The names of properties in which it is another one than declared. */
  differences(declared: SwarmNetworkSpec): readonly string[];
}

/** All of a swarm that a plan looks at: the services of every stack, for names and files that others use. */
export interface SwarmNow {
  readonly services: readonly StackService[];
  readonly networks: readonly StackNetwork[];
  readonly secrets: readonly StackFile[];
  readonly configs: readonly StackFile[];
}

/** A swarm that berth has an engine of. */
export interface StackCluster {
  readonly id: string;
  readonly name: string;
  readonly state: "up" | "noQuorum" | "away";
  /** The engines that a scope must hold to hold all of it. */
  readonly engines: readonly string[];
  /** The engine of each of its nodes; null for a node whose engine berth does not know. */
  readonly nodes: readonly (string | null)[];
}

/** The swarms that engines are in, for plans. */
export interface Stacks {
  readonly clusters: readonly StackCluster[];
  /** Waits, a moment at most, until the swarms of all engines that are up were read once; false where one was not. */
  settle(): Promise<boolean>;
  /** Reads a swarm anew from a manager. Throws `engine_unavailable` where none answers. */
  read(cluster: string): Promise<SwarmNow>;
  /** Returns true unless the settings name the registries that images may come from, and not the one of this. */
  mayPull(reference: string): boolean;
  /** Returns the digest that a reference stands for at its registry. Throws a `ServiceError`. */
  digestOf(cluster: string, reference: string, signal?: AbortSignal): Promise<string>;
}

/** A runtime whose engines may be in swarms. */
export interface SwarmRuntime extends ContainerRuntime {
  /** The swarms that engines are in, for plans; null or absent where nothing can know any. */
  stacks?(): Stacks | null;
}
