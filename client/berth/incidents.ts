/** The API's group `incidents`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { IncidentCause, IncidentKind } from "./models.ts";

/** GET: What was not as it should be, since when, and because of what. */
export const INCIDENTS: Endpoint<"/api/incidents", {
  get: {
    response: IncidentList;
    query: {
      /** Only open or only closed ones. */
      state?: "open" | "closed";
      /** Only of this kind. */
      kind?: IncidentKind;
      /** Only of this workspace, by its id. */
      workspace?: string;
      /** Only of this project: `<group>@<workspace>`, or the group's name. */
      project?: string;
      /** Only of this unit, by its id or name. */
      unit?: string;
      /** `next` of the page before. */
      before?: string;
      /** Maximum number of incidents. */
      limit?: number;
    };
  };
}> = new Endpoint("/api/incidents");

/** GET: One incident with its lines. */
export const INCIDENT: Endpoint<"/api/incidents/{id}", {
  get: { response: IncidentDetail; query: Record<string, never> };
}> = new Endpoint("/api/incidents/{id}");

/** A part of `LiveMessage`. */
export type Incident = {
  /** The incident's id. */
  readonly id: string;
  /** The kind of its subject. */
  readonly subject: IncidentSubjectKind;
  /** The workspace's id. */
  readonly workspace: string | null;
  /** The group's name. */
  readonly group: string | null;
  /** The Compose project. */
  readonly project: string | null;
  /** The unit's id. */
  readonly unit: string | null;
  /** The engine's name. */
  readonly engine: string | null;
  /** The name of a container that no file declares. */
  readonly container: string | null;
  /** A verdict of a unit, or the kind of another subject. */
  readonly kind: IncidentKind;
  /** When it began, as the best evidence says. */
  readonly since: string;
  /** True if `since` is when berth noticed it: it may have begun earlier. */
  readonly atLatest: boolean;
  /** The evidence of why. */
  readonly cause: IncidentCause;
  /** The fields that differ, 20 at most. */
  readonly fields: readonly (IncidentField)[];
  /** When berth opened it. */
  readonly openedAt: string;
  /** When it was well again; null while it is open. */
  readonly closedAt: string | null;
  /** `away`: it was well when berth came back; `undeclared`: its subject is gone. */
  readonly end: IncidentEnd | null;
  /** Number of times that a container of it ended. */
  readonly endings: number;
  /** True if it was there when berth watched for the first time. */
  readonly atFirst: boolean;
  /** Number of its lines. */
  readonly lines: number;
  /** Until when nobody is told of it; null where it is not muted. */
  readonly mutedUntil: string | null;
};

/** The answer of `GET /api/incidents/{id}`. */
export type IncidentDetail = {
  /** The incident's id. */
  readonly id: string;
  /** The kind of its subject. */
  readonly subject: IncidentSubjectKind;
  /** The workspace's id. */
  readonly workspace: string | null;
  /** The group's name. */
  readonly group: string | null;
  /** The Compose project. */
  readonly project: string | null;
  /** The unit's id. */
  readonly unit: string | null;
  /** The engine's name. */
  readonly engine: string | null;
  /** The name of a container that no file declares. */
  readonly container: string | null;
  /** A verdict of a unit, or the kind of another subject. */
  readonly kind: IncidentKind;
  /** When it began, as the best evidence says. */
  readonly since: string;
  /** True if `since` is when berth noticed it: it may have begun earlier. */
  readonly atLatest: boolean;
  /** The evidence of why. */
  readonly cause: IncidentCause;
  /** The fields that differ, 20 at most. */
  readonly fields: readonly (IncidentField)[];
  /** When berth opened it. */
  readonly openedAt: string;
  /** When it was well again; null while it is open. */
  readonly closedAt: string | null;
  /** `away`: it was well when berth came back; `undeclared`: its subject is gone. */
  readonly end: IncidentEnd | null;
  /** Number of times that a container of it ended. */
  readonly endings: number;
  /** True if it was there when berth watched for the first time. */
  readonly atFirst: boolean;
  /** Number of its lines. */
  readonly lines: number;
  /** Until when nobody is told of it; null where it is not muted. */
  readonly mutedUntil: string | null;
  /** Every change of it, the first 200, in order. */
  readonly history: readonly (IncidentLine)[];
};

/** A part of `Incident`. */
export type IncidentEnd = "well" | "away" | "undeclared";

/** A part of `Incident`. */
export type IncidentField = {
  /** The field that differs. */
  readonly field: string;
  /** As it is written; only of images, ports and amounts. */
  readonly declared?: string;
  /** As it runs; only of images, ports and amounts. */
  readonly actual?: string;
  /** The file that declares it. */
  readonly file?: string;
  /** The line in it. */
  readonly line?: number;
};

/** A part of `IncidentDetail`. */
export type IncidentLine = {
  /** When berth noted it. */
  readonly at: string;
  /** A verdict of a unit, or the kind of another subject. */
  readonly kind: IncidentKind;
  /** When it began, as the best evidence says. */
  readonly since: string;
  /** True if `since` is when berth noticed it: it may have begun earlier. */
  readonly atLatest: boolean;
  /** The evidence of why. */
  readonly cause: IncidentCause;
  /** The fields that differ, 20 at most. */
  readonly fields: readonly (IncidentField)[];
};

/** The answer of `GET /api/incidents`. */
export type IncidentList = {
  /** The newest first. */
  readonly items: readonly (Incident)[];
  /** The `before` of the next page; null on the last. */
  readonly next: string | null;
};

/** A part of `Incident`. */
export type IncidentSubjectKind = "unit" | "container" | "engine" | "workspace" | "berth";
