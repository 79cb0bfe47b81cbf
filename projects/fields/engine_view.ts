/** What comparing a container with its unit needs from the engine around it. */

import type { Backend } from "../../core/runtime.ts";

/** What is known of the engine beside the container. */
export interface EngineView {
  readonly kind: Backend["kind"];
  /** A host path of the engine as a path of this machine. */
  readonly mappedTo: (path: string) => string;
  /** The real path behind links; the path itself where it has none. */
  readonly realOf: (path: string) => string;
  /** The container of the same project that an id means, as its service and its name. */
  readonly neighbour: (id: string) => { readonly service: string; readonly name: string } | undefined;
  /** The id that an image's full name stands for now. */
  readonly imageNow: (fullName: string) => string | undefined;
}
