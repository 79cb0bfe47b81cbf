/** The API's group `workspaces`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type {
  Author,
  CommitId,
  ContainerCondition,
  ContainerRef,
  Diagnostic,
  DraftFile,
  Drift,
  FindingCounts,
  LineChange,
  LiveState,
  Plan,
  PlanRequest,
  Range,
  SourceChange,
  UnitService,
  Verdict,
  WorkspaceFileKind,
} from "./models.ts";

/**
 * GET: List the registered workspaces.
 *
 * POST: Register a folder as a workspace.
 */
export const WORKSPACES: Endpoint<"/api/workspaces", {
  get: { response: WorkspaceList; query: Record<string, never> };
  post: { response: Workspace; payload: NewWorkspace; query: Record<string, never> };
}> = new Endpoint("/api/workspaces", { post: [201] });

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
}> = new Endpoint("/api/workspaces/{id}", { delete: [204] });

/** GET: The files that a workspace was read from. */
export const WORKSPACE_FILES: Endpoint<"/api/workspaces/{id}/files", {
  get: { response: WorkspaceFileList; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/files");

/**
 * GET: A file in full, with its secrets masked.
 *
 * PUT: Write to a file, or create one.
 */
export const WORKSPACE_FILE: Endpoint<"/api/workspaces/{id}/files/{path...}", {
  get: {
    response: WorkspaceFileText;
    query: {
      /** Show secrets, too: needs `artifacts:reveal`, and is an entry of the audit log. */
      reveal?: boolean;
    };
  };
  put: { response: WrittenFile; payload: FileText; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/files/{path...}", { put: [200, 201] });

/** POST: Put a text that a file had before back in its place. */
export const WORKSPACE_VERSION_RESTORE: Endpoint<"/api/workspaces/{id}/versions/{version}/restore", {
  post: { response: WrittenFile; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/versions/{version}/restore");

/** GET: The texts that a file had before. */
export const WORKSPACE_VERSIONS: Endpoint<"/api/workspaces/{id}/versions", {
  get: {
    response: FileVersionList;
    query: {
      /** The file. */
      path: string;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/versions");

/** GET: A text that a file had before, with its secrets masked. */
export const WORKSPACE_VERSION: Endpoint<"/api/workspaces/{id}/versions/{version}", {
  get: { response: WorkspaceFileText; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/versions/{version}");

/** GET: The groups, units and cards of a workspace. */
export const WORKSPACE_ARTIFACTS: Endpoint<"/api/workspaces/{id}/artifacts", {
  get: {
    response: {
      /** The artifacts. */
      readonly items: readonly (ArtifactSummary)[];
      /** Number of all items. */
      readonly total: number;
      /** Changes whenever the folder's meaning does. */
      readonly revision: string;
    };
    item: string;
    query: {
      /** Only artifacts of this kind. */
      kind?: ArtifactKind;
      /** Part of a name, title or image. */
      q?: string;
      /** Maximum number of items; all if left out. */
      limit?: number;
      /** Number of items to skip at the beginning. */
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
    payload: UnsavedFiles | undefined;
    query: {
      /** Format of the findings. */
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
      /** Format of the graph. */
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

/**
 * POST: Make an address that a forge calls after a push.
 *
 * DELETE: Take the hook of a source away.
 */
export const WORKSPACE_SOURCE_HOOK: Endpoint<"/api/workspaces/{id}/source/hook", {
  post: { response: NewHook; query: Record<string, never> };
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/source/hook", { post: [201], delete: [204] });

/**
 * PUT: Let a workspace follow a branch of a Git repository.
 *
 * DELETE: Follow the repository no longer, and leave all files.
 *
 * GET: The repository that a workspace follows, and what its newest commit would change.
 */
export const WORKSPACE_SOURCE: Endpoint<"/api/workspaces/{id}/source", {
  put: { response: Source; payload: NewSource; query: Record<string, never> };
  delete: { query: Record<string, never> };
  get: { response: Source; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/source", { delete: [204] });

/** POST: Write a commit of the repository into the folder. */
export const WORKSPACE_SOURCE_SYNC: Endpoint<"/api/workspaces/{id}/source/sync", {
  post: { response: Source; payload: SyncRequest; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/source/sync");

/** POST: Commit files of the folder, and push them. */
export const WORKSPACE_SOURCE_COMMIT: Endpoint<"/api/workspaces/{id}/source/commit", {
  post: { response: CommitMade; payload: CommitRequest; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/source/commit", { post: [201] });

/** POST: Ask the repository for new commits now. */
export const WORKSPACE_SOURCE_CHECK: Endpoint<"/api/workspaces/{id}/source/check", {
  post: { response: Source; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/source/check");

/** POST: Work out what would bring a group up, or down. */
export const WORKSPACE_ARTIFACTS_GROUP_PLAN: Endpoint<"/api/workspaces/{id}/artifacts/groups/{name}/plan", {
  post: { response: Plan; payload: PlanRequest | undefined; query: Record<string, never> };
}> = new Endpoint("/api/workspaces/{id}/artifacts/groups/{name}/plan", { post: [201] });

/** POST: Work out what would bring each group of a workspace up, or down. */
export const WORKSPACE_PLANS: Endpoint<"/api/workspaces/{id}/plans", {
  post: {
    response: WorkspacePlans;
    payload: PlanRequest | undefined;
    query: {
      /** Only groups behind this one: `next` of the answer before. */
      after?: string;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/plans", { post: [201] });

/** POST: Write containers down as a Compose project. */
export const WORKSPACE_ADOPTIONS_DRAFT: Endpoint<"/api/workspaces/{id}/adoptions/draft", {
  post: {
    response: AdoptionDraft;
    payload: DraftRequest;
    query: {
      /** Show secrets, too. */
      reveal?: boolean;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/adoptions/draft");

/** POST: Bring the file to the container, in single fields. */
export const WORKSPACE_ARTIFACTS_UNIT_SETTLE: Endpoint<"/api/workspaces/{id}/artifacts/units/{name}/settle", {
  post: {
    response: SettledFile;
    payload: SettleRequest;
    query: {
      /** Show the change, and save nothing. */
      preview?: boolean;
    };
  };
}> = new Endpoint("/api/workspaces/{id}/artifacts/units/{name}/settle");

/** The answer of `POST /api/workspaces/{id}/adoptions/draft`. */
export type AdoptionDraft = {
  /** Accepting the draft takes it. */
  readonly id: string;
  /** RFC 3339: until then it can be accepted, by the caller who asked for it. */
  readonly expiresAt: string;
  /** The projects that were written. */
  readonly projects: readonly ({
    /** The project's name. */
    readonly name: string;
    /** The engine that its containers are on. */
    readonly backend: string;
    /** The folder below the workspace that accepting it would write into by itself. */
    readonly folder: string;
    /** The containers that were written. */
    readonly services: readonly ({
      /** The container's name. */
      readonly container: string;
      /** Its id. */
      readonly id: string;
      /** The service that it was written as. */
      readonly service: string;
      /** False for one that the first plan would start. */
      readonly isRunning: boolean;
    })[];
    /** `.env` for what looks like a secret, and the Compose file; secrets are masked unless they were asked for. */
    readonly files: readonly (DraftFile)[];
    /** Differences that are left between a text and its container; empty where the text says all. */
    readonly differences: readonly ({
      /** The container's name. */
      readonly container: string;
      /** The field, named as in drift. */
      readonly field: string;
      /** The value of the text. */
      readonly declared: string;
      /** The value of the container. */
      readonly actual: string;
    })[];
    /** Settings that no file can say, or that the engine does not tell. */
    readonly leftOut: readonly ({
      /** The names of the containers that have it. */
      readonly containers: readonly (string)[];
      /** The field, or the engine's setting. */
      readonly field: string;
      /** The reason. */
      readonly why: string;
    })[];
    /** Containers that cannot be written down. */
    readonly refused: readonly ({
      /** The container's name. */
      readonly container: string;
      /** The reason. */
      readonly why: string;
    })[];
    /** Reasons why the text cannot be used as it is. */
    readonly blocked: readonly (string)[];
  })[];
};

/** A part of `Workspace`. */
export type ArtifactCounts = {
  /** Number of groups. */
  readonly groups: number;
  /** Number of units. */
  readonly units: number;
  /** Number of cards. */
  readonly cards: number;
};

/** A parameter of `GET /api/workspaces/{id}/artifacts`. */
export type ArtifactKind = "group" | "unit" | "card";

/** A part of `ArtifactSummary`. */
export type ArtifactPlace = {
  /** Below the workspace's folder. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1. */
  readonly column: number;
};

/** A part of `GroupDetail`. */
export type ArtifactReference = {
  /** In which way it refers. */
  readonly kind: string;
  /** The key it stands under. */
  readonly under: string;
  /** The name as its author wrote it. */
  readonly written: string;
  /** The id of what it means. */
  readonly target: string | null;
  /** True if such an artifact exists. */
  readonly resolved: boolean;
  /** True if it follows from something else and is not written anywhere. */
  readonly implicit: boolean;
  /** The condition that a dependency waits for. */
  readonly condition?: string;
  /** True if a dependency must exist. */
  readonly required?: boolean;
  /** True if it restarts with its dependency. */
  readonly restart?: boolean;
  /** True if it may write. */
  readonly access?: "ro" | "rw";
  /** The place in the file. */
  readonly source: ArtifactSource;
};

/** A part of `GroupDetail`. */
export type ArtifactReferrer = {
  /** In which way it is referred to. */
  readonly kind: string;
  /** The id of what refers to it. */
  readonly from: string;
  /** The place in the declaration. */
  readonly under: string;
  /** The place in the file. */
  readonly source: ArtifactSource;
};

/** A part of `GroupDetail`. */
export type ArtifactSource = {
  /** Below the workspace's folder. */
  readonly file: string;
  /** Position in the file. */
  readonly range: Range;
};

/** The answer of `GET /api/workspaces/{id}/artifacts`. */
export type ArtifactSummary = {
  /** Its id, as unit:shop.web. */
  readonly id: string;
  /** Kind of artifact. */
  readonly kind: ArtifactKind;
  /** Its name. */
  readonly name: string;
  /** Name for people. */
  readonly title: string | null;
  /** The id of a unit's group. */
  readonly group: string | null;
  /** A unit's type, a group's standing, a card's origin. */
  readonly type: string;
  /** A unit's image. */
  readonly image: string | null;
  /** The place of its declaration. */
  readonly source: ArtifactPlace;
  /** Counts of its findings. */
  readonly diagnostics: DiagnosticCounts;
};

/** The answer of `GET /api/workspaces/{id}/artifacts/cards/{name}`. */
export type CardDetail = {
  /** Kind of artifact. */
  readonly kind: "card";
  /** Its id, as unit:shop.web. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Name for people. */
  readonly title: string | null;
  /** Description by its author. */
  readonly description: string | null;
  /** The place of its declaration. */
  readonly source: ArtifactSource;
  /** As the author wrote it, comments and all, secrets masked; null where there is none. */
  readonly yaml: string | null;
  /** The line of the file that it begins with: lines, and columns up to a mask, are those of the file. */
  readonly yamlLine: number | null;
  /** Something in `yaml` is masked; `?reveal=true` shows it. */
  readonly masked: boolean;
  /** Its references. */
  readonly references: readonly (ArtifactReference)[];
  /** References to it. */
  readonly referencedBy: readonly (ArtifactReferrer)[];
  /** Its findings. */
  readonly diagnostics: readonly (Diagnostic)[];
  /** The kind of file it comes from. */
  readonly origin: "native" | "backstage" | "x-card" | "readme";
  /** Its owner. */
  readonly owner: string | null;
  /** Its life cycle, in its author's word. */
  readonly lifecycle: string | null;
  /** Words to find it by. */
  readonly tags: readonly (string)[];
  /** Links to further reading. */
  readonly links: readonly ({
    /** The address. */
    readonly url: string;
    /** Its links. */
    readonly title: string | null;
  })[];
  /** The address of what to do when it fails. */
  readonly runbook: string | null;
  /** The id of what it describes. */
  readonly subject: string | null;
};

/** The answer of `POST /api/workspaces/{id}/source/commit`. */
export type CommitMade = {
  /** Its id. */
  readonly id: CommitId;
  /** The branch that it was pushed to. */
  readonly branch: string;
};

/** The payload of `POST /api/workspaces/{id}/source/commit`. */
export type CommitRequest = {
  /** The files to commit as they are in the folder, and those that are gone from it. */
  readonly paths: readonly (string)[];
  /** The message of the commit. */
  readonly message: string;
  /** A new branch for it, as for a pull request; the branch that is followed unless given. */
  readonly branch?: string;
  /** True to commit values that berth would mask: needs `artifacts:reveal`, too. */
  readonly withSecrets?: boolean;
};

/** The answer of `GET /api/workspaces/{id}/artifacts/dag`. */
export type Dag = {
  /** The shape of this answer. */
  readonly schemaVersion: 1;
  /** `groups`: only groups, and what lies between them. */
  readonly view: "all" | "groups";
  /** The workspace's id. */
  readonly workspace: string;
  /** Changes whenever the folder's meaning does. */
  readonly revision: string;
  /** True if there is no cycle. */
  readonly acyclic: boolean;
  /** Direction of the edges. */
  readonly direction: "dependent->dependency";
  /** The nodes. */
  readonly nodes: readonly (DagNode)[];
  /** The edges. */
  readonly edges: readonly (DagEdge)[];
  /** The graph in numbers. */
  readonly stats: {
    /** Number of nodes. */
    readonly nodes: number;
    /** Number of edges. */
    readonly edges: number;
    /** Number of layers. */
    readonly layers: number;
    /** Number of units in the widest layer. */
    readonly width: number;
    /** Number of parts that nothing connects. */
    readonly components: number;
    /** Number of cycles. */
    readonly cycles: number;
  };
  /** The nodes in the order they can start, row by row. */
  readonly layers: readonly (readonly (string)[])[];
  /** The nodes of each cycle. */
  readonly cycles: readonly (readonly (string)[])[];
  /** Permissions that the caller needs to see running containers. */
  readonly liveNeeds?: "containers:read";
};

/** A part of `Dag`. */
export type DagEdge = {
  /** The edge's id. */
  readonly id: string;
  /** The node that depends. */
  readonly source: string;
  /** The node it depends on. */
  readonly target: string;
  /** In which way it depends. */
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
  /** The condition that a dependency waits for. */
  readonly condition?: string;
  /** True if the other unit must exist. */
  readonly required?: boolean;
  /** True if it restarts with the other unit. */
  readonly restart?: boolean;
  /** True if it may write. */
  readonly access?: "ro" | "rw";
  /** True if it is not written anywhere. */
  readonly implicit: boolean;
  /** True if it is part of a cycle. */
  readonly inCycle: boolean;
  /** True if nothing exists at its end. */
  readonly unresolved: boolean;
};

/** A part of `Dag`. */
export type DagNode = {
  /** Its id in the graph. */
  readonly id: string;
  /** Kind of node. */
  readonly kind: "group" | "unit" | "card" | "network" | "volume" | "secret" | "config" | "model" | "missing";
  /** Label to draw. */
  readonly label: string;
  /** The group it is drawn in. */
  readonly parent: string | null;
  /** When it starts: 0 first; null for what does not start. */
  readonly layer: number | null;
  /** Its place within its layer. */
  readonly order: number;
  /** The number of the cycle it is part of. */
  readonly cycle: number | null;
  /** Attributes worth showing. */
  readonly data: {
    /** A unit's image. */
    readonly image?: string | null;
    /** The ports a unit publishes. */
    readonly ports?: readonly (string)[];
    /** The profiles that switch a unit on. */
    readonly profiles?: readonly (string)[];
    /** True if a unit starts with the active profiles. */
    readonly active?: boolean;
    /** The card that describes it. */
    readonly card?: string | null;
  };
  /** Its running containers; null without an engine. */
  readonly live?: UnitLive | null;
  /** Counts of its findings. */
  readonly diagnostics: DiagnosticCounts;
  /** The place of its declaration. */
  readonly source: ArtifactPlace | null;
};

/** A part of `ArtifactSummary`. */
export type DiagnosticCounts = {
  /** Number of errors. */
  readonly error: number;
  /** Number of warnings. */
  readonly warning: number;
};

/** The payload of `POST /api/workspaces/{id}/adoptions/draft`. */
export type DraftRequest = {
  /** The containers to write down. */
  readonly containers: readonly (ContainerRef)[];
  /** All of them become one project of this name; otherwise those that are connected, one each. */
  readonly name?: string;
};

/** The payload of `PUT /api/workspaces/{id}/files/{path}`. */
export type FileText = {
  /** All of its text. */
  readonly text: string;
};

/** A part of `FileVersionList`. */
export type FileVersion = {
  /** Its id. */
  readonly id: number;
  /** The file that it was the text of. */
  readonly path: string;
  /** When another text took its place. */
  readonly at: string;
  /** The user or key that saved the other text. */
  readonly by: Author;
  /** The checksum of the text. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
};

/** The answer of `GET /api/workspaces/{id}/versions`. */
export type FileVersionList = {
  /** The earlier texts. */
  readonly items: readonly (FileVersion)[];
  /** Number of versions. */
  readonly total: number;
};

/** The answer of `GET /api/workspaces/{id}/artifacts/groups/{name}`. */
export type GroupDetail = {
  /** Kind of artifact. */
  readonly kind: "group";
  /** Its id, as unit:shop.web. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Name for people. */
  readonly title: string | null;
  /** Description by its author. */
  readonly description: string | null;
  /** The place of its declaration. */
  readonly source: ArtifactSource;
  /** As the author wrote it, comments and all, secrets masked; null where there is none. */
  readonly yaml: string | null;
  /** The line of the file that it begins with: lines, and columns up to a mask, are those of the file. */
  readonly yamlLine: number | null;
  /** Something in `yaml` is masked; `?reveal=true` shows it. */
  readonly masked: boolean;
  /** Its references. */
  readonly references: readonly (ArtifactReference)[];
  /** References to it. */
  readonly referencedBy: readonly (ArtifactReferrer)[];
  /** Its findings. */
  readonly diagnostics: readonly (Diagnostic)[];
  /** The name that the engine's labels have. */
  readonly project: string;
  /** Below the workspace's folder. */
  readonly folder: string;
  /** True if it is a group of its own and not a part of another. */
  readonly standing: "main" | "included" | "variant" | "fragment";
  /** The groups that include it. */
  readonly includedBy: readonly (string)[];
  /** The files it is made of, in order. */
  readonly files: readonly (string)[];
  /** The profiles it knows. */
  readonly profiles: readonly (string)[];
  /** The ids of its units. */
  readonly units: readonly (string)[];
  /** Networks, volumes and the like that it declares. */
  readonly resources: readonly ({
    /** Its id in the graph. */
    readonly id: string;
    /** Kind of artifact. */
    readonly kind: "network" | "volume" | "secret" | "config" | "model";
    /** Its key in the file. */
    readonly key: string;
    /** Its name on the engine, if it is known. */
    readonly name: string | null;
    /** True if it is created elsewhere. */
    readonly external: boolean;
  })[];
  /** True if a part of it could not be read. */
  readonly incomplete: boolean;
  /** Its running containers; null without an engine. */
  readonly live?: UnitLive | null;
  /** Permissions that the caller needs to see running containers. */
  readonly liveNeeds?: "containers:read";
};

/** A part of `WorkspaceProject`. */
export type GroupStanding = "main" | "included" | "variant" | "fragment";

/** A part of `UnitLive`. */
export type Match = {
  /** The sign by which it was recognised; `claim`: it was adopted, `label`: berth's own on a service, `images`: every service of its stack is a unit with its image. */
  readonly by:
    | "settings"
    | "configFiles"
    | "workingDirAndProject"
    | "workingDir"
    | "project"
    | "containerName"
    | "claim"
    | "label"
    | "images";
  /** The certainty of the match. */
  readonly confidence: "certain" | "likely" | "guess";
};

/** The answer of `POST /api/workspaces/{id}/source/hook`. */
export type NewHook = {
  /** The path of its address, behind the one that callers reach berth by. */
  readonly path: string;
  /** The secret that the forge signs with; shown this once. */
  readonly secret: string;
};

/** A part of `NewWorkspace`. */
export type NewSource = {
  /** The repository's address: https://, ssh:// with a deploy key that berth makes, or http:// without a credential. */
  readonly url: string;
  /** The branch to follow. */
  readonly branch: string;
  /** Only this folder of the repository; all of it unless given. */
  readonly folder?: string;
  /** `manual`: files are written when somebody syncs; `auto`: each new commit is synced and applied with the rights that the user or key who set this has at that time. */
  readonly policy?: "manual" | "auto";
  /** Null for none; left out, the one that is known stays if the server is the same. */
  readonly credential?: SourceCredential | null;
  /** Behind ssh: the keys that the server must show, as `ssh-ed25519 AAAA…`. Null for those that it shows now; left out, those that are known stay if the server is the same. */
  readonly hostKeys?: readonly (string)[] | null;
  /** The SSH keys of those who may sign commits, as `ssh-ed25519 AAAA… ada`: a commit that none of them has signed is not taken. Null or none for every commit; left out, those that are known stay. */
  readonly signers?: readonly (string)[] | null;
};

/** The payload of `POST /api/workspaces`. */
export type NewWorkspace = {
  /** Absolute, inside one of the service's roots. */
  readonly path: string;
  /** The folder's name unless given. */
  readonly name?: string;
  /** The repository that it follows from the beginning; a folder that is not there yet is made in the one above it. */
  readonly source?: NewSource;
};

/** The answer of `POST /api/workspaces/{id}/artifacts/validate`. */
export type Report = {
  /** The shape of this report. */
  readonly schemaVersion: 1;
  /** The workspace's id. */
  readonly workspace: string;
  /** Changes whenever the folder's meaning does. */
  readonly revision: string;
  /** True if there are no errors. */
  readonly valid: boolean;
  /** True if everything was read. */
  readonly complete: boolean;
  /** Duration of the check. */
  readonly durationMs: number;
  /** The findings. */
  readonly diagnostics: readonly (Diagnostic)[];
  /** The findings and artifacts, counted. */
  readonly summary: {
    /** Number of errors. */
    readonly error: number;
    /** Number of warnings. */
    readonly warning: number;
    /** Number of remarks. */
    readonly info: number;
    /** Number of hints. */
    readonly hint: number;
    /** Number of suppressed findings. */
    readonly suppressed: number;
    /** Number of files read. */
    readonly files: number;
    /** Number of groups. */
    readonly groups: number;
    /** Number of units. */
    readonly units: number;
    /** Number of cards. */
    readonly cards: number;
    /** Number of references between them. */
    readonly edges: number;
  };
  /** Permissions that the caller needs so that running containers are checked, too. */
  readonly liveNeeds?: "containers:read";
  /** Findings that were left out. */
  readonly truncated: {
    /** Number of findings that are not shown. */
    readonly diagnostics: number;
    /** Files with more than are shown. */
    readonly files: number;
  };
};

/** The same findings as SARIF 2.1.0, for code scanning and editors. */
export type Sarif = {
  /** The address of SARIF's own schema. */
  readonly $schema: string;
  /** The version of SARIF. */
  readonly version: "2.1.0";
  /** One run of berth, with its rules and results. */
  readonly runs: readonly ({ readonly [key: string]: unknown })[];
};

/** The payload of `POST /api/workspaces/{id}/artifacts/units/{name}/settle`. */
export type SettleRequest = {
  /** The container's id or name. */
  readonly container: string;
  /** The fields that differ, named as in drift. */
  readonly fields: readonly (string)[];
};

/** The answer of `POST /api/workspaces/{id}/artifacts/units/{name}/settle`. */
export type SettledFile = {
  /** Below the workspace's folder. */
  readonly path: string;
  /** The kind of file that it was read as: `secret`, `config` and `mounted` are files that projects name, `other` is one that was created and that nothing names yet. */
  readonly kind: WorkspaceFileKind;
  /** The checksum of what was read. */
  readonly sha256: string;
  /** The last text that could be read stands in for a broken one. */
  readonly stale: boolean;
  /** Its text, with `********` for every secret. */
  readonly text: string;
  /** Every mask in `text`, in order; empty with `reveal`. */
  readonly masked: readonly (Range)[];
  /** The differences from the text before. */
  readonly changes: readonly (LineChange)[];
  /** The fields in which the container still differs. */
  readonly left: readonly (string)[];
  /** False for a preview. */
  readonly saved: boolean;
};

/** The answer of `PUT /api/workspaces/{id}/source`. */
export type Source = {
  /** The workspace's id. */
  readonly workspace: string;
  /** The repository's address. */
  readonly url: string;
  /** The branch that is followed. */
  readonly branch: string;
  /** The folder of the repository; empty for all of it. */
  readonly folder: string;
  /** When files are written. */
  readonly policy: "manual" | "auto";
  /** True if a credential is kept. */
  readonly hasCredential: boolean;
  /** The path that a forge calls after a push, as `/api/hooks/…`; null where there is none. */
  readonly hook: string | null;
  /** Null for a repository that is not behind ssh. */
  readonly ssh: SourceSsh | null;
  /** The keys of which one must have signed a commit before it is taken; empty takes every commit. */
  readonly signers: readonly (SourceSigner)[];
  /** The user or key that set it. */
  readonly setBy: string;
  /** `unchecked`: no check has ended yet; `behind`: the branch has other commits than the folder; `conflict`: files that are not Git's are in the way of a sync; `waiting`: the policy `auto` waits for a person, and `waiting` says why. */
  readonly state: SourceStateName;
  /** The reason why the policy `auto` waits for a person; null if it does not. */
  readonly waiting: string | null;
  /** The reason that the last check failed; null if it did not. */
  readonly error: string | null;
  /** When a check last ended, RFC 3339. */
  readonly checkedAt: string | null;
  /** The commit that the folder was last brought to. */
  readonly synced: CommitId | null;
  /** The newest commit that was fetched. */
  readonly head: CommitId | null;
  /** True if the branch does not contain the synced commit any more. */
  readonly rewritten: boolean;
  /** Files of the folder that differ from the synced commit, at most 200; empty for callers who see a part of the workspace. */
  readonly uncommitted: readonly (SourceUncommitted)[];
  /** The newest commits of the branch, at most 50: each can be synced; empty for callers who see a part of the workspace. */
  readonly history: readonly (SourceCommit)[];
  /** The effect of a sync; null where nothing waits, or nobody could tell. */
  readonly pending: {
    /** The commits that are not synced, the newest first, at most 50. */
    readonly commits: readonly (SourceCommit)[];
    /** The groups that the newest commit would change. */
    readonly groups: readonly (SourceGroup)[];
    /** Files that a sync would overwrite, and that are not Git's. */
    readonly conflicts: readonly (SourcePath)[];
    /** Submodules, and links that lead out of the folder: never written. */
    readonly skipped: readonly (SourcePath)[];
    /** Files that a sync would write or delete. */
    readonly files: number;
    /** True for callers who see a part of the workspace: they are told the groups in it, and nothing else. */
    readonly isPart: boolean;
  } | null;
};

/** A part of `Source`. */
export type SourceCommit = {
  /** Its id. */
  readonly id: CommitId;
  /** The name of its author. */
  readonly author: string;
  /** RFC 3339. */
  readonly at: string;
  /** The first line of its message. */
  readonly subject: string;
};

/** A part of `NewSource`. */
export type SourceCredential = {
  /** The user's name; most servers take any. */
  readonly user?: string;
  /** A token that may read the repository; kept encrypted, and never shown. */
  readonly token: string;
};

/** A part of `Source`. */
export type SourceGroup = {
  /** The group's name. */
  readonly name: string;
  /** The Compose project. */
  readonly project: string;
  /** The effect of the commit on it. */
  readonly change: SourceChange;
  /** The changed files that it is made of or mounts, below the workspace's folder. */
  readonly files: readonly (string)[];
  /** The first of them with a changed line; null where none is text. */
  readonly file: string | null;
  /** The line in the new text, from 1. */
  readonly line: number | null;
};

/** A part of `SourceSsh`. */
export type SourceHostKey = {
  /** As `ssh-ed25519 AAAA…`. */
  readonly key: string;
  /** As ssh and forges show it. */
  readonly fingerprint: string;
};

/** A part of `Source`. */
export type SourcePath = {
  /** Below the workspace's folder. */
  readonly path: string;
  /** The reason. */
  readonly why: string;
};

/** A part of `Source`. */
export type SourceSigner = {
  /** As `ssh-ed25519 AAAA…`. */
  readonly key: string;
  /** The comment behind the key; may be empty. */
  readonly name: string;
  /** As ssh and forges show it. */
  readonly fingerprint: string;
};

/** A part of `Source`. */
export type SourceSsh = {
  /** The deploy key, for the forge: one that may read is enough. */
  readonly publicKey: string;
  /** The keys that the server must show. */
  readonly hostKeys: readonly (SourceHostKey)[];
};

/** A part of `SourceRow`. */
export type SourceStateName =
  | "unchecked"
  | "synced"
  | "behind"
  | "syncing"
  | "waiting"
  | "conflict"
  | "failed";

/** A part of `Source`. */
export type SourceUncommitted = {
  /** Below the workspace's folder. */
  readonly path: string;
  /** `added`: berth reads it as a project or a card, and the commit lacks it. */
  readonly change: UncommittedChange;
};

/** The payload of `POST /api/workspaces/{id}/source/sync`. */
export type SyncRequest = {
  /** The commit to write: the newest, or an earlier one of `history`. */
  readonly commit: CommitId;
  /** Conflicting paths that stay as they are. */
  readonly keep?: readonly (string)[];
  /** Conflicting paths that are overwritten; their texts are kept as file versions. */
  readonly overwrite?: readonly (string)[];
};

/** A part of `SourceUncommitted`. */
export type UncommittedChange = "changed" | "deleted" | "added";

/** The answer of `GET /api/workspaces/{id}/artifacts/units/{name}`. */
export type UnitDetail = {
  /** Kind of artifact. */
  readonly kind: "unit";
  /** Its id, as unit:shop.web. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Name for people. */
  readonly title: string | null;
  /** Description by its author. */
  readonly description: string | null;
  /** The place of its declaration. */
  readonly source: ArtifactSource;
  /** As the author wrote it, comments and all, secrets masked; null where there is none. */
  readonly yaml: string | null;
  /** The line of the file that it begins with: lines, and columns up to a mask, are those of the file. */
  readonly yamlLine: number | null;
  /** Something in `yaml` is masked; `?reveal=true` shows it. */
  readonly masked: boolean;
  /** Its references. */
  readonly references: readonly (ArtifactReference)[];
  /** References to it. */
  readonly referencedBy: readonly (ArtifactReferrer)[];
  /** Its findings. */
  readonly diagnostics: readonly (Diagnostic)[];
  /** The id of its group. */
  readonly group: string | null;
  /** Kind of unit. */
  readonly type: string;
  /** The image it runs. */
  readonly image: string | null;
  /** True if its image is built. */
  readonly build: boolean;
  /** The name its container must have. */
  readonly containerName: string | null;
  /** The profiles that switch it on. */
  readonly profiles: readonly (string)[];
  /** True if it starts with the active profiles. */
  readonly active: boolean;
  /** Number of containers it asks for. */
  readonly replicas: number | null;
  /** Restart policy. */
  readonly restart: string | null;
  /** The ports it publishes. */
  readonly ports: readonly (string)[];
  /** Its mounts. */
  readonly mounts: readonly ({
    /** Kind of mount. */
    readonly type: string;
    /** Source of the mount. */
    readonly source: string | null;
    /** Path in the container. */
    readonly target: string | null;
    /** True if it is read-only. */
    readonly readOnly: boolean;
  })[];
  /** Its variables, masked. */
  readonly environment: readonly ({
    /** The variable's name. */
    readonly name: string;
    /** Masked; null where nothing sets it, or a variable in it is not set. */
    readonly value: string | null;
    /** `variable`: named without a value, it has that of the project's variable. */
    readonly from: "environment" | "env_file" | "variable";
    /** The file that sets or names it. */
    readonly file: string;
  })[];
  /** True if it declares a health check. */
  readonly healthcheck: "declared" | "disabled" | "none";
  /** Its running containers; null without an engine. */
  readonly live?: UnitLive | null;
  /** Permissions that the caller needs to see running containers. */
  readonly liveNeeds?: "containers:read";
};

/** A part of `GroupDetail`. */
export type UnitLive = {
  /** Verdict in one word; a group has that of its worst unit. Null for a unit that is rightly not started. */
  readonly verdict: Verdict | null;
  /** Its running containers. */
  readonly state: LiveState;
  /** Number of containers that should run; null while unknown. */
  readonly desired: number | null;
  /** The match of these containers with it. */
  readonly match: Match | null;
  /** Its containers. */
  readonly containers: readonly ({
    /** The container's id. */
    readonly id: string;
    /** The container's name. */
    readonly name: string;
    /** Its number among those of the unit. */
    readonly number: number | null;
    /** State as the engine reports it. */
    readonly state: string;
    /** Result of its health check. */
    readonly health: string | null;
    /** The code it last ended with. */
    readonly exitCode: number | null;
    /** Its condition by itself, without the declaration. */
    readonly condition: ContainerCondition;
    /** When it last started. */
    readonly startedAt: string | null;
    /** The engine it is on, by name. */
    readonly backend: string;
  })[];
  /** Of a group: those of its units. Null where nothing was compared. */
  readonly drift: readonly (Drift)[] | null;
  /** Mounts whose files were written to or may have been replaced, and limits that the engine's kernel cannot hold; no difference by themselves, absent without any. */
  readonly remarks?: readonly (Drift)[];
  /** The reason that something of it could not be compared with what is declared; null where everything was. */
  readonly notCompared: string | null;
  /** The service of a swarm that it runs as; absent where it runs as containers, and without `services:read`. */
  readonly service?: UnitService;
};

/** The payload of `POST /api/workspaces/{id}/artifacts/validate`. */
export type UnsavedFiles = {
  /** Unsaved texts by their path in the workspace. */
  readonly files?: { readonly [key: string]: string };
};

/** A part of `LiveMessage`. */
export type Workspace = {
  /** A slug of the name. */
  readonly id: string;
  /** The folder's name, unless it was given another. */
  readonly name: string;
  /** The folder's real path. */
  readonly path: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** True if files with several hard links are read. */
  readonly allowHardLinks: boolean;
  /** True if callers with `workspaces:files` may write to its files. */
  readonly editable: boolean;
  /** State of the workspace. */
  readonly state: WorkspaceState;
  /** Counts of its artifacts. */
  readonly counts: ArtifactCounts;
  /** Counts of its findings. */
  readonly problems: FindingCounts;
  /** Changes when anything that was read does; null while nothing can be. */
  readonly revision: string | null;
};

/** The payload of `PUT /api/workspaces/{id}`. */
export type WorkspaceChange = {
  /** A hard link may be another name of a file outside the workspace, so only allow them where everybody who can write to the folder may read what berth reads. */
  readonly allowHardLinks?: boolean;
  /** The files decide what runs, so only allow writing where every caller with `workspaces:files` may decide that. */
  readonly editable?: boolean;
};

/** The answer of `GET /api/workspaces/{id}`. */
export type WorkspaceDetail = {
  /** A slug of the name. */
  readonly id: string;
  /** The folder's name, unless it was given another. */
  readonly name: string;
  /** The folder's real path. */
  readonly path: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** True if files with several hard links are read. */
  readonly allowHardLinks: boolean;
  /** True if callers with `workspaces:files` may write to its files. */
  readonly editable: boolean;
  /** State of the workspace. */
  readonly state: WorkspaceState;
  /** Counts of its artifacts. */
  readonly counts: ArtifactCounts;
  /** Counts of its findings. */
  readonly problems: FindingCounts;
  /** Changes when anything that was read does; null while nothing can be. */
  readonly revision: string | null;
  /** False where a limit was reached: its report says which, as `fs/limit-reached`. */
  readonly complete: boolean;
  /** The files that were read. */
  readonly files: readonly (WorkspaceFile)[];
  /** The Compose projects found. */
  readonly projects: readonly (WorkspaceProject)[];
};

/** A part of `LiveMessage`. */
export type WorkspaceFile = {
  /** Below the workspace's folder. */
  readonly path: string;
  /** The kind of file that it was read as: `secret`, `config` and `mounted` are files that projects name, `other` is one that was created and that nothing names yet. */
  readonly kind: WorkspaceFileKind;
  /** The checksum of what was read. */
  readonly sha256: string;
  /** The last text that could be read stands in for a broken one. */
  readonly stale: boolean;
};

/** The answer of `GET /api/workspaces/{id}/files`. */
export type WorkspaceFileList = {
  /** The files, in the order of their paths. */
  readonly items: readonly (WorkspaceFile)[];
  /** Number of files. */
  readonly total: number;
};

/** The answer of `GET /api/workspaces/{id}/files/{path}`. */
export type WorkspaceFileText = {
  /** Below the workspace's folder. */
  readonly path: string;
  /** The kind of file that it was read as: `secret`, `config` and `mounted` are files that projects name, `other` is one that was created and that nothing names yet. */
  readonly kind: WorkspaceFileKind;
  /** The checksum of what was read. */
  readonly sha256: string;
  /** The last text that could be read stands in for a broken one. */
  readonly stale: boolean;
  /** Its text, with `********` for every secret. */
  readonly text: string;
  /** Every mask in `text`, in order; empty with `reveal`. */
  readonly masked: readonly (Range)[];
};

/** The answer of `GET /api/workspaces`. */
export type WorkspaceList = {
  /** The workspaces. */
  readonly items: readonly (Workspace)[];
  /** Number of all workspaces. */
  readonly total: number;
};

/** The answer of `POST /api/workspaces/{id}/plans`. */
export type WorkspacePlans = {
  /** One for each group, by name. */
  readonly plans: readonly (Plan)[];
  /** The name of the last group, for `after`; absent where no group is left. */
  readonly next?: string;
};

/** A part of `WorkspaceDetail`. */
export type WorkspaceProject = {
  /** Docker's name of the project. */
  readonly name: string;
  /** The id of its group. */
  readonly group: string;
  /** Below the workspace; empty for its root. */
  readonly folder: string;
  /** The files it is made of, in order. */
  readonly files: readonly (string)[];
  /** The profiles that are active. */
  readonly profiles: readonly (string)[];
  /** True if it is a group of its own and not a part of another. */
  readonly standing: GroupStanding;
};

/** `reading`: not read to the end yet, the counts are those so far; `missing`: the folder is gone, and comes back by itself; `empty`: nothing in it is an artifact. */
export type WorkspaceState = "ready" | "reading" | "missing" | "unreadable" | "empty";

/** The answer of `PUT /api/workspaces/{id}/files/{path}`. */
export type WrittenFile = {
  /** Below the workspace's folder. */
  readonly path: string;
  /** The kind of file that it was read as: `secret`, `config` and `mounted` are files that projects name, `other` is one that was created and that nothing names yet. */
  readonly kind: WorkspaceFileKind;
  /** The checksum of what was read. */
  readonly sha256: string;
  /** The last text that could be read stands in for a broken one. */
  readonly stale: boolean;
  /** Its text, with `********` for every secret. */
  readonly text: string;
  /** Every mask in `text`, in order; empty with `reveal`. */
  readonly masked: readonly (Range)[];
  /** Containers that mount this very file and still read the text before; absent if the caller sees none. */
  readonly staleIn?: readonly ({
    /** The container's name. */
    readonly container: string;
    /** The path of the file in the container. */
    readonly target: string;
    /** The group to plan; `up` restarts the container. */
    readonly group: string;
    /** The unit to plan, by its name. */
    readonly unit: string;
  })[];
};
