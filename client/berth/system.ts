/** The API's group `system`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { BackendState, LiveState, Unavailable, WorkspaceRef } from "./models.ts";

/** GET: Report whether the process is alive. */
export const HEALTH_LIVE: Endpoint<"/api/health/live", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/health/live");

/** GET: Report whether the service can serve. */
export const HEALTH_READY: Endpoint<"/api/health/ready", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/health/ready");

/** GET: Report whether the service can serve. */
export const HEALTH: Endpoint<"/api/health", {
  get: { response: Health; query: Record<string, never> };
}> = new Endpoint("/api/health");

/** GET: The machine, the version, and how much runs. */
export const SYSTEM_INFO: Endpoint<"/api/system/info", {
  get: { response: SystemInfo; query: Record<string, never> };
}> = new Endpoint("/api/system/info");

/** GET: The plugins, and how they are doing. */
export const SYSTEM_PLUGINS: Endpoint<"/api/system/plugins", {
  get: { response: PluginList; query: Record<string, never> };
}> = new Endpoint("/api/system/plugins");

/** GET: The replicas that share the store. */
export const SYSTEM_REPLICAS: Endpoint<"/api/system/replicas", {
  get: { response: ReplicaList; query: Record<string, never> };
}> = new Endpoint("/api/system/replicas");

/** GET: Path of the log file. */
export const SYSTEM_LOG_PATH: Endpoint<"/api/system/log-path", {
  get: { response: LogPath; query: Record<string, never> };
}> = new Endpoint("/api/system/log-path");

/** GET: The last lines of the log. */
export const SYSTEM_LOGS: Endpoint<"/api/system/logs", {
  get: {
    item: LogLine;
    query: {
      /** Maximum number of lines. */
      lines?: number;
      /** The least level shown. */
      level?: LogLevel;
      /** Text that a line must hold, in any case. */
      q?: string;
      /** Goes on with lines as they are written. */
      follow?: boolean;
      /** `text` unless `Accept` asks for NDJSON. */
      format?: "text" | "ndjson";
    };
  };
}> = new Endpoint("/api/system/logs");

/** GET: Every change and every refusal. */
export const SYSTEM_AUDIT: Endpoint<"/api/system/audit", {
  get: {
    response: AuditPage;
    item: AuditLine;
    query: {
      /** Entries of a page, 100 unless told otherwise. */
      limit?: number;
      /** The next of the page before. */
      cursor?: string;
      /** Only this route, as POST /api/workspaces; repeated: any of these. */
      action?: string | readonly (string)[];
      /** The actor's id. */
      actor?: string;
      /** Only entries that ended so: done, begun or a code. */
      result?: string;
      /** `json` unless `Accept` asks for NDJSON. */
      format?: "json" | "ndjson";
      /** Goes on with entries as they are made. */
      follow?: boolean;
      /** For NDJSON: `<chain>:<seq>`, once a chain. */
      after?: string | readonly (string)[];
    };
  };
}> = new Endpoint("/api/system/audit");

/** GET: A page to try this API. */
export const DOCS: Endpoint<"/api/docs", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/docs");

/** GET: The style of that page. */
export const DOCS_PAGE_CSS: Endpoint<"/api/docs/page.css", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/docs/page.css");

/** GET: The script of that page. */
export const DOCS_PAGE_JS: Endpoint<"/api/docs/page.js", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/docs/page.js");

/** GET: Compose projects: declared in a workspace, running, or both. */
export const SYSTEM_TOOL_PROJECTS: Endpoint<"/api/system/tool-projects", {
  get: {
    response: {
      /** The projects. */
      readonly items: readonly (ToolProject)[];
      /** Number of all projects. */
      readonly total: number;
      /** Permissions that the caller needs to see running containers. */
      readonly liveNeeds?: "containers:read";
    };
    query: Record<string, never>;
  };
}> = new Endpoint("/api/system/tool-projects");

/** GET: List the container engines, those that are away too. */
export const SYSTEM_BACKENDS: Endpoint<"/api/system/backends", {
  get: { response: BackendList; query: Record<string, never> };
}> = new Endpoint("/api/system/backends");

/** GET: Disk usage of the engines' objects. */
export const SYSTEM_DISK_USAGE: Endpoint<"/api/system/disk-usage", {
  get: {
    response: DiskUsage;
    query: {
      /** Only this type, with its items. */
      type?: "images" | "containers" | "volumes" | "buildCache";
      /** The name of one engine. */
      backend?: string;
      /** Measure now. */
      fresh?: boolean;
    };
  };
}> = new Endpoint("/api/system/disk-usage");

