/** The API's group `places`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";

/** GET: List the folders that may become workspaces. */
export const PLACES: Endpoint<"/api/places", {
  get: { response: Places; query: Record<string, never> };
}> = new Endpoint("/api/places");

/** The answer of `GET /api/places`. */
export type Places = {
  /** The folders under which workspaces may be registered. */
  readonly roots: readonly (string)[];
  /** Number of containers whose labels were read. */
  readonly containers: number;
  /** The allowed ones first, then by the number of projects, 50 at most. */
  readonly places: readonly ({
    /** A folder that is not registered yet. */
    readonly path: string;
    /** The first ten projects that run from it, by name; none of a place that only is usual. */
    readonly projects: readonly (string)[];
    /** Number of projects that run from it. */
    readonly total: number;
    /** True if it may be registered. */
    readonly allowed: boolean;
    /** The setting that would allow it, as `BERTH_ROOTS=/home/ada:/srv`; null where it is allowed. */
    readonly setting: string | null;
  })[];
};
