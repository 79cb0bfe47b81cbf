/** The types that several groups of the API share, written from the document that the service serves. */

/** The answer of `POST /api/plans/{id}/apply`. */
export type Apply = {
  /** The id to request it by. */
  readonly id: string;
  /** The plan that it carries out. */
  readonly plan: string;
  /** The workspace's id. */
  readonly workspace: string;
  /** The group's name. */
  readonly group: string;
  /** The Compose project. */
  readonly project: string;
  /** The engine. */
  readonly backend: string;
  /** The request as it was sent. */
  readonly action: PlanAction;
  /** `paused` waits for a person's word; the last three are the end. */
  readonly state: ApplyState;
  /** The reason for the pause or the failure; of `done`, the problem of containers that do not stay up. */
  readonly reason: string | null;
  /** The user or key whose rights it continues with. */
  readonly by: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; null until it ended. */
  readonly endedAt: string | null;
  /** The steps that were requested, in the order of the plan. */
  readonly steps: readonly (ApplyStep)[];
  /** Containers that the apply has started, and that do not stay up; judged when all steps are done. */
  readonly unstable: readonly (ApplyUnstable)[];
};

/** A part of `ApplyStep`. */
export type ApplyFailure = {
  /** Code for programs. */
  readonly code: string;
  /** Message for people. */
  readonly title: string;
};

/** A part of `Apply`. */
export type ApplyState = "running" | "paused" | "done" | "failed" | "cancelled";

/** A part of `Apply`. */
export type ApplyStep = {
  /** In an order that works one by one. */
  readonly n: number;
  /** The kind of step. */
  readonly kind: StepKind;
  /** The name of a container, image, network or volume, of a service, secret or config of a swarm. */
  readonly target: string;
  /** The id of the unit it is done for. */
  readonly unit: string | null;
  /** The reasons; never empty. */
  readonly why: readonly (PlanReason)[];
  /** The steps that must be done before. */
  readonly after: readonly (number)[];
  /** The effect while the step runs. */
  readonly risk: StepRisk;
  /** The command that is run; only of `hook.run`. */
  readonly hook?: PlanHook;
  /** The step that does it as a part of itself. */
  readonly within?: number;
  /** Progress. */
  readonly state: StepState;
  /** RFC 3339; null until it was begun. */
  readonly startedAt: string | null;
  /** RFC 3339; null until it ended. */
  readonly endedAt: string | null;
  /** The failure; null unless it failed. */
  readonly error: ApplyFailure | null;
  /** Further remarks about how it ended. */
  readonly note: string | null;
};

/** A part of `ApplyList`. */
export type ApplySummary = {
  /** The id to request it by. */
  readonly id: string;
  /** The plan that it carries out. */
  readonly plan: string;
  /** The workspace's id. */
  readonly workspace: string;
  /** The group's name. */
  readonly group: string;
  /** The Compose project. */
  readonly project: string;
  /** The engine. */
  readonly backend: string;
  /** The request as it was sent. */
  readonly action: PlanAction;
  /** `paused` waits for a person's word; the last three are the end. */
  readonly state: ApplyState;
  /** The reason for the pause or the failure; of `done`, the problem of containers that do not stay up. */
  readonly reason: string | null;
  /** The user or key whose rights it continues with. */
  readonly by: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; null until it ended. */
  readonly endedAt: string | null;
};

/** A container that the apply has started, and that does not stay up. */
export type ApplyUnstable = {
  /** The step that started it. */
  readonly step: number;
  /** Its name. */
  readonly container: string;
  /** It restarts over and over, has ended although it should run, or was removed. */
  readonly problem: "restarting" | "ended" | "gone";
  /** The code it ended with; null if it is not known. */
  readonly exitCode: number | null;
};

/** A part of `IncidentCause`. */
export type Author = {
  /** `user`, `apiKey` or `system`. */
  readonly kind: string;
  /** Their id. */
  readonly id: string;
  /** Their name at the time. */
  readonly name: string;
};

/** A part of `EngineStatus`. */
export type BackendState = "up" | "unresponsive" | "away" | "refused" | "unsupported";

/** A part of `SourceRow`. */
export type CommitId = string;

