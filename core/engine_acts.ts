/** The acts of an apply on one engine: single, each sent once and by identity, and none by force. */
import * as z from "./schema.ts";
import type { ContainerEvent } from "./container_event.ts";
import type { LastWords } from "./endings.ts";
import type { HostPlace } from "./spec_rows.ts";
import type { ContainerRuntime, ContainerSpec, InspectedContainer } from "./runtime.ts";

/** A network as it is asked for. */
export interface NetworkSpec {
  readonly name: string;
  /** Null for all of these: the engine's own. */
  readonly driver: string | null;
  readonly driverOptions: Readonly<Record<string, string>>;
  readonly internal: boolean;
  readonly attachable: boolean;
  readonly ipv4: boolean | null;
  readonly ipv6: boolean | null;
  readonly ipamDriver: string | null;
  readonly ipamOptions: Readonly<Record<string, string>>;
  readonly pools: readonly {
    readonly subnet: string | null;
    readonly range: string | null;
    readonly gateway: string | null;
    /** Addresses that nobody gets, by a name. */
    readonly reserved: Readonly<Record<string, string>>;
  }[];
  readonly labels: Readonly<Record<string, string>>;
}

/** A volume as it is asked for. */
export interface VolumeSpec {
  readonly name: string;
  readonly driver: string | null;
  readonly driverOptions: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** An image as it is to be built, without the files that it is built from. */
export interface BuildSpec {
  /** All names that it gets. */
  readonly tags: readonly string[];
  /** The path of the Dockerfile in the context. */
  readonly dockerfile: string;
  /** The stage that is built; empty for the last one. */
  readonly target: string;
  readonly args: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Empty for the engine's own. */
  readonly network: string;
  /** `name:address`. */
  readonly extraHosts: readonly string[];
  readonly cacheFrom: readonly string[];
  /** Empty for the engine's own. */
  readonly platform: string;
  /** Bytes of `/dev/shm`; null for the engine's own. */
  readonly shmBytes: number | null;
  readonly noCache: boolean;
  /** True if the images that it begins with are asked of their registries, also those that are there. */
  readonly pull: boolean;
}

/** A network or volume that is there. */
export interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
}

export interface PullProgress {
  readonly layer: string | null;
  readonly status: string;
  readonly current: number | null;
  readonly total: number | null;
}

const Secret = z.string().min(1).max(16_384);

/** Credentials of one registry host; sent for its references alone, and never stored. */
export const RegistryLogin = z.union([
  z.strictObject({
    username: z.string().min(1).max(512).describe("Credentials for the registry"),
    password: Secret.describe("Their password or token"),
  }),
  z.strictObject({ identityToken: Secret.describe("A token instead of a name and a password") }),
]).meta({ id: "RegistryCredentials" });
export type RegistryLogin = Readonly<z.infer<typeof RegistryLogin>>;

export interface PullOrder {
  readonly reference: string;
  /** The digest that is pulled, and gets the reference's name; null for what the registry has under it. */
  readonly digest: string | null;
  /** Empty for the engine's own. */
  readonly platform: string;
  /** Returns the login for the registry's host, if there is one. */
  readonly loginFor: (host: string) => RegistryLogin | undefined;
  /** Aborting it ends the engine's pull as well. */
  readonly signal: AbortSignal;
  readonly progress: (frame: PullProgress) => void;
}

export interface BuildOrder {
  readonly spec: BuildSpec;
  /** The place of the folder that is its context. */
  readonly place: HostPlace;
  /** The context, as a tar. */
  readonly context: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Aborting it ends the engine's build as well. */
  readonly signal: AbortSignal;
  /** Told each step that begins, and each line that it prints. */
  readonly progress: (frame: PullProgress) => void;
}

/** A command that runs inside a container. */
export interface Command {
  readonly command: readonly string[];
  /** Empty for the container's own. */
  readonly user: string;
  /** With all rights on the host. */
  readonly privileged: boolean;
  /** Empty for the container's own. */
  readonly workingDir: string;
  /** `NAME=value`; a name alone takes the variable away. */
  readonly environment: readonly string[];
}

