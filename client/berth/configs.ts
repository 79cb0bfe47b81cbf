/** The API's group `configs`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { SwarmObject } from "./models.ts";

/** GET: The configs of all swarms, by name. */
export const CONFIGS: Endpoint<"/api/configs", {
  get: {
    response: SwarmConfigs;
    query: {
      /** Only of this cluster, by its id or name. */
      cluster?: string;
    };
  };
}> = new Endpoint("/api/configs");

/** The answer of `GET /api/configs`. */
export type SwarmConfigs = {
  /** The items found. */
  readonly items: readonly (SwarmObject)[];
  /** Number of all items. */
  readonly total: number;
};
