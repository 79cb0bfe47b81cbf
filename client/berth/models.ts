/** The types that several groups of the API share, written from the document that the service serves. */

/** A part of `Principal`. */
export type HeldGrant = {
  /** Null where permissions were granted by name. */
  readonly role: Role | null;
  readonly permissions: readonly (Permission)[];
  /** Where it counts: on each of these; everywhere when it is left out. */
  readonly on?: readonly (Scope)[];
};

/** A part of `UnitLive`. */
export type LiveState = "running" | "degraded" | "paused" | "completed" | "exited" | "absent" | "unknown";

/** A part of `Principal`. */
export type Permission =
  | "system:read"
  | "workspaces:read"
  | "artifacts:read"
  | "containers:read"
  | "artifacts:reveal"
  | "workspaces:write"
  | "workspaces:manage"
  | "system:logs"
  | "keys:manage"
  | "people:manage"
  | "audit:read"
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

/** A part of `AuthStatus`. */
export type Principal = {
  readonly kind: "user" | "apiKey";
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly picture?: string;
  /** The role that is held everywhere; null where permissions or scopes are listed. */
  readonly role: Role | null;
  /** What is held everywhere. */
  readonly permissions: readonly (Permission)[];
  /** All that is held, and on what. */
  readonly grants: readonly (HeldGrant)[];
};

/** A part of `Principal`. */
export type Role = "viewer" | "operator" | "admin";

/** `engine:nas`, `workspace:shop`, `project:shop-prod`, `label:team=web`. */
export type Scope = string;

/** The answer of `POST /api/auth/idp`. */
export type Tokens = {
  readonly tokenType: "Bearer";
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Absent when it went into the cookie. */
  readonly refreshToken?: string;
  /** Seconds. */
  readonly refreshExpiresIn: number;
  readonly principal: Principal;
};

/** A part of `ContainerList`. */
export type Unavailable = {
  readonly backend: string;
  readonly reason: string;
  /** When it last answered, where it hangs: its rows are shown as they were then. */
  readonly since?: string;
};

/** A part of `Image`. */
export type UsingContainer = {
  readonly id: string;
  readonly name: string;
};