/** POST: Remove what nobody uses. */
export const SYSTEM_PRUNE: Endpoint<"/api/system/prune", {
  post: { response: PruneReport; payload: PruneRequest; query: Record<string, never> };
}> = new Endpoint("/api/system/prune");

/** GET: This API as an OpenAPI 3.1 document. */
export const OPENAPI_JSON: Endpoint<"/api/openapi.json", {
  get: { response: { readonly [key: string]: unknown }; query: Record<string, never> };
}> = new Endpoint("/api/openapi.json");

/** GET: The WebSockets of this API as an AsyncAPI 3 document. */
export const ASYNCAPI_JSON: Endpoint<"/api/asyncapi.json", {
  get: { response: { readonly [key: string]: unknown }; query: Record<string, never> };
}> = new Endpoint("/api/asyncapi.json");

/** A part of `AuditEntry`. */
export type AuditActor = {
  /** Kind of caller. */
  readonly kind: "user" | "apiKey" | "anonymous" | "system";
  /** The caller's id. */
  readonly id: string;
  /** The caller's name then. */
  readonly name: string;
};

/** A part of `AuditPage`. */
export type AuditEntry = {
  /** The entry's number, over both chains. */
  readonly id: number;
  /** The chain that seals it. */
  readonly chain: "changes" | "refusals";
  /** Its place in its chain; null until it is sealed. */
  readonly seq: number | null;
  /** When. */
  readonly time: string;
  /** The caller. */
  readonly actor: AuditActor;
  /** The route that was asked, or what berth did by itself. */
  readonly action: string;
  /** The object of the act. */
  readonly target: string | null;
  /** The value that was shown: `key:<id>` or `session:<id>`. */
  readonly credential: string | null;
  /** Further details, such as a command. */
  readonly particulars: { readonly [key: string]: string };
  /** `begun` before an act, then `done`; or the code of the refusal or failure. */
  readonly result: string;
  /** Finds the request in the log. */
  readonly requestId: string | null;
  /** The address it came from. */
  readonly peer: string | null;
  /** Number of occurrences; more than one only for refusals to unknown callers. */
  readonly count: number;
};

/** An item of the stream of `GET /api/system/audit`. */
export type AuditLine = {
  /** The entry's number, over both chains. */
  readonly id: number;
  /** The chain that seals it. */
  readonly chain: "changes" | "refusals";
  /** Its number within its chain. */
  readonly seq: number;
  /** When. */
  readonly time: string;
  /** The caller. */
  readonly actor: AuditActor;
  /** The route that was asked, or what berth did by itself. */
  readonly action: string;
  /** The object of the act. */
  readonly target: string | null;
  /** The value that was shown: `key:<id>` or `session:<id>`. */
  readonly credential: string | null;
  /** Further details, such as a command. */
  readonly particulars: { readonly [key: string]: string };
  /** `begun` before an act, then `done`; or the code of the refusal or failure. */
  readonly result: string;
  /** Finds the request in the log. */
  readonly requestId: string | null;
  /** The address it came from. */
  readonly peer: string | null;
  /** Number of occurrences; more than one only for refusals to unknown callers. */
  readonly count: number;
  /** The seal over this entry and all before it in its chain, in hexadecimal. */
  readonly mac: string;
};

/** The answer of `GET /api/system/audit`. */
export type AuditPage = {
  /** The entries, newest first. */
  readonly items: readonly (AuditEntry)[];
  /** Number of all entries. */
  readonly total: number;
  /** The cursor of the page after this one. */
  readonly next?: string;
  /** On the first page: what callers without a good credential were refused in this hour; `*` for all others. */
  readonly strangers?: readonly ({
    /** The hour that is summed up. */
    readonly hour: string;
    /** The address they came from. */
    readonly peer: string;
    /** The request. */
    readonly action: string;
    /** The answer. */
    readonly result: string;
    /** Number of occurrences. */
    readonly count: number;
  })[];
};

/** A part of `LiveMessage`. */
export type Backend = {
  /** The engine's name. */
  readonly name: string;
  /** Kind of engine. */
  readonly kind: "docker" | "podman";
  /** Its address. */
  readonly address: string;
  /** The state of its connection. */
  readonly state: BackendState;
  /** The engine's version. */
  readonly version: string | null;
  /** The version of its API. */
  readonly apiVersion: string | null;
  /** The operating system it runs on. */
  readonly os: string | null;
  /** The processor it runs on. */
  readonly arch: string | null;
  /** True for the engine that new objects are created on if none is named and it is up. */
  readonly default: boolean;
  /** The reason that it is not up, or does not list the kinds in `stale`. */
  readonly reason?: string;
  /** Kinds of objects that it does not list although it is up, as `networks`: shown as last known. Absent if there are none. */
  readonly stale?: readonly (string)[];
  /** Workspaces that the caller sees whole; empty while the engine is not up. */
  readonly sees: readonly ({
    /** The workspace's id. */
    readonly workspace: string;
    /** The folder that the engine has under the path of the workspace's folder: the same folder, another one, or none. */
    readonly sight: HostSight;
  })[];
  /** When it last answered, or was lost; absent where it is up, or was away from the start. */
  readonly since?: string;
};