/** A part of `ProjectReason`. */
export type ContainerCondition =
  | "restarting"
  | "unhealthy"
  | "dead"
  | "failed"
  | "running"
  | "paused"
  | "stopped"
  | "completed"
  | "created"
  | "unknown";

/** A part of `DraftRequest`. */
export type ContainerRef = {
  /** The engine's name. */
  readonly backend: string;
  /** The container's whole id. */
  readonly id: string;
};

/** A part of `ProjectReason`. */
export type ContainerStop = {
  /** When it ended. */
  readonly since: string | null;
  /** True if the engine told that somebody stopped it; false where nobody knows. */
  readonly byHand: boolean;
};

/** A part of `GroupDetail`. */
export type Diagnostic = {
  /** The rule, as docs/rules.md lists it. */
  readonly code: string;
  /** Severity. */
  readonly severity: Severity;
  /** The message, in one sentence. */
  readonly message: string;
  /** Location; null for the workspace as a whole. */
  readonly location: Location | null;
  /** The id of the node it is about. */
  readonly subject: string | null;
  /** Other places that have to do with it. */
  readonly related: readonly ({
    /** The text at this place. */
    readonly message: string;
    /** The place of the message. */
    readonly location: Location;
  })[];
  /** The facts of the message, for programs. */
  readonly data: { readonly [key: string]: unknown };
  /** Hints for editors. */
  readonly tags: readonly ("unnecessary" | "deprecated")[];
  /** Stays the same when lines move. */
  readonly fingerprint: string;
  /** Remedies; only of a plan. */
  readonly remedies?: readonly (Remedy)[];
};

/** A part of `AdoptionDraft`. */
export type DraftFile = {
  /** Below the project's folder. */
  readonly path: string;
  /** All of its text. */
  readonly text: string;
};

/** A part of `UnitLive`. */
export type Drift = {
  /** The field that differs. */
  readonly field: string;
  /** The container's name; null for the unit as a whole. */
  readonly container: string | null;
  /** As it is written. */
  readonly declared: string;
  /** As it runs. */
  readonly actual: string;
  /** Location of the declared value, or of the unit if it declares none. */
  readonly location: Location;
  /** Only of a mount whose file or folder may be another one by now. */
  readonly mount?: MountReading;
  /** The declared value with those of its variables, masked where they may be secrets; only of fields that an engine shows anyway, to callers with `containers:read` on the project. */
  readonly resolved?: string;
  /** The places that set the variables in `resolved`. */
  readonly from?: readonly (VariableSource)[];
};

/** A part of `LiveMessage`. */
export type EngineStatus = {
  /** The engine's name. */
  readonly name: string;
  /** The state of its connection. */
  readonly state: BackendState;
  /** The reason that it is not up, or does not list the kinds in `stale`. */
  readonly reason?: string;
  /** Kinds of objects that it does not list although it is up, as `containers`: their rows are the last known ones. */
  readonly stale?: readonly (string)[];
};

/** A part of `Workspace`. */
export type FindingCounts = {
  /** Number of errors. */
  readonly errors: number;
  /** Number of warnings. */
  readonly warnings: number;
};

/** A part of `Principal`. */
export type HeldGrant = {
  /** Null where permissions were granted by name. */
  readonly role: Role | null;
  /** The permissions it allows. */
  readonly permissions: readonly (Permission)[];
  /** The scopes it applies to; everywhere if left out. */
  readonly on?: readonly (Scope)[];
};

/** A part of `IncidentMark`. */
export type IncidentCause = {
  /** `outside`: through the engine, not through berth; `unknown`: no evidence. */
  readonly kind: IncidentCauseKind;
  /** Further kinds that there is evidence of. */
  readonly further?: readonly (IncidentCauseKind)[];
  /** The user or key that acted through berth, for callers with `audit:read`. */
  readonly by?: Author;
  /** The act, as `stop` or `update`. */
  readonly act?: string;
  /** The id of the apply. */
  readonly apply?: string;
  /** The file that changed, below the workspace's folder. */
  readonly file?: string;
  /** The line of the field in it. */
  readonly line?: number;
  /** The code that the container ended with. */
  readonly exitCode?: number;
  /** The signal that it was sent. */
  readonly signal?: string;
  /** Only where the engine says that its memory ran out. */
  readonly outOfMemory?: true;
  /** Its limit of memory in bytes, where it was killed. */
  readonly memoryLimit?: number;
  /** Its health check fails. */
  readonly unhealthy?: true;
  /** The engine's or the store's reason, in words. */
  readonly reason?: string;
  /** Of `firstWatch`: number of units, for callers who see the whole of berth. */
  readonly units?: number;
  /** Of `firstWatch`: number of subjects that were not as they should be. */
  readonly bad?: number;
};

