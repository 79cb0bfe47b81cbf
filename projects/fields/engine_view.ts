/** The facts about an engine that comparing a container with its unit needs. */

import type { BindSource } from "../../core/bind_source.ts";
import type { Backend } from "../../core/runtime.ts";

/** A digest in hex, from which nobody finds out by guessing what it is of. */
export type Digest = (text: string) => string;

/** The known facts about the engine beside the container. */
export interface EngineView {
  readonly kind: Backend["kind"];
  /** A host path of the engine as a path of this machine. */
  readonly mappedTo: (path: string) => string;
  /** The real path behind links; the path itself where it has none. */
  readonly realOf: (path: string) => string;
  /** The file or folder behind the source of a mount; undefined for those of another machine and outside the workspace. */
  readonly sourceAt: (path: string) => BindSource | "absent" | null | undefined;
  /** The container of the same project that an id means, as its service and its name. */
  readonly neighbour: (id: string) => { readonly service: string; readonly name: string } | undefined;
  /** The id that an image's full name stands for now. */
  readonly imageNow: (fullName: string) => string | undefined;
  /** The fields of limits that its kernel cannot hold; absent where nothing is known of that. */
  readonly unheld?: ReadonlySet<string>;
  /** For what berth wrote down about its own containers; null where that is not compared. */
  readonly digest: Digest | null;
  /** Digests of the content of secrets and configs, by their ids, as far as they can be read. */
  readonly contents: ReadonlyMap<string, string>;
}
