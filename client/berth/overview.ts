/** The API's group `overview`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type {
  ContainerCondition,
  ContainerStop,
  Drift,
  EngineStatus,
  FindingCounts,
  IncidentMark,
  LiveState,
  Location,
  UnitService,
  VariableSource,
  Verdict,
  VerdictCounts,
  WorkspaceRef,
} from "./models.ts";

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
  readonly findings: FindingCounts;
  /** The engines, for callers who may see them. */
  readonly engines: readonly (EngineStatus)[];
  /** Permissions that the caller needs to see running containers. */
  readonly liveNeeds?: "containers:read";
};

/** A part of `OverviewUnit`. */
export type OverviewContainer = {
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
};

/** A part of `Overview`. */
export type OverviewProject = {
  /** The place of its declaration. */
  readonly workspace: WorkspaceRef;
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

/** A part of `Overview`. */
export type OverviewUnit = {
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
  readonly containers: readonly (OverviewContainer)[];
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