/** A part of `IncidentCause`. */
export type IncidentCauseKind =
  | "apply"
  | "berth"
  | "file"
  | "image"
  | "outside"
  | "ended"
  | "engine"
  | "firstWatch"
  | "unrecorded"
  | "unknown";

/** A part of `IncidentMark`. */
export type IncidentKind = "broken" | "differs" | "notStarted" | "stopped" | "engine" | "workspace" | "berth";

/** A part of `ProjectRow`. */
export type IncidentMark = {
  /** The incident's id. */
  readonly id: string;
  /** A verdict of a unit, or the kind of another subject. */
  readonly kind: IncidentKind;
  /** When it began, as the best evidence says. */
  readonly since: string;
  /** True if `since` is when berth noticed it: it may have begun earlier. */
  readonly atLatest: boolean;
  /** The evidence of why. */
  readonly cause: IncidentCause;
  /** Until when nobody is told of it; null where it is not muted. */
  readonly mutedUntil: string | null;
};

/** A part of `ProposedUpdate`. */
export type LineChange = {
  /** Its first line, from 1. */
  readonly line: number;
  /** The lines as they are, with their secrets masked; empty for new ones. */
  readonly before: string;
  /** The lines as they would be; empty where they are taken out. */
  readonly after: string;
};

/** A part of `UnitLive`. */
export type LiveState = "running" | "degraded" | "paused" | "completed" | "exited" | "absent" | "unknown";

/** A part of `UpdateItem`. */
export type Location = {
  /** Below the workspace's folder. */
  readonly file: string;
  /** The keys and positions that lead there in the YAML. */
  readonly path: readonly (string | number)[];
  /** Position in the file. */
  readonly range: Range;
};

/** A form of a log: lines of text, or records. */
export type LogFormat = "text" | "ndjson" | "sse";

/** The engine lost lines in between. */
export type LogGap = {
  /** The last line before them, by its time. */
  readonly after: string;
  /** The first line after them, by its time. */
  readonly before: string | null;
};

/** A part of `Drift`. */
export type MountReading = {
  /** `replaced` and `deleted`: the container reads another file than the one that is there now. `changedSince`: it reads the same file, whose text is newer than its start. `maybeReplaced` and `unknown`: the times cannot tell. */
  readonly state: "replaced" | "deleted" | "maybeReplaced" | "changedSince" | "unknown";
  /** Time of the replacement or change; null while unknown. */
  readonly replacedAt: string | null;
  /** Time when the container started. */
  readonly startedAt: string;
};

/** A part of `Principal`. */
export type Permission =
  | "system:read"
  | "workspaces:read"
  | "artifacts:read"
  | "projects:plan"
  | "projects:apply"
  | "incidents:mute"
  | "projects:host"
  | "projects:destroy"
  | "containers:read"
  | "services:read"
  | "containers:logs"
  | "artifacts:reveal"
  | "workspaces:write"
  | "workspaces:files"
  | "workspaces:manage"
  | "registries:manage"
  | "notices:manage"
  | "system:logs"
  | "keys:manage"
  | "people:manage"
  | "audit:read"
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
  | "services:control"
  | "services:remove"
  | "nodes:manage"
  | "units:read";

