/** The API's group `overview`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { OverviewContainer, OverviewUnit, Verdict, VerdictCounts } from "./models.ts";

/** GET: Compare what runs with what is declared, over all workspaces. */
export const OVERVIEW: Endpoint<"/api/overview", {
  get: {
    response: Overview;
    query: {
      /** Maximum number of units, the worst first. */
      limit?: number;
      /** Only this workspace, by its id. */
      workspace?: string;
    };
  };
}> = new Endpoint("/api/overview");

/** The answer of `GET /api/overview`. */
export type Overview = {
  /** All units by how they are doing, and the containers that nobody declared. */
  readonly counts: VerdictCounts;
  /** The worst units. */
  readonly units: readonly (OverviewUnit)[];
  /** All groups, the worst first. */
  readonly projects: readonly (OverviewProject)[];
  /** Containers that run and that nobody declared, 200 at most. */
  readonly undeclared: readonly (OverviewContainer)[];
  /** Counts of findings in the workspaces that the caller sees whole. */
  readonly findings: {
    /** Number of errors. */
    readonly errors: number;
    /** Number of warnings. */
    readonly warnings: number;
  };
  /** The engines, for callers who may see them. */
  readonly engines: readonly ({
    /** The engine's name. */
    readonly name: string;
    /** True if it answers. */
    readonly state: "up" | "unresponsive" | "away" | "refused" | "unsupported";
    /** Why it is not up, or does not list the kinds in `stale`. */
    readonly reason?: string;
    /** Kinds of objects that it does not list although it is up, as `containers`. */
    readonly stale?: readonly (string)[];
  })[];
  /** Permissions that the caller needs to see running containers. */
  readonly liveNeeds?: "containers:read";
};

/** A part of `Overview`. */
export type OverviewProject = {
  /** Where it is declared. */
  readonly workspace: {
    /** The workspace's id. */
    readonly id: string;
    /** The workspace's name. */
    readonly name: string;
  };
  /** The group's name. */
  readonly group: string;
  /** Docker's name of the project. */
  readonly project: string;
  /** The verdict of its worst unit. */
  readonly verdict: Verdict;
  /** Its units by how they are doing. */
  readonly counts: VerdictCounts;
  /** Number of fields of its units that differ. */
  readonly differences: number;
};