/** The answer of `GET /api/system/backends`. */
export type BackendList = {
  /** The engines. */
  readonly items: readonly (Backend)[];
  /** Number of all engines. */
  readonly total: number;
};

/** A part of `Health`. */
export type Check = {
  /** Its state. */
  readonly status: "ok" | "degraded" | "failed";
  /** The reason that it is not healthy. */
  readonly reason?: string;
};

/** The answer of `GET /api/system/disk-usage`. */
export type DiskUsage = {
  /** Disk usage of images. */
  readonly images?: Usage;
  /** Needs `containers:read`, too. */
  readonly containers?: Usage;
  /** Disk usage of volumes. */
  readonly volumes?: Usage;
  /** Disk usage of build caches. */
  readonly buildCache?: Usage;
  /** The oldest measurement in it; null without any. */
  readonly measuredAt: string | null;
  /** The engines that could not be asked. */
  readonly unavailable: readonly (Unavailable)[];
};

/** The answer of `GET /api/health`. */
export type Health = {
  /** State of the whole service. */
  readonly status: "starting" | "ok" | "degraded" | "failed";
  /** The version that runs. */
  readonly version?: string;
  /** Uptime in milliseconds. */
  readonly uptimeMs?: number;
  /** `store`, `log`, `audit`, `plugins`, and `backend:<name>` for every engine. */
  readonly checks?: { readonly [key: string]: Check };
};

/** A part of `Backend`. */
export type HostSight = "same" | "different" | "absent" | "unknown";

/** A parameter of `GET /api/system/logs`. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** An item of the stream of `GET /api/system/logs`. */
export type LogLine = {
  /** When. */
  readonly time: string;
  /** Severity. */
  readonly level: LogLevel;
  /** The message. */
  readonly message: string;
} | {
  /** The reason that lines are missing here. */
  readonly gap: string;
};

/** The answer of `GET /api/system/log-path`. */
export type LogPath = {
  /** The file that lines go to. */
  readonly path: string;
  /** Bytes of the file that is written now. */
  readonly size: number;
  /** Older files, newest first. */
  readonly rotated: readonly (string)[];
};

/** A part of `PluginList`. */
export type Plugin = {
  /** The plugin's name. */
  readonly name: string;
  /** A sentence about the plugin. */
  readonly summary: string;
  /** The plugin's version. */
  readonly version: string;
  /** True if the settings enable it. */
  readonly enabled: boolean;
  /** True if it runs. */
  readonly state: "running" | "disabled" | "failed";
  /** The reason that it does not run. */
  readonly reason?: string;
  /** The routes it answers. */
  readonly routes: readonly (string)[];
};

/** The answer of `GET /api/system/plugins`. */
export type PluginList = {
  /** The plugins. */
  readonly items: readonly (Plugin)[];
  /** Number of all items. */
  readonly total: number;
};

/** A part of `PruneRequest`. */
export type PruneFilters = {
  /** Only what was made before this time, or longer ago than this age. */
  readonly until?: string;
  /** Only what has all of them: `name` or `name=value`. */
  readonly labels?: readonly (string)[];
  /** Images that have a name but no container, too. */
  readonly tagged?: boolean;
  /** Also what files of registered folders declare, such as the volumes of a project that is down. */
  readonly declared?: boolean;
};

/** A part of `PruneReport`. */
export type PruneLeft = {
  /** Number of objects. */
  readonly count: number;
  /** Their bytes. */
  readonly size: number;
  /** Number of folders and projects that could not be read whole: what they may declare is left, too. */
  readonly unclear: number;
};

/** The answer of `POST /api/system/prune`. */
export type PruneReport = {
  /** True if nothing was removed. */
  readonly dryRun: boolean;
  /** Post it to remove what is listed. */
  readonly plan: string | null;
  /** Until when the plan may be carried out. */
  readonly expiresAt: string | null;
  /** Objects that are or would be removed. */
  readonly items: readonly (PruneResult)[];
  /** Bytes of all that is listed; layers that images share may free less. */
  readonly size: number;
  /** Bytes of what was removed. */
  readonly reclaimed: number;
  /** Nobody uses it, and files of registered folders declare it: it goes only with the filter `declared`. */
  readonly left: PruneLeft;
  /** The engines that could not be asked. */
  readonly unavailable: readonly (Unavailable)[];
};

