/** The API's group `projects`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type {
  ApplySummary,
  ContainerCondition,
  ContainerStop,
  Drift,
  EngineStatus,
  IncidentMark,
  LiveState,
  Location,
  Permission,
  Plan,
  PlanRequest,
  Remedy,
  UnitService,
  UpdateWindow,
  VariableSource,
  Verdict,
  VerdictCounts,
  WorkspaceRef,
} from "./models.ts";

/** POST: Work out what would bring a project up, or down. */
export const PROJECT_PLAN: Endpoint<"/api/projects/{id}/plan", {
  post: { response: Plan; payload: PlanRequest | undefined; query: Record<string, never> };
}> = new Endpoint("/api/projects/{id}/plan", { post: [201] });

/** GET: Every project in one row: declared, running, or both. */
export const PROJECTS: Endpoint<"/api/projects", {
  get: {
    response: Projects;
    query: {
      /** Only projects with this verdict. */
      verdict?: Verdict;
      /** Only projects whose name or folder holds this, in either case. */
      q?: string;
      /** Only declared in this workspace, by its id. */
      workspace?: string;
      /** Only with containers on this engine. */
      engine?: string;
      /** Only those that people have put aside, or only the others. */
      ignored?: boolean;
      /** The order: `verdict` has the worst first, `running` and `differences` the most; `-` turns it round. */
      sort?:
        | "verdict"
        | "name"
        | "folder"
        | "engine"
        | "running"
        | "differences"
        | "-verdict"
        | "-name"
        | "-folder"
        | "-engine"
        | "-running"
        | "-differences";
      /** Maximum number of rows. */
      limit?: number;
    };
  };
}> = new Endpoint("/api/projects");

/** GET: A project with its units and their differences. */
export const PROJECT: Endpoint<"/api/projects/{id}", {
  get: {
    response: ProjectDetail;
    query: {
      /** Show the values of all variables in `resolved`, too: needs `artifacts:reveal`, and is an entry of the audit log. */
      reveal?: boolean;
    };
  };
}> = new Endpoint("/api/projects/{id}");

/** GET: The latest applies, saved files and deaths of a project. */
export const PROJECT_HISTORY: Endpoint<"/api/projects/{id}/history", {
  get: { response: ProjectHistory; query: Record<string, never> };
}> = new Endpoint("/api/projects/{id}/history");

/** PUT: Put a project aside that only runs, or show it again. */
export const PROJECT_IGNORED: Endpoint<"/api/projects/{id}/ignored", {
  put: { payload: IgnoredProject; query: Record<string, never> };
}> = new Endpoint("/api/projects/{id}/ignored", { put: [204] });

/** PUT: Let berth update a project by itself, or say how long its new images cool down. */
export const PROJECT_UPDATES: Endpoint<"/api/projects/{id}/updates", {
  put: { payload: ProjectUpdateRules; query: Record<string, never> };
}> = new Endpoint("/api/projects/{id}/updates", { put: [204] });

/** The payload of `PUT /api/projects/{id}/ignored`. */
export type IgnoredProject = {
  /** True to put it aside. */
  readonly ignored: boolean;
  /** `container` is one that belongs to no project. */
  readonly kind?: "project" | "container";
};

/** A part of `LiveMessage`. */
export type LooseContainers = {
  /** The engine's name. */
  readonly engine: string;
  /** Names of containers that belong to no project, 200 at most. */
  readonly containers: readonly (string)[];
  /** Number of them. */
  readonly total: number;
  /** Names of further ones that people have put aside, 200 at most. */
  readonly ignored: readonly (string)[];
};

/** A part of `ProjectDetail`. */
export type ProjectAct = {
  /** `write` is to its files, `resume` is of a paused container. */
  readonly act: "plan" | "apply" | "write" | "logs" | "shell" | "resume";
  /** The permission that it takes. */
  readonly permission: Permission;
  /** True if the caller holds it here. */
  readonly allowed: boolean;
};

/** A part of `ProjectUnit`. */
export type ProjectContainer = {
  /** The container's id. */
  readonly id: string;
  /** The container's name. */
  readonly name: string;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** As it was asked for. */
  readonly image: string;
  /** State as the engine reports it. */
  readonly state: string;
  /** Result of its health check. */
  readonly health: string | null;
  /** The output of its health check, masked and cut; null unless unhealthy. */
  readonly healthOutput: string | null;
  /** The code it last ended with. */
  readonly exitCode: number | null;
  /** Number of restarts by the engine since its last start. */
  readonly restartCount: number;
  /** The engine's reason why it does not run, beyond an exit code. */
  readonly reason: string | null;
  /** Its condition by itself, without the declaration. */
  readonly condition: ContainerCondition;
  /** When it last started. */
  readonly startedAt: string | null;
  /** Only of a container whose condition is `stopped`. */
  readonly stopped: ContainerStop | null;
  /** The id of its image, a digest. */
  readonly imageId: string;
  /** Its published ports. */
  readonly ports: readonly ({
    /** The port of the host. */
    readonly host: number;
    /** `tcp`, `udp` or `sctp`. */
    readonly protocol: string;
    /** The host's address that it is published on. */
    readonly address: string | null;
  })[];
};

