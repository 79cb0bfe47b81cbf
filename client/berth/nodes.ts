/** The API's group `nodes`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";

/** GET: The nodes of all swarms. */
export const NODES: Endpoint<"/api/nodes", {
  get: {
    response: SwarmNodes;
    query: {
      /** Only of this cluster, by its id or name. */
      cluster?: string;
    };
  };
}> = new Endpoint("/api/nodes");

/** GET: One node of a swarm. */
export const NODE: Endpoint<"/api/nodes/{id}", {
  get: { response: SwarmNode; query: Record<string, never> };
}> = new Endpoint("/api/nodes/{id}");

/** A part of `SwarmNodes`. */
export type SwarmNode = {
  /** The node's id. */
  readonly id: string;
  /** Its host name. */
  readonly name: string;
  /** The id of its cluster. */
  readonly cluster: string;
  /** Its role. */
  readonly role: "manager" | "worker";
  /** `active`, `pause` or `drain`. */
  readonly availability: string;
  /** `ready`, `down`, ... as the managers see it. */
  readonly state: string;
  /** The managers' words for its state, masked. */
  readonly reason: string | null;
  /** True for the manager that leads. */
  readonly leader: boolean;
  /** Of a manager: `reachable` or `unreachable`. */
  readonly reachability: string | null;
  /** Its address in the swarm. */
  readonly address: string | null;
  /** The version of its engine. */
  readonly version: string | null;
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** Number of its processors. */
  readonly cpus: number;
  /** Its memory in bytes. */
  readonly memoryBytes: number;
  /** Number of tasks that run on it. */
  readonly tasks: number;
  /** The engine of berth's that it is; null where berth does not know it. */
  readonly backend: string | null;
  /** When its cluster last answered; null while that is now. */
  readonly staleSince: string | null;
};

/** The answer of `GET /api/nodes`. */
export type SwarmNodes = {
  /** The items found. */
  readonly items: readonly (SwarmNode)[];
  /** Number of all items. */
  readonly total: number;
};