/** The payload of `POST /api/system/prune`. */
export type PruneRequest = {
  /** Nothing else is touched. */
  readonly types: readonly (PruneType)[];
  /** The kinds of unused objects to remove. */
  readonly filters?: PruneFilters;
  /** The name of one engine. */
  readonly backend?: string;
  /** Only list what would go, and keep the list as a plan. */
  readonly dryRun?: boolean;
} | {
  /** Remove exactly what this plan listed. */
  readonly plan: string;
};

/** A part of `PruneReport`. */
export type PruneResult = {
  /** Kind of object. */
  readonly type: PruneType;
  /** Its id. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** The reason that it is removed. */
  readonly why: string;
  /** Bytes. */
  readonly size: number;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** `gone`: somebody else removed it before. */
  readonly result: "planned" | "removed" | "gone" | "kept";
  /** The reason that it was kept. */
  readonly reason?: string;
};

/** A part of `PruneRequest`. */
export type PruneType = "containers" | "networks" | "volumes" | "images" | "buildCache";

/** A part of `ReplicaList`. */
export type Replica = {
  /** Its name, as in its log. */
  readonly name: string;
  /** The version of berth that it runs. */
  readonly version: string;
  /** When it started. */
  readonly startedAt: string;
  /** When it last said that it lives; each does so every 5 seconds. */
  readonly seenAt: string;
  /** True for the replica that answers. */
  readonly self: boolean;
};

/** The answer of `GET /api/system/replicas`. */
export type ReplicaList = {
  /** The replicas, the oldest first. */
  readonly items: readonly (Replica)[];
  /** Number of all replicas. */
  readonly total: number;
};

/** The answer of `GET /api/system/info`. */
export type SystemInfo = {
  /** The operating system. */
  readonly os: string;
  /** `amd64`, `arm64`: in the words of the engines. */
  readonly arch: string;
  /** The machine's name. */
  readonly hostname: string | null;
  /** Number of processors. */
  readonly cpus: number;
  /** The machine's memory. */
  readonly memoryBytes: number | null;
  /** The version of berth. */
  readonly version: string;
  /** The version of Deno. */
  readonly denoVersion: string;
  /** When berth started. */
  readonly startedAt: string;
  /** Null while no engine is up, and without `containers:read`. */
  readonly containers: {
    /** Number of running containers. */
    readonly running: number;
    /** Number of paused containers. */
    readonly paused: number;
    /** Number of stopped containers. */
    readonly stopped: number;
    /** Number of objects. */
    readonly total: number;
  } | null;
  /** Null while no engine is up, and without the permission in `liveNeeds`. */
  readonly images: number | null;
  /** The permission that the caller lacks to see what runs. */
  readonly liveNeeds?: "containers:read";
  /** The engines. */
  readonly backends: readonly ({
    /** The engine's name. */
    readonly name: string;
    /** Kind of engine. */
    readonly kind: "docker" | "podman";
    /** The state of its connection. */
    readonly state: BackendState;
    /** The engine's version. */
    readonly version: string | null;
  })[];
};

/** The answer of `GET /api/system/tool-projects`. */
export type ToolProject = {
  /** Null for one that only runs. */
  readonly workspace: WorkspaceRef | null;
  /** The name of its group in that workspace. */
  readonly group: string | null;
  /** The project's name. */
  readonly project: string;
  /** Its verdict; null without an engine. */
  readonly status: LiveState | null;
  /** Its services. */
  readonly services: readonly ({
    /** The service's name. */
    readonly name: string;
    /** Number of its containers. */
    readonly containers: number | null;
    /** Number of its running containers. */
    readonly running: number | null;
    /** The worst of its containers. */
    readonly health: "healthy" | "unhealthy" | "starting" | null;
  })[];
  /** The folder that it was started in. */
  readonly workingDir: string | null;
  /** The files that it was started from. */
  readonly configFiles: readonly (string)[];
  /** Null for one that does not run. */
  readonly backend: string | null;
};

/** A part of `DiskUsage`. */
export type Usage = {
  /** Number of objects. */
  readonly count: number;
  /** Number of objects in use. */
  readonly active: number;
  /** Bytes; layers that images share count once. */
  readonly size: number;
  /** Bytes of those that are not in use. */
  readonly reclaimable: number;
  /** With `type` only. */
  readonly items?: readonly (UsageItem)[];
};

/** A part of `Usage`. */
export type UsageItem = {
  /** Its id. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Bytes that go when it goes. */
  readonly size: number;
  /** True if it is in use. */
  readonly active: boolean;
  /** When it was made. */
  readonly createdAt: string | null;
  /** The engine it is on, by name. */
  readonly backend: string;
};