/** The answer of `POST /api/workspaces/{id}/artifacts/groups/{name}/plan`. */
export type Plan = {
  /** The workspace's id. */
  readonly workspace: string;
  /** The group's name. */
  readonly group: string;
  /** The Compose project. */
  readonly project: string;
  /** The engine that it is for; `swarm:<name>` for a stack. */
  readonly backend: string;
  /** The request as it was sent. */
  readonly action: PlanAction;
  /** The commit that it was worked out from; absent where the files of the folder were read. */
  readonly commit?: string;
  /** The ids of the units that were looked at. */
  readonly units: readonly (string)[];
  /** In an order that works; none where there is nothing to do. */
  readonly steps: readonly (PlanStep)[];
  /** Containers that stay as they are; of a stack, its services. */
  readonly unchanged: number;
  /** Findings that forbid applying it; empty if none does. */
  readonly blocked: readonly (Diagnostic)[];
  /** Parts that the plan leaves alone, and other remarks. */
  readonly warnings: readonly (Diagnostic)[];
  /** Of `down` alone: the project's own volumes that stay, with their data. */
  readonly keeps?: readonly (string)[];
  /** The state it was computed from. */
  readonly basis: {
    /** Of the workspace. */
    readonly revision: string;
    /** A digest of what the files say of the group. */
    readonly declared: string;
    /** A digest of what the engine was seen to have. */
    readonly observed: string;
  };
  /** The id to request it by. */
  readonly id: string;
  /** The user or key that asked for it. */
  readonly createdBy: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; it is forgotten then. */
  readonly expiresAt: string;
  /** Permissions that the caller needs and does not hold. */
  readonly missing: readonly (PlanNeed)[];
};

/** A part of `PlanRequest`. */
export type PlanAction = "up" | "down" | "stop" | "restart" | "update";

/** A command that runs inside a container. */
export type PlanHook = {
  /** After the start of its container, or before its stop. */
  readonly when: "postStart" | "preStop";
  /** Its place among the hooks of its kind, from 0. */
  readonly index: number;
  /** Its words as they are written, with secrets masked. */
  readonly command: readonly (string)[];
  /** The user it runs as; empty for the container's own user. */
  readonly user: string;
  /** True if it has all rights on the host. */
  readonly privileged: boolean;
  /** Its working folder; empty for the container's own. */
  readonly workingDir: string;
  /** Its variables, with their values masked. */
  readonly environment: readonly (string)[];
};

/** A part of `PlanStep`. */
export type PlanNeed = {
  /** The permission that is needed. */
  readonly permission: Permission;
  /** The scope it is needed on. */
  readonly subject: {
    /** The engine's name. */
    readonly engine: string;
    /** The workspace's id; null for what belongs to none. */
    readonly workspace: string | null;
    /** The Compose project; null for what belongs to none. */
    readonly project: string | null;
  };
  /** The field that needs it; absent if the step itself does. */
  readonly field?: string;
  /** The reason that the field needs it. */
  readonly why?: string;
  /** Location of the field. */
  readonly at?: Location;
};

/** A part of `PlanStep`. */
export type PlanReason = {
  /** The reasons of the step. */
  readonly code:
    | "absent"
    | "stopped"
    | "scaleDown"
    | "orphan"
    | "leftOver"
    | "down"
    | "asked"
    | "policy"
    | "newerImage";
} | {
  /** A field of its container differs. */
  readonly code: "field";
  /** The field that differs, named as in drift. */
  readonly field: string;
  /** As it is written. */
  readonly declared: string;
  /** The declared value with those of its variables, masked where they may be secrets; only of fields that an engine shows anyway, to callers with `containers:read` on the project. */
  readonly resolved?: string;
  /** The places that set the variables in `resolved`. */
  readonly from?: readonly (VariableSource)[];
  /** As it runs. */
  readonly seen: string;
  /** Location of the declared value, or of the unit if it declares none. */
  readonly at: Location;
} | {
  /** It reads a file or folder that was replaced or deleted. */
  readonly code: "staleMount";
  /** The mount, named as in drift. */
  readonly field: string;
  /** State of the mount since the container started. */
  readonly mount: MountReading;
  /** Location of the mount. */
  readonly at: Location;
} | {
  /** Another step makes it necessary. */
  readonly code: "followsFrom";
  /** The step that it follows from. */
  readonly step: number;
  /** By what it follows. */
  readonly how: "namespace" | "volumes" | "restart" | "network" | "condition" | "refused";
} | {
  /** The files ask for the command. */
  readonly code: "hook";
  /** Location of the hook. */
  readonly at: Location;
};

