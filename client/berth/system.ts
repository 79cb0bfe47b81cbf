/** The API's group `system`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { LiveState, Unavailable } from "./models.ts";

/** GET: Whether the process lives. */
export const HEALTH_LIVE: Endpoint<"/api/health/live", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/health/live");

/** GET: Whether it can serve. */
export const HEALTH_READY: Endpoint<"/api/health/ready", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/health/ready");

/** GET: Whether the service can serve. */
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

/** GET: Where the log file is. */
export const SYSTEM_LOG_PATH: Endpoint<"/api/system/log-path", {
  get: { response: LogPath; query: Record<string, never> };
}> = new Endpoint("/api/system/log-path");

/** GET: The last lines of the log. */
export const SYSTEM_LOGS: Endpoint<"/api/system/logs", {
  get: {
    item: LogLine;
    query: {
      /** How many lines at most. */
      lines?: number;
      /** The least level shown. */
      level?: "debug" | "info" | "warn" | "error";
      /** Text that a line must hold, in any case. */
      q?: string;
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
      cursor?: number;
      action?: string;
      /** The actor's id. */
      actor?: string;
      result?: string;
      /** `json` unless `Accept` asks for NDJSON. */
      format?: "json" | "ndjson";
      follow?: boolean;
      /** For NDJSON: `<chain>:<seq>`, once a chain. */
      after?: readonly (string)[] | string;
    };
  };
}> = new Endpoint("/api/system/audit");

/** GET: A page to try this API. */
export const DOCS: Endpoint<"/api/docs", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/docs");

/** GET: Its style. */
export const DOCS_PAGE_CSS: Endpoint<"/api/docs/page.css", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/docs/page.css");

/** GET: Its script. */
export const DOCS_PAGE_JS: Endpoint<"/api/docs/page.js", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/docs/page.js");

/** GET: Compose projects: declared in a workspace, running, or both. */
export const SYSTEM_TOOL_PROJECTS: Endpoint<"/api/system/tool-projects", {
  get: {
    response: {
      readonly items: readonly (ToolProject)[];
      readonly total: number;
      /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
      readonly liveNeeds?: "containers:read";
    };
    query: Record<string, never>;
  };
}> = new Endpoint("/api/system/tool-projects");

/** GET: List the container engines, those that are away too. */
export const SYSTEM_BACKENDS: Endpoint<"/api/system/backends", {
  get: { response: BackendList; query: Record<string, never> };
}> = new Endpoint("/api/system/backends");

/** GET: What the engines' objects take on disk. */
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

/** A part of `AuditPage`. */
export type AuditEntry = {
  readonly id: number;
  readonly chain: "changes" | "refusals";
  /** Its place in its chain; null until it is sealed. */
  readonly seq: number | null;
  readonly time: string;
  readonly actor: {
    readonly kind: "user" | "apiKey" | "anonymous" | "system";
    readonly id: string;
    readonly name: string;
  };
  /** The route that was asked, or what berth did by itself. */
  readonly action: string;
  readonly target: string | null;
  /** What was shown: `key:<id>` or `session:<id>`. */
  readonly credential: string | null;
  /** What else is worth knowing, as a command. */
  readonly particulars: { readonly [key: string]: string };
  /** `begun` before an act, then `done`; or the code of the refusal or failure. */
  readonly result: string;
  readonly requestId: string | null;
  readonly peer: string | null;
  /** How often; more than once only for what strangers were refused. */
  readonly count: number;
};

/** An item of the stream of `GET /api/system/audit`. */
export type AuditLine = {
  readonly id: number;
  readonly chain: "changes" | "refusals";
  readonly seq: number;
  readonly time: string;
  readonly actor: {
    readonly kind: "user" | "apiKey" | "anonymous" | "system";
    readonly id: string;
    readonly name: string;
  };
  /** The route that was asked, or what berth did by itself. */
  readonly action: string;
  readonly target: string | null;
  /** What was shown: `key:<id>` or `session:<id>`. */
  readonly credential: string | null;
  /** What else is worth knowing, as a command. */
  readonly particulars: { readonly [key: string]: string };
  /** `begun` before an act, then `done`; or the code of the refusal or failure. */
  readonly result: string;
  readonly requestId: string | null;
  readonly peer: string | null;
  /** How often; more than once only for what strangers were refused. */
  readonly count: number;
  /** The seal over this entry and all before it in its chain, in hexadecimal. */
  readonly mac: string;
};

/** The answer of `GET /api/system/audit`. */
export type AuditPage = {
  readonly items: readonly (AuditEntry)[];
  readonly total: number;
  /** The cursor of the page after this one. */
  readonly next?: string;
  /** On the first page: what callers without a good credential were refused in this hour; `*` for all others. */
  readonly strangers?: readonly ({
    readonly hour: string;
    readonly peer: string;
    readonly action: string;
    readonly result: string;
    readonly count: number;
  })[];
};

/** A part of `BackendList`. */
export type Backend = {
  readonly name: string;
  readonly kind: "docker" | "podman";
  readonly address: string;
  readonly state: "up" | "unresponsive" | "away" | "refused" | "unsupported";
  readonly version: string | null;
  readonly apiVersion: string | null;
  readonly os: string | null;
  readonly arch: string | null;
  /** Where things are made when no engine is named and it is up. */
  readonly default: boolean;
  /** Why it is not up. */
  readonly reason?: string;
  /** When it last answered; only where it is `unresponsive`. */
  readonly since?: string;
};