/** The answer of `GET /api/projects/{id}`. */
export type ProjectDetail = {
  /** `<group>@<workspace>`; `<project>@engine:<name>` or `<stack>@swarm:<cluster>` for one that only runs. */
  readonly id: string;
  /** The group's name, or the project's. */
  readonly name: string;
  /** Docker's name of the project. */
  readonly project: string;
  /** The place of its declaration; null for one that only runs. */
  readonly workspace: WorkspaceRef | null;
  /** Below the workspace's root; of one that only runs, the folder that its labels name. */
  readonly folder: string | null;
  /** The engines that its containers are on. */
  readonly engines: readonly (string)[];
  /** The name of the swarm that it runs on as a stack; null for all others. */
  readonly swarm: string | null;
  /** The verdict of its worst unit. */
  readonly verdict: Verdict;
  /** Its units by verdict, and its containers that no unit declares. */
  readonly counts: VerdictCounts;
  /** Number of fields of its units that differ. */
  readonly differences: number;
  /** The open incident of its worst unit that has one. */
  readonly incident: IncidentMark | null;
  /** Number of its containers that run. */
  readonly running: number;
  /** Number of containers that should run; null while unknown. */
  readonly desired: number | null;
  /** The reason of its verdict; null where the verdict says it all. */
  readonly reason: ProjectReason | null;
  /** Published ports of the host, 20 at most. */
  readonly ports: readonly (number)[];
  /** Number of its units that a newer image is there for; see `GET /api/updates`. */
  readonly newer: number;
  /** True if people have put it aside; never of a declared one. */
  readonly ignored: boolean;
  /** The id of another project that engines know by the same name. */
  readonly conflict: string | null;
  /** The verdicts of its units that their containers do not have by themselves, by the service that a container's labels name, or by the name of one without, 1000 at most; a container that is broken by itself stays so. */
  readonly marks: { readonly [key: string]: Verdict };
  /** Another one when something of the project is, in this row or in its details. */
  readonly revision: string;
  /** Its units, in the order of the file. */
  readonly units: readonly (ProjectUnit)[];
  /** Containers that none of its units declares. */
  readonly containers: readonly (ProjectContainer)[];
  /** Of a stack that only runs: its services. */
  readonly services: readonly (UnitService)[];
  /** The files that it is declared in, and those that they name in the workspace. */
  readonly files: readonly ({
    /** Below the workspace's folder. */
    readonly path: string;
    /** The kind of the file. */
    readonly kind: "compose" | "native" | "env" | "secret" | "config" | "mounted";
  })[];
  /** Possible acts, each with the caller's permission for it. */
  readonly acts: readonly (ProjectAct)[];
  /** Of one that only runs: registering its folder, where that is allowed and the caller holds `workspaces:write`. */
  readonly remedies: readonly (Remedy)[];
};

/** The answer of `GET /api/projects/{id}/history`. */
export type ProjectHistory = {
  /** Newest first, 50 at most. */
  readonly items: readonly ({
    /** A plan was applied. */
    readonly kind: "apply";
    /** When it began. */
    readonly at: string;
    /** The apply. */
    readonly apply: ApplySummary;
  } | {
    /** A file was saved in berth. */
    readonly kind: "file";
    /** When it was saved. */
    readonly at: string;
    /** Below the workspace's folder. */
    readonly path: string;
    /** The id of the text that was there before. */
    readonly version: number;
    /** The user or key that saved it, by the name at that time. */
    readonly by: string;
  } | {
    /** A container ended. */
    readonly kind: "death";
    /** When its engine told it. */
    readonly at: string;
    /** Its name. */
    readonly container: string;
    /** The service that its labels name. */
    readonly service: string | null;
    /** The engine's name. */
    readonly engine: string;
    /** The code that it ended with. */
    readonly exitCode: number | null;
  })[];
  /** The kinds that are left out. */
  readonly missing: readonly ({
    /** A kind that the caller may not see here. */
    readonly kind: "apply" | "file" | "death";
    /** The permission that it takes. */
    readonly permission: Permission;
  })[];
};

/** A part of `ProjectRow`. */
export type ProjectReason = {
  /** The unit with the worst verdict, by its name in the project. */
  readonly unit: string;
  /** The first difference; null where the verdict is for another reason. */
  readonly difference: {
    /** The field that differs. */
    readonly field: string;
    /** As it is written. */
    readonly declared: string;
    /** The declared value with those of its variables, masked where they may be secrets; only of fields that an engine shows anyway, to callers with `containers:read` on the project. */
    readonly resolved?: string;
    /** The places that set the variables in `resolved`. */
    readonly from?: readonly (VariableSource)[];
    /** As it runs. */
    readonly actual: string;
  } | null;
  /** Its container that is not well; null where none is. */
  readonly container: {
    /** Its condition by itself. */
    readonly condition: ContainerCondition;
    /** Result of its health check. */
    readonly health: string | null;
    /** The output of its health check, masked and cut. */
    readonly healthOutput: string | null;
    /** The code it last ended with. */
    readonly exitCode: number | null;
    /** Number of restarts by the engine since its last start. */
    readonly restartCount: number;
    /** The engine's reason why it does not run. */
    readonly reason: string | null;
  } | null;
  /** Its stopped container; null unless that is the verdict. */
  readonly stopped: ContainerStop | null;
  /** The engine that does not answer; null unless that is why it is unknown. */
  readonly away: {
    /** Its name. */
    readonly engine: string;
    /** When it last answered; null where it was away from the start. */
    readonly since: string | null;
  } | null;
  /** The reason that something could not be compared; null otherwise. */
  readonly notCompared: string | null;
  /** Number of further differences in the project. */
  readonly more: number;
};

