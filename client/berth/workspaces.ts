/** The API's group `workspaces`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Diagnostic, LiveState, Location, Plan, Range } from "./models.ts";

/**
 * GET: List the registered workspaces.
 *
 * POST: Register a folder as a workspace.
 */
export const WORKSPACES: Endpoint<"/api/workspaces", {
  get: { response: WorkspaceList; query: Record<string, never> };
  post: { response: Workspace; payload: NewWorkspace; query: Record<string, never> };
}> = new Endpoint("/api/workspaces");

/**
 * GET: Fetch a workspace with its files and projects.
 *
 * PUT: Say how a workspace is read.
 *
 * DELETE: Forget a workspace, and touch nothing on disk.
 */
export const WORKSPACE: Endpoint<"/api/workspaces/{id}", {
  get: { response: WorkspaceDetail; query: Record<string, never> };
  put: { response: Workspace; payload: WorkspaceChange; query: Record<string, never> };
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}");

/** GET: The groups, units and cards of a workspace. */
export const WORKSPACE_ARTIFACTS: Endpoint<"/api/workspaces/{id}/artifacts", {
  get: {
    response: {
      readonly items: readonly (ArtifactSummary)[];
      readonly total: number;
      readonly revision: string;
    };
    item: string;
    query: {
      kind?: ArtifactKind;
      /** Part of a name, title or image. */
      q?: string;
      /** How many at most; all of them unless given. */
      limit?: number;
      /** How many to leave out at the beginning. */
      offset?: number;
      /** `ndjson`: one artifact a line, sent as it is made. */
      format?: "json" | "ndjson";
    };
  };
}> = new Endpoint("/api/workspaces/{id}/artifacts");