/** The answer of `GET /api/system/backends`. */
export type BackendList = {
  readonly items: readonly (Backend)[];
  readonly total: number;
};

/** A part of `Health`. */
export type Check = {
  readonly status: "ok" | "degraded" | "failed";
  readonly reason?: string;
};

/** The answer of `GET /api/system/disk-usage`. */
export type DiskUsage = {
  readonly images?: Usage;
  /** Needs `containers:read`, too. */
  readonly containers?: Usage;
  readonly volumes?: Usage;
  readonly buildCache?: Usage;
  /** The oldest measurement in it; null without any. */
  readonly measuredAt: string | null;
  readonly unavailable: readonly (Unavailable)[];
};

/** The answer of `GET /api/health`. */
export type Health = {
  readonly status: "ok" | "degraded" | "failed";
  readonly version?: string;
  readonly uptimeMs?: number;
  /** `store`, `log`, `audit`, `plugins`, and `backend:<name>` for every engine. */
  readonly checks?: { readonly [key: string]: Check };
};

/** An item of the stream of `GET /api/system/logs`. */
export type LogLine = {
  readonly time: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
} | {
  /** Why lines are missing here. */
  readonly gap: string;
};

/** The answer of `GET /api/system/log-path`. */
export type LogPath = {
  readonly path: string;
  /** Bytes of the file that is written now. */
  readonly size: number;
  /** Older files, newest first. */
  readonly rotated: readonly (string)[];
};

/** A part of `PluginList`. */
export type Plugin = {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  /** Whether the settings want it. */
  readonly enabled: boolean;
  readonly state: "running" | "disabled" | "failed";
  readonly reason?: string;
  readonly routes: readonly (string)[];
};

/** The answer of `GET /api/system/plugins`. */
export type PluginList = {
  readonly items: readonly (Plugin)[];
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
};

/** The answer of `POST /api/system/prune`. */
export type PruneReport = {
  readonly dryRun: boolean;
  /** Post it to remove what is listed. */
  readonly plan: string | null;
  readonly expiresAt: string | null;
  readonly items: readonly (PruneResult)[];
  /** Bytes of all that is listed; layers that images share may free less. */
  readonly size: number;
  /** Bytes of what was removed. */
  readonly reclaimed: number;
  readonly unavailable: readonly (Unavailable)[];
};

/** The payload of `POST /api/system/prune`. */
export type PruneRequest = {
  /** Nothing else is touched. */
  readonly types?: readonly ("containers" | "networks" | "volumes" | "images" | "buildCache")[];
  readonly filters?: PruneFilters;
  /** The name of one engine. */
  readonly backend?: string;
  /** Only list what would go, and keep the list as a plan. */
  readonly dryRun?: boolean;
  /** Remove exactly what this plan listed. */
  readonly plan?: string;
};

/** A part of `PruneReport`. */
export type PruneResult = {
  readonly type: "containers" | "networks" | "volumes" | "images" | "buildCache";
  readonly id: string;
  readonly name: string;
  readonly why: string;
  /** Bytes. */
  readonly size: number;
  readonly backend: string;
  /** `gone`: somebody else removed it before. */
  readonly result: "planned" | "removed" | "gone" | "kept";
  /** Why it was kept. */
  readonly reason?: string;
};

/** The answer of `GET /api/system/info`. */
export type SystemInfo = {
  readonly os: string;
  /** `amd64`, `arm64`: in the words of the engines. */
  readonly arch: string;
  readonly hostname: string | null;
  readonly cpus: number;
  readonly memoryBytes: number | null;
  readonly version: string;
  readonly denoVersion: string;
  readonly startedAt: string;
  /** Null while no engine is up, and without `containers:read`. */
  readonly containers: {
    readonly running: number;
    readonly paused: number;
    readonly stopped: number;
    readonly total: number;
  } | null;
  /** Null while no engine is up, and without the permission in `liveNeeds`. */
  readonly images: number | null;
  /** The permission that the caller lacks to see what runs. */
  readonly liveNeeds?: "containers:read";
  readonly backends: readonly ({
    readonly name: string;
    readonly kind: "docker" | "podman";
    readonly state: "up" | "unresponsive" | "away" | "refused" | "unsupported";
    readonly version: string | null;
  })[];
};

/** The answer of `GET /api/system/tool-projects`. */
export type ToolProject = {
  /** Null for one that only runs. */
  readonly workspace: {
    readonly id: string;
    readonly name: string;
  } | null;
  /** The name of its group in that workspace. */
  readonly group: string | null;
  readonly project: string;
  readonly status: LiveState | null;
  readonly services: readonly ({
    readonly name: string;
    readonly containers: number | null;
    readonly running: number | null;
    /** The worst of its containers. */
    readonly health: "healthy" | "unhealthy" | "starting" | null;
  })[];
  readonly workingDir: string | null;
  readonly configFiles: readonly (string)[];
  /** Null for one that does not run. */
  readonly backend: string | null;
};

/** A part of `DiskUsage`. */
export type Usage = {
  readonly count: number;
  /** How many are in use. */
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
  readonly id: string;
  readonly name: string;
  /** Bytes that go when it goes. */
  readonly size: number;
  readonly active: boolean;
  readonly createdAt: string | null;
  readonly backend: string;
};