/** A command with the options of its run. */
export interface CommandOrder extends Command {
  /** Lines of its output that are answered, the last ones. */
  readonly lines: number;
  /** The time after which the command is told to end. */
  readonly mostMs: number;
  /** Waited for right before it is started: from then on nobody can say that it did not run. */
  readonly starting: () => Promise<void>;
  /** Ends the wait; the command goes on. */
  readonly signal: AbortSignal;
}

/** The end of a command. */
export interface CommandEnd {
  /** Null where the engine does not know. */
  readonly code: number | null;
  /** It was told to end, because it took too long. */
  readonly isLate: boolean;
  /** The last lines of its output, masked. */
  readonly lines: readonly string[];
}

/**
 * Every method throws a `ServiceError`; where the engine is away or does not answer, `isAway` says so. What a change
 * was answered with is not proof that it happened, nor is its failure proof that it did not: look again.
 */
export interface EngineActs {
  /** Returns true if this failure says nothing about the act: the engine is away, hangs, or took too long. */
  isAway(error: unknown): boolean;
  /** By its id or its whole name; null where there is none. */
  find(container: string): Promise<InspectedContainer | null>;
  /** Answers its id. It is in the first of its networks, and has none of the files that are copied. */
  create(name: string, spec: Partial<ContainerSpec>): Promise<string>;
  /** Puts files into a container that does not run yet. */
  copy(id: string, files: ContainerSpec["files"]): Promise<void>;
  start(id: string): Promise<void>;
  /** Gives it the time that it was made with. */
  stop(id: string, graceSeconds: number): Promise<void>;
  /** At once: a stop waits for a second even without a grace. */
  kill(id: string): Promise<void>;
  restart(id: string, graceSeconds: number): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  /** Never its volumes, and never while it runs. */
  remove(id: string): Promise<void>;
  /** Changes what can be changed in place: limits and the restart policy. */
  update(id: string, spec: Partial<ContainerSpec>): Promise<void>;
  /** The last lines of its log, and what its health check said last, masked. */
  lastWords(id: string, lines: number): Promise<readonly string[]>;
  /** Runs a command inside it to its end. What is thrown after `starting` says nothing of how the command ended. */
  run(id: string, order: CommandOrder): Promise<CommandEnd>;
  /** Has its health checked now, where the engine does not do that by itself. */
  checkHealth(id: string): Promise<void>;
  network(name: string): Promise<Labelled | null>;
  /** Returns a network in the words by which it can be made again; null where there is none, or no words for it. */
  networkNow(name: string): Promise<NetworkSpec | null>;
  /** Makes a network again that `networkNow` told of. */
  recreateNetwork(spec: NetworkSpec): Promise<void>;
  createNetwork(spec: NetworkSpec): Promise<void>;
  /** Returns the containers that still are in it, running or not. */
  usersOf(network: string): Promise<readonly { readonly id: string; readonly name: string }[]>;
  removeNetwork(name: string): Promise<void>;
  connect(id: string, network: ContainerSpec["networks"][number]): Promise<void>;
  disconnect(id: string, network: string): Promise<void>;
  volume(name: string): Promise<Labelled | null>;
  createVolume(spec: VolumeSpec): Promise<void>;
  removeVolume(name: string): Promise<void>;
  /** The id of what a reference stands for now; null where there is none. */
  imageId(reference: string): Promise<string | null>;
  pull(order: PullOrder): Promise<void>;
  build(order: BuildOrder): Promise<void>;
  /** Gives a name back to the image of this id. */
  tag(id: string, reference: string): Promise<void>;
}

/** A runtime that can be changed, too: what is shown of one to a caller cannot. */
export interface ActingRuntime extends ContainerRuntime {
  /** True if berth looks for engines that it does not know yet; absent where it knows all that there will be. */
  readonly findsEngines?: boolean;
  /** Throws where there is no such engine. */
  acts(backend: string): EngineActs;
  /** Tells every event of a container from now on, and `null` where some may have been missed. */
  follow(heard: (event: ContainerEvent | null) => void): Disposable;
  /** Returns how a container ended and what it said last; null where it is gone. Throws a `ServiceError`. */
  ending(id: string, backend: string): Promise<LastWords | null>;
}
