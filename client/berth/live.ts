/** The API's group `live`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Container } from "./containers.ts";
import type { Image } from "./images.ts";
import type { Incident } from "./incidents.ts";
import type { CommitId, EngineStatus, LogGap, SocketFailure, Unavailable, VerdictCounts } from "./models.ts";
import type { Network } from "./networks.ts";
import type { LooseContainers, ProjectRow } from "./projects.ts";
import type { SwarmService } from "./services.ts";
import type { Backend } from "./system.ts";
import type { EngineHappening, EngineStateChange, EventKind, EventsResync } from "./terminal.ts";
import type { ProjectUpdates, UpdateItem } from "./updates.ts";
import type { Volume } from "./volumes.ts";
import type { SourceStateName, Workspace, WorkspaceFile } from "./workspaces.ts";

/** WS: Follow everything over one socket. */
export const LIVE: Endpoint<"/api/live", {
  socket: {
    send: LiveRequest;
    receive: LiveMessage;
    query: {
      /** Messages of more than 2 KiB come as binary frames of gzipped JSON. */
      gzip?: boolean;
    };
  };
}> = new Endpoint("/api/live");

/** A part of `LiveMessage`. */
export type Declared = {
  /** The workspace's id. */
  readonly workspace: string;
  /** Another one when something that is in reach was written otherwise. */
  readonly revision: string;
};

/** Messages of `/api/live`. */
export type LiveMessage = {
  /** The connection stands; comes every ten seconds. */
  readonly type: "beat";
  /** The service's time. */
  readonly time: string;
} | {
  /** A subscription has ended; the socket stays open. */
  readonly type: "ended";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Code for programs; `done` if there is nothing more to send. */
  readonly code: string;
  /** Message for people. */
  readonly title: string;
  /** The status that a request would have been answered with: from 500 on it is worth another try. */
  readonly status: number;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "workspaces";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: Workspace };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "declared";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: Declared };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "files";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: WorkspaceFile };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "projects";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: ProjectRow };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** All projects that the caller sees, by verdict. */
  readonly counts?: VerdictCounts;
  /** Containers that belong to no project, by engine. */
  readonly loose?: readonly (LooseContainers)[];
  /** The engines, for callers who may see them. */
  readonly engines?: readonly (EngineStatus)[];
  /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
  readonly liveNeeds?: "containers:read";
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "sources";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: SourceRow };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "updates";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: UpdateItem };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** True if berth asks registries for newer images. */
  readonly enabled?: boolean;
  /** The cool-down of a new image in days. */
  readonly coolDownDays?: number;
  /** The wishes for single projects. */
  readonly projects?: readonly (ProjectUpdates)[];
  /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
  readonly liveNeeds?: "containers:read";
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "incidents";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: Incident };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** The time before which incidents are left out, because there are too many; null while all are there. */
  readonly completeFrom: string | null;
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "containers";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: Container };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** The engines that could not be asked, when they are others. */
  readonly unavailable?: readonly (Unavailable)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "images";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: Image };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** The engines that could not be asked, when they are others. */
  readonly unavailable?: readonly (Unavailable)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "volumes";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: Volume };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** The engines that could not be asked, when they are others. */
  readonly unavailable?: readonly (Unavailable)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "networks";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: Network };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** The engines that could not be asked, when they are others. */
  readonly unavailable?: readonly (Unavailable)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "engines";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: Backend };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | {
  /** Kind of message. */
  readonly type: "events";
  /** The topic. */
  readonly feed: "events";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Events, in order. */
  readonly items: readonly (EngineHappening | EngineStateChange | EventsResync)[];
  /** For `since`. */
  readonly cursor: string;
} | {
  /** Kind of message. */
  readonly type: "sources";
  /** The topic. */
  readonly feed: "logs";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The sources that are others than before. */
  readonly items: readonly (LiveSource)[];
  /** Number of containers in scope that may not be followed, or are too many. */
  readonly leftOut: number;
} | {
  /** Kind of message. */
  readonly type: "lines";
  /** The topic. */
  readonly feed: "logs";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Lines and gaps, in order. */
  readonly items: readonly ({
    /** The container, by its engine and id: `docker/0f1e…`. */
    readonly source: string;
    /** When it was written. */
    readonly time: string;
    /** Which output. */
    readonly stream: "stdout" | "stderr";
    /** Log lines. */
    readonly line: string;
    /** The line was longer than 256 KiB, or than 384 KiB as JSON. */
    readonly cut?: true;
  } | {
    /** The container, by its engine and id: `docker/0f1e…`. */
    readonly source: string;
    readonly gap: LogGap;
  })[];
  /** The positions up to which their sources were read, for `cursors`; also of sources without a line among the items. */
  readonly cursors: { readonly [key: string]: string };
  /** The positions of the lines with which reading a source began: `before` of `/api/logs` continues before them. */
  readonly firsts?: { readonly [key: string]: string };
} | {
  /** Kind of message. */
  readonly type: "sources";
  /** The topic. */
  readonly feed: "stats";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The sources that are others than before. */
  readonly items: readonly (LiveSource)[];
  /** Number of containers in scope that may not be followed, or are too many. */
  readonly leftOut: number;
} | {
  /** Kind of message. */
  readonly type: "samples";
  /** The topic. */
  readonly feed: "stats";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Measurements, in order. */
  readonly items: readonly (LiveSample)[];
} | {
  /** Kind of message. */
  readonly type: "rows";
  /** The topic. */
  readonly feed: "services";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The client forgets what earlier messages said. */
  readonly reset?: true;
  /** Rows that are new or another, by their keys. */
  readonly put: { readonly [key: string]: SwarmService };
  /** The keys of rows that are gone. */
  readonly removed: readonly (string)[];
  /** With the last piece of a change, for `since`: all pieces up to it count together. */
  readonly cursor?: string;
} | SocketFailure;