/** The payload of `POST /api/workspaces/{id}/artifacts/groups/{name}/plan`. */
export type PlanRequest = {
  /** The action to plan; `update` brings units up with the newer images that `GET /api/updates` shows. */
  readonly action?: PlanAction;
  /** Only these units; `up` takes what they depend on along, and so does `update`, whose units are otherwise all with a newer image whose cool-down is over. */
  readonly units?: readonly (string)[];
  /** The engine, or `swarm:<name>`; else the one where the project runs, else the default, or the only swarm for a file that says `x-berth: { target: swarm }`. */
  readonly backend?: string;
  /** Which images are asked of their registry: as `pull_policy` says, all, or none. */
  readonly pull?: "policy" | "always" | "never";
  /** Builds the images of units with `build` anew, also those that are there. */
  readonly build?: boolean;
  /** Containers of the project whose service is not in the files. */
  readonly orphans?: "keep" | "remove";
  /** Which containers are made anew. */
  readonly recreate?: "changed" | "always";
  /** Units that ended well and are started again. */
  readonly rerun?: readonly (string)[];
  /** Volumes of the project that `down` removes with all their data, by the engine's names. */
  readonly volumes?: readonly (string)[];
  /** Plans from the newest commit of the workspace's repository, before its files are written. */
  readonly commit?: "head";
  /** True if limits may be changed without a new container. */
  readonly inPlace?: boolean;
};

/** A part of `Plan`. */
export type PlanStep = {
  /** In an order that works one by one. */
  readonly n: number;
  /** The kind of step. */
  readonly kind: StepKind;
  /** The name of a container, image, network or volume, of a service, secret or config of a swarm. */
  readonly target: string;
  /** The id of the unit it is done for. */
  readonly unit: string | null;
  /** The reasons; never empty. */
  readonly why: readonly (PlanReason)[];
  /** The steps that must be done before. */
  readonly after: readonly (number)[];
  /** The permissions that the caller of the apply must hold. */
  readonly needs: readonly (PlanNeed)[];
  /** The effect while the step runs. */
  readonly risk: StepRisk;
  /** Done only if one of these steps brings another image, or is a change in place that the engine refuses; always where it is absent. */
  readonly ifChanged?: readonly (number)[];
  /** The digest that is pulled, whatever the tag stands for by then; only of an update's `image.pull`. */
  readonly digest?: string;
  /** The command that is run; only of `hook.run`. */
  readonly hook?: PlanHook;
  /** The step that does it as a part of itself. */
  readonly within?: number;
  /** True for a wait that stops nothing if it fails: all units that wait say `required: false`. */
  readonly optional?: boolean;
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
  /** A person, or a program with a key. */
  readonly kind: "user" | "apiKey";
  /** Their id. */
  readonly id: string;
  /** Their names. */
  readonly name: string;
  /** A person's address, if it is known. */
  readonly email?: string;
  /** The address of a person's picture. */
  readonly picture?: string;
  /** The role that is held everywhere; null where permissions or scopes are listed. */
  readonly role: Role | null;
  /** Permissions that are held everywhere. */
  readonly permissions: readonly (Permission)[];
  /** All that is held, and on what. */
  readonly grants: readonly (HeldGrant)[];
};

/** A part of `Location`. */
export type Range = {
  /** Start. */
  readonly start: Position;
  /** End. */
  readonly end: Position;
};

/** A part of `ApplyRequest`. */
export type RegistryCredentials = {
  /** Credentials for the registry. */
  readonly username: string;
  /** Their password or token. */
  readonly password: string;
} | {
  /** A token instead of a name and a password. */
  readonly identityToken: string;
};

