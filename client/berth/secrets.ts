/** The API's group `secrets`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { SwarmObject } from "./models.ts";

/** GET: The secrets of all swarms, by name. */
export const SECRETS: Endpoint<"/api/secrets", {
  get: {
    response: SwarmSecrets;
    query: {
      /** Only of this cluster, by its id or name. */
      cluster?: string;
    };
  };
}> = new Endpoint("/api/secrets");

/** The answer of `GET /api/secrets`. */
export type SwarmSecrets = {
  /** The items found. */
  readonly items: readonly (SwarmObject)[];
  /** Number of all items. */
  readonly total: number;
};
