/** The API's group `services`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { LogFormat, ServiceMode, TaskLogRecord } from "./models.ts";

/** GET: Read or follow the logs of all tasks of a service. */
export const SERVICE_LOGS: Endpoint<"/api/services/{id}/logs", {
  get: {
    item: TaskLogRecord;
    query: {
      /** Goes on with lines as they are written, also of tasks that start later. */
      follow?: boolean;
      /** Number of the last lines of each task, or `all`. */
      tail?: number | "all";
      /** Also of tasks that were replaced and that the swarm remembers. */
      history?: boolean;
      /** Only lines from then on: a time as `2026-01-31T12:00:00Z`, seconds since 1970, or a span as `10m`. */
      since?: string;
      /** Only lines up to then, written as for `since`. */
      until?: string;
      /** Puts its time before each line of text. */
      timestamps?: boolean;
      /** True to receive lines of the standard output. */
      stdout?: boolean;
      /** True to receive lines of the standard error. */
      stderr?: boolean;
      /** Only lines that hold this text, in any case. */
      q?: string;
      /** Instead of what the header `Accept` asks for. */
      format?: LogFormat;
      /** The latest `cursor` received: all tasks resume behind it. */
      cursor?: string;
    };
  };
}> = new Endpoint("/api/services/{id}/logs");

/** GET: The services of all swarms, with their tasks. */
export const SERVICES: Endpoint<"/api/services", {
  get: {
    response: SwarmServices;
    query: {
      /** Only of this cluster, by its id or name. */
      cluster?: string;
      /** Only of this stack. */
      stack?: string;
      /** Only with a task on this node, by its id or name. */
      node?: string;
      /** Only with a task in this state that is to run. */
      state?: TaskState;
    };
  };
}> = new Endpoint("/api/services");

/**
 * GET: One service of a swarm, with its tasks.
 *
 * DELETE: Remove a service with all its tasks.
 */
export const SERVICE: Endpoint<"/api/services/{id}", {
  get: { response: SwarmService; query: Record<string, never> };
  delete: {
    response: ServiceRemoval;
    query: {
      /** Send nothing: say what would change, and which tasks no node would take. */
      dryRun?: boolean;
    };
  };
}> = new Endpoint("/api/services/{id}");

/** GET: The tasks of a service, also those that were replaced. */
export const SERVICE_TASKS: Endpoint<"/api/services/{id}/tasks", {
  get: { response: ServiceTasks; query: Record<string, never> };
}> = new Endpoint("/api/services/{id}/tasks");

/** POST: Change how many tasks of a service run. */
export const SERVICE_SCALE: Endpoint<"/api/services/{id}/scale", {
  post: {
    response: ServiceChange;
    payload: ServiceScale;
    query: {
      /** Send nothing: say what would change, and which tasks no node would take. */
      dryRun?: boolean;
    };
  };
}> = new Endpoint("/api/services/{id}/scale");

/** POST: Replace every task of a service by a new one. */
export const SERVICE_RESTART: Endpoint<"/api/services/{id}/restart", {
  post: {
    response: ServiceChange;
    query: {
      /** Send nothing: say what would change, and which tasks no node would take. */
      dryRun?: boolean;
    };
  };
}> = new Endpoint("/api/services/{id}/restart");

/** POST: Return a service to its definition before. */
export const SERVICE_ROLLBACK: Endpoint<"/api/services/{id}/rollback", {
  post: {
    response: ServiceChange;
    query: {
      /** Send nothing: say what would change, and which tasks no node would take. */
      dryRun?: boolean;
    };
  };
}> = new Endpoint("/api/services/{id}/rollback");

/** The answer of `POST /api/services/{id}/scale`. */
export type ServiceChange = {
  /** The service's id. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** True if it was changed: false for a dry run, and where it was so already. */
  readonly changed: boolean;
  /** True if nothing was sent. */
  readonly dryRun: boolean;
  /** The fields of its definition that change, 100 at most. */
  readonly changes: readonly ({
    /** The field, as `TaskTemplate.ContainerSpec.Image`. */
    readonly field: string;
    /** Its value now, masked; null where it has none. */
    readonly from: string | null;
    /** Its value then, masked; null where it has none. */
    readonly to: string | null;
  })[];
  /** Number of tasks that are started in addition. */
  readonly starts: number;
  /** Number of tasks that are stopped for good. */
  readonly stops: number;
  /** Number of tasks that others replace, a few at a time. */
  readonly replaces: number;
  /** Tasks of those that no node would take, by what nodes have and are asked for; 100 at most. */
  readonly waits: readonly ({
    /** The task, as `shop_web.4`. */
    readonly task: string;
    /** The reason that no node takes it, or that berth cannot tell; names nodes to callers who see the whole swarm. */
    readonly reason: string;
  })[];
  /** Of a rollback: the definition that comes back, as the swarm has it, masked. */
  readonly spec: { readonly [key: string]: unknown } | null;
};