/** A part of `Diagnostic`. */
export type Remedy = {
  /** Ask for the plan again, with this option. */
  readonly kind: "plan";
  /** The option, as a field of `PlanRequest`. */
  readonly field:
    | "action"
    | "units"
    | "backend"
    | "pull"
    | "build"
    | "orphans"
    | "recreate"
    | "rerun"
    | "volumes"
    | "inPlace";
  /** Its value, or a further entry of a list; null: without the option. */
  readonly value: string | null;
} | {
  /** Do something to one container. */
  readonly kind: "act";
  /** The act. */
  readonly act: "unpause";
  /** The engine that the container is on. */
  readonly engine: string;
  /** The container's name. */
  readonly container: string;
} | {
  /** Change a file. */
  readonly kind: "edit";
  /** Below the workspace's root. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
} | {
  /** Give a variable a value. */
  readonly kind: "set";
  /** The variable. */
  readonly name: string;
  /** The file to set it in, below the workspace's root; it may have to be made. */
  readonly file: string;
} | {
  /** Register a folder. */
  readonly kind: "register";
  /** The folder. */
  readonly path: string;
} | {
  /** Start berth with another setting. */
  readonly kind: "setting";
  /** The setting. */
  readonly name: string;
  /** A value, or an example of one. */
  readonly value: string;
} | {
  /** Ask an admin for a permission. */
  readonly kind: "permission";
  /** The permission. */
  readonly permission: string;
  /** The scope that it is needed on; null: everywhere. */
  readonly scope: string | null;
};

/** A part of `Principal`. */
export type Role = "viewer" | "operator" | "admin";

/** `engine:nas`, `workspace:shop`, `project:shop-prod`, `label:team=web`. */
export type Scope = string;

/** The reason why no more lines follow. */
export type ServiceLogEnd = {
  /** The reason of the end. */
  readonly reason: "stopping" | "not_allowed";
};

/** A part of `SwarmService`. */
export type ServiceMode = "replicated" | "global" | "replicatedJob" | "globalJob";

/** A part of `Diagnostic`. */
export type Severity = "error" | "warning" | "info" | "hint";

/** The reason that the socket closes. */
export type SocketFailure = {
  /** Kind of message. */
  readonly type: "error";
  /** Code for programs. */
  readonly code: string;
  /** Message for people. */
  readonly title: string;
};

/** A part of `HookGroup`. */
export type SourceChange = "changed" | "added" | "removed";

/** A part of `PlanStep`. */
export type StepKind =
  | "image.pull"
  | "image.build"
  | "network.create"
  | "network.remove"
  | "network.connect"
  | "volume.create"
  | "volume.remove"
  | "container.create"
  | "container.start"
  | "container.stop"
  | "container.remove"
  | "container.swap"
  | "container.update"
  | "container.restart"
  | "hook.run"
  | "wait"
  | "secret.create"
  | "secret.remove"
  | "config.create"
  | "config.remove"
  | "service.create"
  | "service.update"
  | "service.wait"
  | "service.remove";

/** A part of `PlanStep`. */
export type StepRisk = "none" | "interruption" | "dataLoss";

/** A part of `ApplyStep`. */
export type StepState = "waiting" | "running" | "done" | "failed" | "skipped" | "unknown" | "undone";

/** The reason that the stream ends early. */
export type StreamFailure = {
  /** Code for programs. */
  readonly code: string;
  /** Message for people. */
  readonly title: string;
};

/** A part of `SwarmConfigs`. */
export type SwarmObject = {
  /** Its id. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** The id of its cluster. */
  readonly cluster: string;
  /** The stack that it belongs to. */
  readonly stack: string | null;
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** When it was made. */
  readonly createdAt: string | null;
  /** When its labels were last changed. */
  readonly updatedAt: string | null;
};

/** An item of the stream of `GET /api/services/{id}/logs`. */
export type TaskLogRecord = {
  /** The task, as `shop_web.2`. */
  readonly task: string;
  /** The task's id. */
  readonly taskId: string;
  /** The node it is on. */
  readonly node: string;
  /** From where it was read: the node's engine, or a manager. */
  readonly via: "node" | "manager";
  /** When it was written. */
  readonly time: string;
  /** Which output. */
  readonly stream: "stdout" | "stderr";
  /** The text of the line. */
  readonly line: string;
  /** The line was longer than 256 KiB. */
  readonly cut?: true;
} | {
  /** The task, as `shop_web.2`. */
  readonly task: string;
  /** The task's id. */
  readonly taskId: string;
  /** The node it is on. */
  readonly node: string;
  /** From where it was read: the node's engine, or a manager. */
  readonly via: "node" | "manager";
  readonly gap: LogGap;
} | {
  /** The task, as `shop_web.2`. */
  readonly task: string;
  /** The task's id. */
  readonly taskId: string;
  /** The node it is on. */
  readonly node: string;
  /** From where it was read: the node's engine, or a manager. */
  readonly via: "node" | "manager";
  readonly waits: TaskLogWaits;
} | {
  /** Resumes all tasks behind the lines up to here; empty where they are too many. */
  readonly cursor: string;
} | {
  readonly end: ServiceLogEnd;
};

