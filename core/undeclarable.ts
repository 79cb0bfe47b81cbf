/** Names the settings of a container that have no place in a Compose file. */

/** A setting that no Compose file can declare, and that a container made from one does not have. */
export type Undeclarable =
  | "removesItself"
  | "publishesAll"
  | "volumeDriver"
  | "memoryNodes"
  | "realtime"
  | "unmaskedPaths";
