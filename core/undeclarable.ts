/** Names the settings of a container that a Compose file cannot say, or need not. */

/** A setting that no Compose file can declare, and that a container made from one does not have. */
export type Undeclarable =
  | "removesItself"
  | "publishesAll"
  | "volumeDriver"
  | "memoryNodes"
  | "realtime"
  | "unmaskedPaths";

/** The values that an engine gives a container by itself; null where it does not tell. */
export interface EngineDefaults {
  readonly logDriver: string | null;
  readonly runtime: string | null;
  readonly cgroupMode: string | null;
}
