/** The types that several groups of the API share, written from the document that the service serves. */

/** A part of `Principal`. */
export type HeldGrant = {
  /** Null where permissions were granted by name. */
  readonly role: Role | null;
  /** What it allows. */
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
  /** A person, or a program with a key. */
  readonly kind: "user" | "apiKey";
  /** Their id. */
  readonly id: string;
  /** What they are called. */
  readonly name: string;
  /** A person's address, if it is known. */
  readonly email?: string;
  /** The address of a person's picture. */
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

/** Why the socket is closed. */
export type SocketFailure = {
  /** What this message is. */
  readonly type: "error";
  /** What programs branch on. */
  readonly code: string;
  /** What happened and why, for people. */
  readonly title: string;
};

/** Why the stream ends early. */
export type StreamFailure = {
  /** What programs branch on. */
  readonly code: string;
  /** What happened and why, for people. */
  readonly title: string;
};

/** The answer of `POST /api/auth/idp`. */
export type Tokens = {
  /** How the token is sent. */
  readonly tokenType: "Bearer";
  /** Sent as Authorization: Bearer. */
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Absent when it went into the cookie. */
  readonly refreshToken?: string;
  /** Seconds. */
  readonly refreshExpiresIn: number;
  /** Who signed in. */
  readonly principal: Principal;
};

/** A part of `ContainerList`. */
export type Unavailable = {
  /** The engine's name. */
  readonly backend: string;
  /** Why it could not be asked. */
  readonly reason: string;
  /** When it last answered, where it hangs: its rows are shown as they were then. */
  readonly since?: string;
};

/** A part of `Image`. */
export type UsingContainer = {
  /** The container's id. */
  readonly id: string;
  /** The container's name. */
  readonly name: string;
};