/** Requests to `/api/live`. */
export type LiveRequest = {
  /** Ends a subscription. */
  readonly type: "unsubscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The registered workspaces; a `revision` that is another says that files have changed. */
  readonly feed: "workspaces";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Declared artifacts by workspace, as far as the caller's scope goes; also for callers who see only a part of one. */
  readonly feed: "declared";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The files of one workspace, by their paths; a `sha256` that is another says that one has changed. */
  readonly feed: "files";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
  /** The workspace's id. */
  readonly workspace: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Every project in one row, as `GET /api/projects` has them; its details are others when its `revision` is. */
  readonly feed: "projects";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The repositories that workspaces follow: a `head` that is not `synced` says that commits wait. */
  readonly feed: "sources";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The images of declared projects and their newer ones, as `GET /api/updates` has them. */
  readonly feed: "updates";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Open incidents and those of the last seven days, as `GET /api/incidents` has them, 1,000 at most: the open ones first, and then those that ended last. */
  readonly feed: "incidents";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The containers of all engines. */
  readonly feed: "containers";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The images of all engines, with the containers that use each. */
  readonly feed: "images";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The volumes of all engines, with the containers that use each. */
  readonly feed: "volumes";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The networks of all engines, with the containers that use each. */
  readonly feed: "networks";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The container engines, those that are away too. */
  readonly feed: "engines";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Events of the engines. */
  readonly feed: "events";
  /** Only containers of this project, by its id; by Compose's name, of every project of that name. */
  readonly project?: string;
  /** Only containers of this workspace, by its id. */
  readonly workspace?: string;
  /** Only these, by id or name. */
  readonly containers?: readonly (string)[];
  /** Events of these kinds; all but containers need the permission to read them. */
  readonly kinds?: readonly (EventKind)[];
  /** Only these actions, as `start` or `die`. */
  readonly actions?: readonly (string)[];
  /** With the execs of health checks. */
  readonly healthChecks?: boolean;
  /** The name of one engine. */
  readonly backend?: string;
  /** Number of the last known events that come first. */
  readonly earlier?: number;
  /** The last `cursor` received: the feed resumes behind it, or says `resync`. */
  readonly since?: string;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The logs of any containers, merged in the order of their times. */
  readonly feed: "logs";
  /** By id or name, with the engine before it where several have it: `docker/web`. */
  readonly containers?: readonly (string)[];
  /** All containers of this project, by its id; by Compose's name, of every project of that name. */
  readonly project?: string;
  /** All containers of this workspace, by its id. */
  readonly workspace?: string;
  /** All containers in sight. */
  readonly all?: true;
  /** Number of earlier lines of each log that come first. */
  readonly tail?: number;
  /** Only lines from then on, and all of those: a time as `2026-01-31T12:00:00Z`, or a span as `10m`. */
  readonly since?: string;
  /** Only lines that hold this text, in any case. */
  readonly q?: string;
  /** The position up to which each source was read, by its key: its log resumes behind it. */
  readonly cursors?: { readonly [key: string]: string };
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** Measurements of containers, about one a second. */
  readonly feed: "stats";
  /** By id or name, with the engine before it where several have it: `docker/web`. */
  readonly containers?: readonly (string)[];
  /** All containers of this project, by its id; by Compose's name, of every project of that name. */
  readonly project?: string;
  /** All containers of this workspace, by its id. */
  readonly workspace?: string;
  /** All containers in sight. */
  readonly all?: true;
  /** With the last ten minutes, as far as somebody has measured it in them. */
  readonly earlier?: boolean;
} | {
  /** Begins a subscription, instead of one with the same id. */
  readonly type: "subscribe";
  /** The caller's name for the subscription, on all its messages. */
  readonly id: string;
  /** The services of all swarms, with their tasks. */
  readonly feed: "services";
  /** The last `cursor` seen: only what is another since then is told, if that is still known. */
  readonly since?: string;
};

