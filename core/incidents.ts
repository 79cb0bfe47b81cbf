/** Incidents: what was not as it should be, since when, and because of what, as every store keeps them. */
import type { Subject } from "./access.ts";

export const INCIDENT_KINDS = [
  "broken",
  "differs",
  "notStarted",
  "stopped",
  "engine",
  "workspace",
  "berth",
] as const;
export type IncidentKind = typeof INCIDENT_KINDS[number];

export const CAUSE_KINDS = [
  "apply",
  "berth",
  "file",
  "image",
  "outside",
  "ended",
  "engine",
  "firstWatch",
  "unrecorded",
  "unknown",
] as const;
export type CauseKind = typeof CAUSE_KINDS[number];

/** The object of an incident. One incident is open per subject at most. */
export interface IncidentSubject {
  readonly kind: "unit" | "container" | "engine" | "workspace" | "berth";
  /** The workspace's id. */
  readonly workspace: string | null;
  /** The group's name. */
  readonly group: string | null;
  /** The Compose project. */
  readonly project: string | null;
  /** The unit's id. */
  readonly unit: string | null;
  readonly engine: string | null;
  /** The name of a container that no file declares. */
  readonly container: string | null;
}

/** The evidence of why something is not as it should be. Absent parts are not known. */
export interface Cause {
  readonly kind: CauseKind;
  /** Further kinds of which there is evidence. */
  readonly further?: readonly CauseKind[];
  /** The user or key that acted through berth. */
  readonly by?: { readonly kind: string; readonly id: string; readonly name: string };
  /** The engine's or the route's word for the act, as `stop`. */
  readonly act?: string;
  readonly apply?: string;
  readonly file?: string;
  readonly line?: number;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly outOfMemory?: true;
  /** The limit of the container that ended, in bytes. */
  readonly memoryLimit?: number;
  readonly unhealthy?: true;
  /** The reason why an engine is away, or why the store took nothing, in words. */
  readonly reason?: string;
  /** Of `firstWatch`: the units that are watched, and those that were not as written. */
  readonly units?: number;
  readonly bad?: number;
}

/** A subject of which nothing but its kind is said: berth itself. */
export const BERTH_SUBJECT: IncidentSubject = {
  kind: "berth",
  workspace: null,
  group: null,
  project: null,
  unit: null,
  engine: null,
  container: null,
};

/** A field that differs. Values are kept of images, ports and amounts alone. */
export interface IncidentField {
  readonly field: string;
  readonly declared?: string;
  readonly actual?: string;
  readonly file?: string;
  readonly line?: number;
}

/** The state of an incident at one time. */
export interface IncidentState {
  readonly kind: IncidentKind;
  /** Milliseconds since 1970, as all times here. */
  readonly since: number;
  /** True if `since` is when berth noticed it: it may have begun earlier. */
  readonly atLatest: boolean;
  readonly cause: Cause;
  readonly fields: readonly IncidentField[];
}

/** `well`: it is as it should be again. `away`: it was already when berth came back. `undeclared`: its subject is gone. */
export const INCIDENT_ENDS = ["well", "away", "undeclared"] as const;
export type IncidentEnd = typeof INCIDENT_ENDS[number];

/** The workspace whose files a container was started from, and its Compose project. */
export interface Elsewhere {
  readonly workspace: string | null;
  readonly project: string | null;
}

export interface Incident extends IncidentState {
  readonly id: string;
  readonly subject: IncidentSubject;
  /**
   * The scopes of a container of the unit where those of the subject do not reach it: files only name its project, and
   * it was started from elsewhere. It stays, as the lines stay.
   */
  readonly elsewhere?: Elsewhere;
  /** When berth opened it. */
  readonly openedAt: number;
  readonly closedAt: number | null;
  readonly end: IncidentEnd | null;
  /** The number of times that a container of it ended. */
  readonly endings: number;
  /** True if it was there when berth watched for the first time. */
  readonly atFirst: boolean;
  /** The number of its lines, also of those that are not kept. */
  readonly lines: number;
}

export interface IncidentLine extends IncidentState {
  readonly seq: number;
  readonly at: number;
}

/** An incident as it becomes, with the line that says so. */
export interface IncidentChange {
  readonly incident: Incident;
  readonly line: Omit<IncidentLine, "seq"> | null;
  /** Targets that are to be told of it; its end is told to those that were told of it. */
  readonly outbox?: {
    /** Targets that are told of it unless they are already. Times are those of a steady clock. */
    readonly to: readonly { readonly notice: string; readonly dueAt: number }[];
    /** Tells it at this time at the latest. */
    readonly soonerAt: number | null;
    /** Tells it once more. */
    readonly isWorse: boolean;
    /** Somebody has done this on purpose: the targets in `to` are told then, and no other that was not told yet. */
    readonly isLater?: true;
  };
}

export interface IncidentQuery {
  readonly state: "open" | "closed" | null;
  readonly kind: IncidentKind | null;
  readonly workspace: string | null;
  /** A group's name. */
  readonly group: string | null;
  readonly unit: string | null;
  /** Only those that are open, or were closed after this. */
  readonly since: number | null;
  readonly before: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

/** Lines that are kept of one incident; later ones are counted. */
export const MOST_LINES = 200;

export interface IncidentStore {
  /**
   * Opens and changes incidents, all or none. Returns the ids of those that were written: another incident of the
   * subject may be open, or somebody else has closed it.
   */
  write(changes: readonly IncidentChange[]): Promise<readonly string[]>;
  /** Returns the open ones, the newest first. */
  open(): Promise<Incident[]>;
  /** Newest first. */
  list(query: IncidentQuery): Promise<Incident[]>;
  get(id: string): Promise<Incident | null>;
  /** The lines in order, the first `MOST_LINES`. */
  lines(id: string): Promise<IncidentLine[]>;
  /** Rises with every write. */
  revision(): Promise<number>;
  /** Returns true if some replica has ever watched. */
  wasWatched(): Promise<boolean>;
  /** Forgets those that were closed before, and the oldest closed ones beyond `most`. How many. */
  forget(before: number, most: number): Promise<number>;
}

/** Returns one text for a subject, equal for the same one. */
export function subjectKey(subject: IncidentSubject): string {
  let key = keys.get(subject);
  if (key === undefined) keys.set(subject, key = keyOf(subject));
  return key;
}

/** By subject: each look asks for the key of every subject. */
const keys = new WeakMap<IncidentSubject, string>();

function keyOf({ kind, workspace, unit, engine, container }: IncidentSubject): string {
  switch (kind) {
    case "unit":
      return `unit ${workspace} ${unit}`;
    case "container":
      return `container ${engine} ${container}`;
    case "engine":
      return `engine ${engine}`;
    case "workspace":
      return `workspace ${workspace}`;
    case "berth":
      return `berth ${container ?? ""}`;
  }
}

/** Returns what grants are asked about for what runs of an incident. */
export function scopesOf({ subject, elsewhere }: Pick<Incident, "subject" | "elsewhere">): Subject {
  const { engine, workspace, project } = subject;
  return { engine, workspace, project, ...elsewhere };
}
