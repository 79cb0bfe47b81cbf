/** The types that several groups of the API share, written from the document that the service serves. */

/** A part of `UnitLive`. */
export type LiveState = "running" | "degraded" | "paused" | "completed" | "exited" | "absent" | "unknown";

/** A part of `Principal`. */
export type Permission =
  | "system:read"
  | "workspaces:read"
  | "artifacts:read"
  | "workspaces:write"
  | "workspaces:manage"
  | "system:logs"
  | "keys:manage"
  | "audit:read"
  | "containers:read"
  | "containers:logs"
  | "images:read"
  | "volumes:read"
  | "networks:read"
  | "events:read"
  | "containers:control"
  | "images:write"
  | "volumes:write"
  | "networks:write"
  | "containers:exec"
  | "containers:remove"
  | "containers:reveal"
  | "volumes:host-paths"
  | "system:prune"
  | "units:read";

/** A part of `Principal`. */
export type Role = "viewer" | "operator" | "admin";

/** A part of `ContainerList`. */
export type Unavailable = {
  readonly backend: string;
  readonly reason: string;
};

/** A part of `Image`. */
export type UsingContainer = {
  readonly id: string;
  readonly name: string;
};