/** A part of `LiveMessage`. */
export type ProjectRow = {
  /** `<group>@<workspace>`; `<project>@engine:<name>` or `<stack>@swarm:<cluster>` for one that only runs. */
  readonly id: string;
  /** The group's name, or the project's. */
  readonly name: string;
  /** Docker's name of the project. */
  readonly project: string;
  /** The place of its declaration; null for one that only runs. */
  readonly workspace: WorkspaceRef | null;
  /** Below the workspace's root; of one that only runs, the folder that its labels name. */
  readonly folder: string | null;
  /** The engines that its containers are on. */
  readonly engines: readonly (string)[];
  /** The name of the swarm that it runs on as a stack; null for all others. */
  readonly swarm: string | null;
  /** The verdict of its worst unit. */
  readonly verdict: Verdict;
  /** Its units by verdict, and its containers that no unit declares. */
  readonly counts: VerdictCounts;
  /** Number of fields of its units that differ. */
  readonly differences: number;
  /** The open incident of its worst unit that has one. */
  readonly incident: IncidentMark | null;
  /** Number of its containers that run. */
  readonly running: number;
  /** Number of containers that should run; null while unknown. */
  readonly desired: number | null;
  /** The reason of its verdict; null where the verdict says it all. */
  readonly reason: ProjectReason | null;
  /** Published ports of the host, 20 at most. */
  readonly ports: readonly (number)[];
  /** Number of its units that a newer image is there for; see `GET /api/updates`. */
  readonly newer: number;
  /** True if people have put it aside; never of a declared one. */
  readonly ignored: boolean;
  /** The id of another project that engines know by the same name. */
  readonly conflict: string | null;
  /** The verdicts of its units that their containers do not have by themselves, by the service that a container's labels name, or by the name of one without, 1000 at most; a container that is broken by itself stays so. */
  readonly marks: { readonly [key: string]: Verdict };
  /** Another one when something of the project is, in this row or in its details. */
  readonly revision: string;
};

/** A part of `ProjectDetail`. */
export type ProjectUnit = {
  /** The workspace's id. */
  readonly workspace: string;
  /** The unit's id. */
  readonly id: string;
  /** The unit's name. */
  readonly name: string;
  /** Its group, by name. */
  readonly group: string | null;
  /** Verdict in one word. */
  readonly verdict: Verdict;
  /** Its running containers; null for callers who may not see them. */
  readonly state: LiveState | null;
  /** Number of containers that should run; null while unknown. */
  readonly desired: number | null;
  /** As it is written. */
  readonly image: string | null;
  /** The declared value with those of its variables, masked where they may be secrets; only of fields that an engine shows anyway, to callers with `containers:read` on the project. */
  readonly resolved?: string;
  /** The places that set the variables in `resolved`. */
  readonly from?: readonly (VariableSource)[];
  /** The place of its declaration. */
  readonly location: Location;
  /** Its containers. */
  readonly containers: readonly (ProjectContainer)[];
  /** The service of a swarm that it runs as; absent where it runs as containers, and without `services:read`. */
  readonly service?: UnitService;
  /** Number of fields that differ. */
  readonly differences: number;
  /** Which they are, 20 at most. */
  readonly drift: readonly (Drift)[];
  /** The reason that something of it could not be compared; null otherwise. */
  readonly notCompared: string | null;
  /** Its open incident: since when, and because of what; null for callers who may not see what runs. */
  readonly incident: IncidentMark | null;
};

/** The payload of `PUT /api/projects/{id}/updates`. */
export type ProjectUpdateRules = {
  /** True if berth updates the project by itself, with the caller's rights of the day. */
  readonly automatic: boolean;
  /** When an automatic update may begin; null for any time. */
  readonly window?: UpdateWindow | null;
  /** The days for which its new images cool down; null for those of all projects. */
  readonly coolDownDays?: number | null;
};

/** The answer of `GET /api/projects`. */
export type Projects = {
  /** The projects, the worst first. */
  readonly items: readonly (ProjectRow)[];
  /** Number of projects that the question means. */
  readonly total: number;
  /** All projects that the caller sees, by verdict. */
  readonly counts: VerdictCounts;
  /** Containers that belong to no project, by engine. */
  readonly loose: readonly (LooseContainers)[];
  /** The engines, for callers who may see them. */
  readonly engines: readonly (EngineStatus)[];
  /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
  readonly liveNeeds?: "containers:read";
};
