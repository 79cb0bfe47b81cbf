/** Images, networks and volumes that are there, on any engine. */

/** An image that is there, as registries know it. */
export interface HeldImage {
  readonly id: string;
  readonly backend: string;
  /** Names with the digest that a registry has it under. */
  readonly digests: readonly string[];
  /** The address of its source, as its labels tell; null for none. */
  readonly source: string | null;
}

/** A volume that is there. */
export interface HeldVolume {
  readonly name: string;
  readonly backend: string;
  readonly driver: string;
  /** Of its driver, which can bind a folder of the host; absent where the engine tells none. */
  readonly options?: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The containers that have it mounted, or will when they start. */
  readonly users: readonly { readonly id: string; readonly name: string }[];
}

/** A network that is there, as far as its file could say otherwise. */
export interface HeldNetwork {
  readonly id: string;
  readonly name: string;
  readonly backend: string;
  readonly driver: string;
  readonly internal: boolean;
  readonly attachable: boolean;
  readonly ipv6: boolean;
  readonly subnets: readonly string[];
  /** Of its ranges that have one; absent where the engine tells none. */
  readonly gateways?: readonly string[];
  /** Of its driver, without secrets; absent where the engine tells none. */
  readonly options?: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The containers that are connected, running or not. */
  readonly users: readonly { readonly id: string; readonly name: string; readonly project: string | null }[];
}