/** GET: A group with its YAML, references both ways, diagnostics and state. */
export const WORKSPACE_ARTIFACTS_GROUP: Endpoint<"/api/workspaces/{id}/artifacts/groups/{name}", {
  get: {
    response: GroupDetail;
    query: {
      /** Show secrets, too: needs `artifacts:reveal`, and is an entry of the audit log. */
      reveal?: boolean;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/artifacts/groups/{name}");

/** GET: A unit with its YAML, references both ways, diagnostics, containers and drift. */
export const WORKSPACE_ARTIFACTS_UNIT: Endpoint<"/api/workspaces/{id}/artifacts/units/{name}", {
  get: {
    response: UnitDetail;
    query: {
      /** Show secrets, too: needs `artifacts:reveal`, and is an entry of the audit log. */
      reveal?: boolean;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/artifacts/units/{name}");

/** GET: A card with its YAML, what it describes, and diagnostics. */
export const WORKSPACE_ARTIFACTS_CARD: Endpoint<"/api/workspaces/{id}/artifacts/cards/{name}", {
  get: {
    response: CardDetail;
    query: {
      /** Show secrets, too: needs `artifacts:reveal`, and is an entry of the audit log. */
      reveal?: boolean;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/artifacts/cards/{name}");

/** POST: Check a workspace, also with unsaved files laid over it. */
export const WORKSPACE_ARTIFACTS_VALIDATE: Endpoint<"/api/workspaces/{id}/artifacts/validate", {
  post: {
    response: Report;
    payload: {
      /** Unsaved texts by their path in the workspace. */
      readonly files?: { readonly [key: string]: string };
    } | undefined;
    query: {
      format?: "json" | "sarif";
      /** Also what only shows beside the engine: drift, orphans, ports in use. */
      live?: boolean;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/artifacts/validate");

/** GET: The graph, to be drawn. */
export const WORKSPACE_ARTIFACTS_DAG: Endpoint<"/api/workspaces/{id}/artifacts/dag", {
  get: {
    response: Dag;
    query: {
      format?: "json" | "mermaid" | "dot";
      /** `groups`: only groups, and what lies between them. Unless given, that is what a workspace of more than 5,000 nodes is drawn as. */
      view?: "all" | "groups";
      /** Only this group and its neighbours. */
      group?: string;
      /** With the state of what runs. */
      live?: boolean;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/artifacts/dag");

/** POST: Work out what would bring a group up, or down. */
export const WORKSPACE_ARTIFACTS_GROUP_PLAN: Endpoint<"/api/workspaces/{id}/artifacts/groups/{name}/plan", {
  post: { response: Plan; payload: PlanRequest | undefined; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/artifacts/groups/{name}/plan");

/** A parameter of `GET /api/workspaces/{id}/artifacts`. */
export type ArtifactKind = "group" | "unit" | "card";

/** A part of `GroupDetail`. */
export type ArtifactReference = {
  readonly kind: string;
  /** The key it stands under. */
  readonly under: string;
  readonly written: string;
  /** The id of what it means. */
  readonly target: string | null;
  readonly resolved: boolean;
  readonly implicit: boolean;
  readonly condition?: string;
  readonly required?: boolean;
  readonly restart?: boolean;
  readonly access?: "ro" | "rw";
  readonly source: {
    readonly file: string;
    readonly range: Range;
  };
};

/** A part of `GroupDetail`. */
export type ArtifactReferrer = {
  readonly kind: string;
  /** The id of what refers to it. */
  readonly from: string;
  readonly under: string;
  readonly source: {
    readonly file: string;
    readonly range: Range;
  };
};

/** The answer of `GET /api/workspaces/{id}/artifacts`. */
export type ArtifactSummary = {
  readonly id: string;
  readonly kind: ArtifactKind;
  readonly name: string;
  readonly title: string | null;
  /** The id of a unit's group. */
  readonly group: string | null;
  /** A unit's type, a group's standing, a card's origin. */
  readonly type: string;
  readonly image: string | null;
  readonly source: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
  };
  readonly diagnostics: {
    readonly error: number;
    readonly warning: number;
  };
};

/** The answer of `GET /api/workspaces/{id}/artifacts/cards/{name}`. */
export type CardDetail = {
  readonly kind: "card";
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly source: {
    readonly file: string;
    readonly range: Range;
  };
  /** As the author wrote it, comments and all, secrets masked; null where there is none. */
  readonly yaml: string | null;
  /** The line of the file that it begins with: lines, and columns up to a mask, are those of the file. */
  readonly yamlLine: number | null;
  /** Something in `yaml` is masked; `?reveal=true` shows it. */
  readonly masked: boolean;
  readonly references: readonly (ArtifactReference)[];
  readonly referencedBy: readonly (ArtifactReferrer)[];
  readonly diagnostics: readonly (Diagnostic)[];
  readonly origin: "native" | "backstage" | "x-card" | "readme";
  readonly owner: string | null;
  readonly lifecycle: string | null;
  readonly tags: readonly (string)[];
  readonly links: readonly ({
    readonly url: string;
    readonly title: string | null;
  })[];
  readonly runbook: string | null;
  /** The id of what it describes. */
  readonly subject: string | null;
};

/** The answer of `GET /api/workspaces/{id}/artifacts/dag`. */
export type Dag = {
  readonly schemaVersion: 1;
  /** `groups`: only groups, and what lies between them. */
  readonly view: "all" | "groups";
  readonly workspace: string;
  readonly revision: string;
  readonly acyclic: boolean;
  readonly direction: "dependent->dependency";
  readonly nodes: readonly (DagNode)[];
  readonly edges: readonly (DagEdge)[];
  readonly stats: {
    readonly nodes: number;
    readonly edges: number;
    readonly layers: number;
    /** How many units the widest layer has. */
    readonly width: number;
    readonly components: number;
    readonly cycles: number;
  };
  readonly layers: readonly (readonly (string)[])[];
  readonly cycles: readonly (readonly (string)[])[];
  /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
  readonly liveNeeds?: "containers:read";
};

/** A part of `Dag`. */
export type DagEdge = {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly kind:
    | "depends_on"
    | "link"
    | "namespace"
    | "volumes_from"
    | "build_context"
    | "extends"
    | "include"
    | "requires"
    | "uses"
    | "describes"
    | "shares";
  readonly condition?: string;
  readonly required?: boolean;
  readonly restart?: boolean;
  readonly access?: "ro" | "rw";
  readonly implicit: boolean;
  readonly inCycle: boolean;
  readonly unresolved: boolean;
};

/** A part of `Dag`. */
export type DagNode = {
  readonly id: string;
  readonly kind: "group" | "unit" | "card" | "network" | "volume" | "secret" | "config" | "model" | "missing";
  readonly label: string;
  readonly parent: string | null;
  /** When it starts: 0 first; null for what does not start. */
  readonly layer: number | null;
  /** Its place within its layer. */
  readonly order: number;
  /** The number of the cycle it is part of. */
  readonly cycle: number | null;
  readonly data: {
    readonly image?: string | null;
    readonly ports?: readonly (string)[];
    readonly profiles?: readonly (string)[];
    readonly active?: boolean;
    readonly card?: string | null;
  };
  readonly live?: UnitLive | null;
  readonly diagnostics: {
    readonly error: number;
    readonly warning: number;
  };
  readonly source: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
  } | null;
};

/** A part of `UnitLive`. */
export type Drift = {
  readonly field: string;
  /** The container's name; null for the unit as a whole. */
  readonly container: string | null;
  readonly declared: string;
  readonly actual: string;
  /** Where the value is declared; the unit itself where it is not. */
  readonly location: Location;
};

/** The answer of `GET /api/workspaces/{id}/artifacts/groups/{name}`. */
export type GroupDetail = {
  readonly kind: "group";
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly source: {
    readonly file: string;
    readonly range: Range;
  };
  /** As the author wrote it, comments and all, secrets masked; null where there is none. */
  readonly yaml: string | null;
  /** The line of the file that it begins with: lines, and columns up to a mask, are those of the file. */
  readonly yamlLine: number | null;
  /** Something in `yaml` is masked; `?reveal=true` shows it. */
  readonly masked: boolean;
  readonly references: readonly (ArtifactReference)[];
  readonly referencedBy: readonly (ArtifactReferrer)[];
  readonly diagnostics: readonly (Diagnostic)[];
  /** The name that the engine's labels have. */
  readonly project: string;
  readonly folder: string;
  readonly standing: "main" | "included" | "variant" | "fragment";
  readonly includedBy: readonly (string)[];
  readonly files: readonly (string)[];
  readonly profiles: readonly (string)[];
  readonly units: readonly (string)[];
  readonly resources: readonly ({
    readonly id: string;
    readonly kind: "network" | "volume" | "secret" | "config" | "model";
    readonly key: string;
    readonly name: string | null;
    readonly external: boolean;
  })[];
  readonly incomplete: boolean;
  readonly live?: UnitLive | null;
  /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
  readonly liveNeeds?: "containers:read";
};

/** A part of `UnitLive`. */
export type Match = {
  readonly by:
    | "settings"
    | "configFiles"
    | "workingDirAndProject"
    | "workingDir"
    | "project"
    | "containerName";
  readonly confidence: "certain" | "likely" | "guess";
};

/** The payload of `POST /api/workspaces`. */
export type NewWorkspace = {
  /** Absolute, inside one of the service's roots. */
  readonly path: string;
  /** The folder's name unless given. */
  readonly name?: string;
};

/** The payload of `POST /api/workspaces/{id}/artifacts/groups/{name}/plan`. */
export type PlanRequest = {
  readonly action?: "up" | "down";
  /** Only these units, and what they depend on. */
  readonly units?: readonly (string)[];
  /** The engine; else the one where the project runs, else the default. */
  readonly backend?: string;
  /** Containers of the project whose service is not in the files. */
  readonly orphans?: "keep" | "remove";
  readonly recreate?: "changed" | "always";
  /** Units that ended well and are started again. */
  readonly rerun?: readonly (string)[];
  /** Whether limits may be changed without a new container. */
  readonly inPlace?: boolean;
};

/** The answer of `POST /api/workspaces/{id}/artifacts/validate`. */
export type Report = {
  readonly schemaVersion: 1;
  readonly workspace: string;
  readonly revision: string;
  readonly valid: boolean;
  readonly complete: boolean;
  readonly durationMs: number;
  readonly diagnostics: readonly (Diagnostic)[];
  readonly summary: {
    readonly error: number;
    readonly warning: number;
    readonly info: number;
    readonly hint: number;
    readonly suppressed: number;
    readonly files: number;
    readonly groups: number;
    readonly units: number;
    readonly cards: number;
    readonly edges: number;
  };
  /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
  readonly liveNeeds?: "containers:read";
  readonly truncated: {
    readonly diagnostics: number;
    /** Files with more than are shown. */
    readonly files: number;
  };
};

/** The answer of `GET /api/workspaces/{id}/artifacts/units/{name}`. */
export type UnitDetail = {
  readonly kind: "unit";
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly source: {
    readonly file: string;
    readonly range: Range;
  };
  /** As the author wrote it, comments and all, secrets masked; null where there is none. */
  readonly yaml: string | null;
  /** The line of the file that it begins with: lines, and columns up to a mask, are those of the file. */
  readonly yamlLine: number | null;
  /** Something in `yaml` is masked; `?reveal=true` shows it. */
  readonly masked: boolean;
  readonly references: readonly (ArtifactReference)[];
  readonly referencedBy: readonly (ArtifactReferrer)[];
  readonly diagnostics: readonly (Diagnostic)[];
  readonly group: string | null;
  readonly type: string;
  readonly image: string | null;
  readonly build: boolean;
  readonly containerName: string | null;
  readonly profiles: readonly (string)[];
  readonly active: boolean;
  readonly replicas: number | null;
  readonly restart: string | null;
  readonly ports: readonly (string)[];
  readonly mounts: readonly ({
    readonly type: string;
    readonly source: string | null;
    readonly target: string | null;
    readonly readOnly: boolean;
  })[];
  readonly environment: readonly ({
    readonly name: string;
    /** Masked; null where nothing sets it, or a variable in it is not set. */
    readonly value: string | null;
    /** `variable`: named without a value, it has that of the project's variable. */
    readonly from: "environment" | "env_file" | "variable";
    /** The file that sets or names it. */
    readonly file: string;
  })[];
  readonly healthcheck: "declared" | "disabled" | "none";
  readonly live?: UnitLive | null;
  /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
  readonly liveNeeds?: "containers:read";
};

/** A part of `GroupDetail`. */
export type UnitLive = {
  readonly state: LiveState;
  /** How many containers should run; null while that is not known. */
  readonly desired: number | null;
  readonly match: Match | null;
  readonly containers: readonly ({
    readonly id: string;
    readonly name: string;
    readonly number: number | null;
    readonly state: string;
    readonly health: string | null;
    readonly exitCode: number | null;
    readonly startedAt: string | null;
    readonly backend: string;
  })[];
  /** Of a group: those of its units. Null where nothing was compared. */
  readonly drift: readonly (Drift)[] | null;
};

/** A part of `WorkspaceList`. */
export type Workspace = {
  /** A slug of the name. */
  readonly id: string;
  readonly name: string;
  /** The folder's real path. */
  readonly path: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Whether files with several hard links are read. */
  readonly allowHardLinks: boolean;
  /** `reading`: not read to the end yet, the counts are those so far; `missing`: the folder is gone, and comes back by itself; `empty`: nothing in it is an artifact. */
  readonly state: WorkspaceState;
  readonly counts: {
    readonly groups: number;
    readonly units: number;
    readonly cards: number;
  };
  readonly problems: {
    readonly errors: number;
    readonly warnings: number;
  };
  /** Changes when anything that was read does; null while nothing can be. */
  readonly revision: string | null;
};

/** The payload of `PUT /api/workspaces/{id}`. */
export type WorkspaceChange = {
  /** A hard link may be another name of a file outside the workspace, so only allow them where everybody who can write to the folder may read what berth reads. */
  readonly allowHardLinks: boolean;
};

/** The answer of `GET /api/workspaces/{id}`. */
export type WorkspaceDetail = {
  /** A slug of the name. */
  readonly id: string;
  readonly name: string;
  /** The folder's real path. */
  readonly path: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Whether files with several hard links are read. */
  readonly allowHardLinks: boolean;
  /** `reading`: not read to the end yet, the counts are those so far; `missing`: the folder is gone, and comes back by itself; `empty`: nothing in it is an artifact. */
  readonly state: WorkspaceState;
  readonly counts: {
    readonly groups: number;
    readonly units: number;
    readonly cards: number;
  };
  readonly problems: {
    readonly errors: number;
    readonly warnings: number;
  };
  /** Changes when anything that was read does; null while nothing can be. */
  readonly revision: string | null;
  /** False where a limit was reached: its report says which, as `fs/limit-reached`. */
  readonly complete: boolean;
  readonly files: readonly (WorkspaceFile)[];
  readonly projects: readonly (WorkspaceProject)[];
};

/** A part of `WorkspaceDetail`. */
export type WorkspaceFile = {
  readonly path: string;
  readonly kind: "compose" | "native" | "backstage" | "env" | "settings" | "readme";
  readonly sha256: string;
  /** The last text that could be read stands in for a broken one. */
  readonly stale: boolean;
};

/** The answer of `GET /api/workspaces`. */
export type WorkspaceList = {
  readonly items: readonly (Workspace)[];
  readonly total: number;
};

/** A part of `WorkspaceDetail`. */
export type WorkspaceProject = {
  /** Docker's name of the project. */
  readonly name: string;
  readonly group: string;
  /** Below the workspace; empty for its root. */
  readonly folder: string;
  readonly files: readonly (string)[];
  readonly profiles: readonly (string)[];
  readonly standing: "main" | "included" | "variant" | "fragment";
};

/** A part of `Workspace`. */
export type WorkspaceState = "ready" | "reading" | "missing" | "unreadable" | "empty";
