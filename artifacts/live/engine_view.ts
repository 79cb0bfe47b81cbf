/** What comparing a container with its unit needs beside the two: the engine around it, and where to note differences. */

/** Notes one difference; who takes it masks what may be a secret. */
export type Note = (field: string, declared: string, actual: string) => void;

/** What is known of the engine beside the container. */
export interface EngineView {
  /** Brings a host path of the engine into this machine's view. */
  readonly mappedTo: (path: string) => string;
  /** Where a path of this machine leads over links; the path itself where that cannot be told. */
  readonly realOf: (path: string) => string;
  /** The container of the same project that an id means, as its service and its name. */
  readonly neighbour: (id: string) => { readonly service: string; readonly name: string } | undefined;
  /** The id that an image's full name stands for now. */
  readonly imageNow: (fullName: string) => string | undefined;
}