/** The answer of `DELETE /api/services/{id}`. */
export type ServiceRemoval = {
  /** The service's id. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** False for a dry run. */
  readonly removed: boolean;
  /** True if nothing was sent. */
  readonly dryRun: boolean;
  /** Number of tasks that are stopped for good. */
  readonly stops: number;
};

/** The payload of `POST /api/services/{id}/scale`. */
export type ServiceScale = {
  /** Number of tasks that are to run. */
  readonly replicas: number;
};

/** A part of `SwarmService`. */
export type ServiceTask = {
  /** The task's id. */
  readonly id: string;
  /** Its name, as `shop_web.2`. */
  readonly name: string;
  /** Its number in the service; null where each node has one. */
  readonly slot: number | null;
  /** The node it is on; null while it waits for one. */
  readonly node: {
    /** The node's id. */
    readonly id: string;
    /** Its host name. */
    readonly name: string;
  } | null;
  /** When it came into its state. */
  readonly at: string | null;
  /** `lost`: it ran when its node was last heard, and may run on. */
  readonly state: TaskState;
  /** True if it is to run; false for one that was replaced. */
  readonly desired: boolean;
  /** True if it was made from the service's newest definition. */
  readonly current: boolean;
  /** The words of the scheduler or the node, masked. */
  readonly reason: string | null;
  /** The code it ended with. */
  readonly exitCode: number | null;
  /** Its container; null before there is one. */
  readonly container: {
    /** The container's id. */
    readonly id: string;
    /** The engine it is on; null where berth does not know that engine. */
    readonly backend: string | null;
  } | null;
};

/** The answer of `GET /api/services/{id}/tasks`. */
export type ServiceTasks = {
  /** The items found. */
  readonly items: readonly (ServiceTask)[];
  /** Number of all items. */
  readonly total: number;
};

/** A part of `LiveMessage`. */
export type SwarmService = {
  /** The service's id. */
  readonly id: string;
  /** The service's name. */
  readonly name: string;
  /** The id of its cluster. */
  readonly cluster: string;
  /** The stack that it belongs to. */
  readonly stack: string | null;
  /** The number of tasks: replicated, or one for each node. */
  readonly mode: ServiceMode;
  /** Number of tasks that should run; null while unknown. */
  readonly desired: number | null;
  /** Number of tasks that run. */
  readonly running: number;
  /** The image's name, without its digest. */
  readonly image: string;
  /** The digest that the image is pinned to. */
  readonly digest: string | null;
  /** Its published ports. */
  readonly ports: readonly ({
    /** The port of the nodes; null while there is none. */
    readonly host: number | null;
    /** The container's port. */
    readonly container: number;
    /** `tcp`, `udp` or `sctp`. */
    readonly protocol: string;
    /** `ingress`: on every node, `host`: on those with a task. */
    readonly mode: "ingress" | "host";
  })[];
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** Its latest update; null where there was none. */
  readonly update: {
    /** `updating`, `paused`, `completed`, `rollback_completed`, ... */
    readonly state: string;
    /** When it came into its state. */
    readonly at: string | null;
    /** The swarm's words, masked. */
    readonly message: string;
  } | null;
  /** When it was made. */
  readonly createdAt: string | null;
  /** When it was last changed. */
  readonly updatedAt: string | null;
  /** Its tasks, also those that were replaced and are remembered. */
  readonly tasks: readonly (ServiceTask)[];
  /** When its cluster last answered; null while that is now. */
  readonly staleSince: string | null;
};

/** The answer of `GET /api/services`. */
export type SwarmServices = {
  /** The items found. */
  readonly items: readonly (SwarmService)[];
  /** Number of all items. */
  readonly total: number;
};

/** A part of `ServiceTask`. */
export type TaskState = "waiting" | "starting" | "running" | "completed" | "failed" | "stopped" | "lost";
