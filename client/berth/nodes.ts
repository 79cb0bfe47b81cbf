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

/** POST: Move all tasks of services away from a node. */
export const NODE_DRAIN: Endpoint<"/api/nodes/{id}/drain", {
  post: {
    response: NodeChange;
    query: {
      /** Send nothing: say what would change, and which tasks no node would take. */
      dryRun?: boolean;
    };
  };
}> = new Endpoint("/api/nodes/{id}/drain");

/** POST: Let a node take no new tasks. */
export const NODE_PAUSE: Endpoint<"/api/nodes/{id}/pause", {
  post: {
    response: NodeChange;
    query: {
      /** Send nothing: say what would change, and which tasks no node would take. */
      dryRun?: boolean;
    };
  };
}> = new Endpoint("/api/nodes/{id}/pause");

/** POST: Let a node take tasks again. */
export const NODE_ACTIVATE: Endpoint<"/api/nodes/{id}/activate", {
  post: {
    response: NodeChange;
    query: {
      /** Send nothing: say what would change, and which tasks no node would take. */
      dryRun?: boolean;
    };
  };
}> = new Endpoint("/api/nodes/{id}/activate");

/** The answer of `POST /api/nodes/{id}/drain`. */
export type NodeChange = {
  /** The node's id. */
  readonly id: string;
  /** Its host name. */
  readonly name: string;
  /** Its availability then. */
  readonly availability: "active" | "pause" | "drain";
  /** Its availability before. */
  readonly from: string;
  /** True if it was changed: false for a dry run, and where it was so already. */
  readonly changed: boolean;
  /** True if nothing was sent. */
  readonly dryRun: boolean;
  /** The tasks that leave the node, in the scope of `services:read`; 500 at most. */
  readonly tasks: readonly ({
    /** The task, as `shop_web.2`. */
    readonly task: string;
    /** The id of its service. */
    readonly service: string;
    /** `moves`: another node takes it; `waits`: no node does; `ends`: each node runs its own, so this one is not replaced. */
    readonly outcome: "moves" | "waits" | "ends";
    /** The reason that it waits. */
    readonly reason: string | null;
  })[];
  /** Number of further tasks that leave it. */
  readonly others: number;
};

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
