/** The types that several groups of the API share, written from the document that the service serves. */

/** A part of `GroupDetail`. */
export type Diagnostic = {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly location: Location | null;
  /** The id of the node it is about. */
  readonly subject: string | null;
  readonly related: readonly ({
    readonly message: string;
    readonly location: Location;
  })[];
  readonly data: { readonly [key: string]: unknown };
  readonly tags: readonly ("unnecessary" | "deprecated")[];
  /** Stays the same when lines move. */
  readonly fingerprint: string;
};

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

/** A part of `Diagnostic`. */
export type Location = {
  readonly file: string;
  readonly path: readonly (string | number)[];
  readonly range: Range;
};

/** A part of `Principal`. */
export type Permission =
  | "system:read"
  | "workspaces:read"
  | "artifacts:read"
  | "projects:plan"
  | "projects:apply"
  | "projects:host"
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

/** The answer of `POST /api/workspaces/{id}/artifacts/groups/{name}/plan`. */
export type Plan = {
  readonly workspace: string;
  readonly group: string;
  readonly project: string;
  readonly backend: string;
  readonly action: "up" | "down";
  /** The ids of the units that were looked at. */
  readonly units: readonly (string)[];
  readonly steps: readonly (PlanStep)[];
  /** Containers that stay as they are. */
  readonly unchanged: number;
  /** Why it cannot be carried out; empty where it can. */
  readonly blocked: readonly (Diagnostic)[];
  readonly warnings: readonly (Diagnostic)[];
  readonly basis: {
    /** Of the workspace. */
    readonly revision: string;
    /** A digest of what the files say of the group. */
    readonly declared: string;
    /** A digest of what the engine was seen to have. */
    readonly observed: string;
  };
  readonly id: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** What the caller would need and does not hold. */
  readonly missing: readonly (PlanNeed)[];
};

/** A part of `PlanStep`. */
export type PlanNeed = {
  readonly permission: Permission;
  /** What it is asked for. */
  readonly subject: {
    readonly engine: string;
    readonly workspace: string | null;
    readonly project: string | null;
  };
};

/** A part of `PlanStep`. */
export type PlanReason = {
  readonly code: "absent" | "stopped" | "scaleDown" | "orphan" | "down" | "asked";
} | {
  readonly code: "field";
  readonly field: string;
  readonly declared: string;
  readonly seen: string;
  readonly at: Location;
} | {
  readonly code: "followsFrom";
  /** The step that it follows from. */
  readonly step: number;
  readonly how: "namespace" | "volumes" | "restart" | "network" | "condition";
};

/** A part of `Plan`. */
export type PlanStep = {
  /** In an order that works one by one. */
  readonly n: number;
  readonly kind:
    | "image.pull"
    | "image.build"
    | "network.create"
    | "network.remove"
    | "network.connect"
    | "volume.create"
    | "container.create"
    | "container.start"
    | "container.stop"
    | "container.remove"
    | "container.swap"
    | "container.update"
    | "container.restart"
    | "wait";
  /** The name of a container, image, network or volume. */
  readonly target: string;
  /** The id of the unit it is done for. */
  readonly unit: string | null;
  readonly why: readonly (PlanReason)[];
  /** The steps that must be done before. */
  readonly after: readonly (number)[];
  readonly needs: readonly (PlanNeed)[];
  readonly risk: "none" | "interruption" | "dataLoss";
};

/** A part of `Range`. */
export type Position = {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** From 0, in UTF-16 units. */
  readonly offset: number;
};

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

/** A part of `GroupDetail`. */
export type Range = {
  readonly start: Position;
  readonly end: Position;
};

/** A part of `Principal`. */
export type Role = "viewer" | "operator" | "admin";

/** `engine:nas`, `workspace:shop`, `project:shop-prod`, `label:team=web`. */
export type Scope = string;

/** A part of `Diagnostic`. */
export type Severity = "error" | "warning" | "info" | "hint";

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
};

/** A part of `Image`. */
export type UsingContainer = {
  readonly id: string;
  readonly name: string;
};
