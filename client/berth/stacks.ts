/** The API's group `stacks`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";

/** GET: The stacks of all swarms. */
export const STACKS: Endpoint<"/api/stacks", {
  get: {
    response: Stacks;
    query: {
      /** Only of this cluster, by its id or name. */
      cluster?: string;
    };
  };
}> = new Endpoint("/api/stacks");

/** GET: One stack of a swarm. */
export const STACK: Endpoint<"/api/stacks/{name}", {
  get: { response: SwarmStack; query: Record<string, never> };
}> = new Endpoint("/api/stacks/{name}");

/** The answer of `GET /api/stacks`. */
export type Stacks = {
  /** The items found. */
  readonly items: readonly (SwarmStack)[];
  /** Number of all items. */
  readonly total: number;
};

/** A part of `Stacks`. */
export type SwarmStack = {
  /** `<stack>@swarm:<cluster>`. */
  readonly id: string;
  /** The stack's name. */
  readonly name: string;
  /** The id of its cluster. */
  readonly cluster: string;
  /** Its services. */
  readonly services: readonly ({
    /** The service's id. */
    readonly id: string;
    /** The service's name. */
    readonly name: string;
    /** Number of tasks that should run; null while unknown. */
    readonly desired: number | null;
    /** Number of tasks that run. */
    readonly running: number;
  })[];
  /** Number of tasks that should run; null while unknown. */
  readonly desired: number | null;
  /** Number of tasks that run. */
  readonly running: number;
  /** When its cluster last answered; null while that is now. */
  readonly staleSince: string | null;
};