/** Its log cannot be read for now, and is tried again while it is followed. */
export type TaskLogWaits = {
  /** The code of the failure. */
  readonly reason: string;
};

/** The answer of `POST /api/auth/idp`. */
export type Tokens = {
  /** Type of the token. */
  readonly tokenType: "Bearer";
  /** Sent as Authorization: Bearer. */
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Absent when it went into the cookie. */
  readonly refreshToken?: string;
  /** Seconds. */
  readonly refreshExpiresIn: number;
  /** The person who signed in. */
  readonly principal: Principal;
};

/** A part of `LiveMessage`. */
export type Unavailable = {
  /** The engine's name. */
  readonly backend: string;
  /** The reason that berth could not ask it. */
  readonly reason: string;
  /** When it last answered, where it hangs: its rows are shown as they were then. */
  readonly since?: string;
  /** Kinds of objects that it does not list although it is up, as `networks`: shown as last known. Absent if it is not up. */
  readonly stale?: readonly (string)[];
};

/** A part of `UnitLive`. */
export type UnitService = {
  /** The service's id. */
  readonly id: string;
  /** The service's name. */
  readonly name: string;
  /** The name of its swarm. */
  readonly cluster: string;
  /** The number of tasks: replicated, or one for each node. */
  readonly mode: ServiceMode;
  /** Number of tasks that should run; null while unknown. */
  readonly desired: number | null;
  /** Number of tasks that run. */
  readonly running: number;
  /** When its swarm last answered; null while that is now. */
  readonly staleSince: string | null;
  /** The rollback of its latest update, after which what failed is drift; null for none. */
  readonly rolledBack: {
    /** When the swarm was done with it. */
    readonly at: string | null;
    /** The words of the task that failed, or of the swarm; masked. */
    readonly reason: string;
  } | null;
};

/** A part of `ProjectUpdates`. */
export type UpdateWindow = {
  /** When it opens, each day. */
  readonly from: string;
  /** When it closes; before `from` it is on the next day. */
  readonly to: string;
  /** The time zone of both, as `Europe/Berlin`. */
  readonly timeZone: string;
};

/** A part of `Image`. */
export type UsingContainer = {
  /** The container's id. */
  readonly id: string;
  /** The container's name. */
  readonly name: string;
};

/** A part of `ProjectReason`. */
export type VariableSource = {
  /** The variable. */
  readonly name: string;
  /** The file that sets it, below the workspace's folder. */
  readonly file: string;
  /** Its line. */
  readonly line: number;
};

/** A part of `ProjectRow`. */
export type Verdict =
  | "broken"
  | "differs"
  | "stopped"
  | "notStarted"
  | "undeclared"
  | "unknown"
  | "paused"
  | "completed"
  | "asWritten";

/** A part of `ProjectRow`. */
export type VerdictCounts = {
  /** Number with the verdict `broken`. */
  readonly broken: number;
  /** Number with the verdict `differs`. */
  readonly differs: number;
  /** Number with the verdict `stopped`. */
  readonly stopped: number;
  /** Number with the verdict `notStarted`. */
  readonly notStarted: number;
  /** Number with the verdict `undeclared`. */
  readonly undeclared: number;
  /** Number with the verdict `unknown`. */
  readonly unknown: number;
  /** Number with the verdict `paused`. */
  readonly paused: number;
  /** Number with the verdict `completed`. */
  readonly completed: number;
  /** Number with the verdict `asWritten`. */
  readonly asWritten: number;
};

/** A part of `WorkspaceFile`. */
export type WorkspaceFileKind =
  | "compose"
  | "native"
  | "backstage"
  | "env"
  | "settings"
  | "readme"
  | "secret"
  | "config"
  | "mounted"
  | "other";

/** A part of `ProjectRow`. */
export type WorkspaceRef = {
  /** The workspace's id. */
  readonly id: string;
  /** The workspace's name. */
  readonly name: string;
};