/** One measurement of a container. */
export type LiveSample = {
  /** When. */
  readonly time: string;
  /** 100 is one processor; null in the first sample, which has nothing to compare with. */
  readonly cpuPercent: number | null;
  /** Memory that is in use. */
  readonly memoryBytes: number;
  /** Memory it may use. */
  readonly memoryLimitBytes: number;
  /** Received so far. */
  readonly rxBytes: number;
  /** Sent so far. */
  readonly txBytes: number;
  /** Read from disks so far. */
  readonly readBytes: number;
  /** Written to disks so far. */
  readonly writeBytes: number;
  /** Number of processes. */
  readonly pids: number;
  /** The container, by its engine and id: `docker/0f1e…`. */
  readonly source: string;
};

/** A part of `LiveMessage`. */
export type LiveSource = {
  /** The container, by its engine and id; as it was asked for where it was not found. */
  readonly source: string;
  /** The container's name. */
  readonly name?: string;
  /** `waiting`: it cannot be read for now, and is tried again by itself. */
  readonly state: "following" | "waiting" | "ended";
  /** The reason why it is not followed: `removed`, `not_asked` where it belongs to another project by now, or a code for programs. */
  readonly reason?: string;
};

/** A part of `LiveMessage`. */
export type SourceRow = {
  /** The workspace's id. */
  readonly workspace: string;
  /** The branch that is followed. */
  readonly branch: string;
  /** When files are written. */
  readonly policy: "manual" | "auto";
  /** `unchecked`: no check has ended yet; `behind`: the branch has other commits than the folder; `conflict`: files that are not Git's are in the way of a sync; `waiting`: the policy `auto` waits for a person, and `waiting` says why. */
  readonly state: SourceStateName;
  /** The reason that the last check failed; null if it did not. */
  readonly error: string | null;
  /** When a check last ended, RFC 3339. */
  readonly checkedAt: string | null;
  /** The commit that the folder was last brought to. */
  readonly synced: CommitId | null;
  /** The newest commit that was fetched. */
  readonly head: CommitId | null;
};
