/** Everything that is declared beside everything that runs, over all workspaces, the worst first. */
import type { Location, MountReading } from "../../client/berth/models.ts";
import {
  OVERVIEW,
  type Overview as Answer,
  type OverviewContainer,
  type OverviewUnit,
} from "../../client/berth/overview.ts";
import {
  type UnitDetail,
  WORKSPACE,
  type Workspace,
  WORKSPACE_ARTIFACTS_UNIT,
  WORKSPACES,
} from "../../client/berth/workspaces.ts";
import { type Problem, problemOf } from "./problem.ts";
import { client, may } from "./session.ts";

/** A place in a file. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A value as the author wrote it, facing the one that runs. */
export interface Difference {
  readonly field: string;
  readonly declared: string;
  readonly actual: string;
  readonly resolved?: string;
  readonly from?: readonly { readonly name: string; readonly file: string; readonly line: number }[];
  readonly mount?: MountReading;
  readonly container: string | null;
  /** Of the value itself; of its unit where it is not declared. */
  readonly place: Place | null;
}

/** A container as far as screens that compare look at it. */
export type SeenContainer = OverviewContainer;

/** A unit with what runs of it. */
export interface Unit extends
  Pick<
    OverviewUnit,
    "id" | "workspace" | "name" | "verdict" | "desired" | "image" | "notCompared" | "resolved" | "service"
  > {
  readonly containers: readonly SeenContainer[];
  readonly place: Place | null;
  readonly differences: readonly Difference[];
}

export interface WorkspaceState {
  readonly workspace: Workspace;
  readonly units: readonly Unit[];
  readonly problem: Problem | null;
}

export interface Overview {
  readonly units: readonly Unit[];
  /** Workspaces that the caller sees whole. */
  readonly workspaces: readonly WorkspaceState[];
  /** They run, and nobody wrote them. */
  readonly undeclared: readonly SeenContainer[];
  readonly engines: Answer["engines"];
}

/** As many units as a page can show. */
const MOST_UNITS = 5_000;

export async function readOverview(signal: AbortSignal): Promise<Overview> {
  const [listed, overview] = await Promise.all([
    client.get(WORKSPACES, { signal }),
    may("artifacts:read") ? client.get(OVERVIEW, { query: { limit: MOST_UNITS }, signal }) : null,
  ]);
  const { units: told = [], undeclared = [], engines = [] } = overview?.json() ?? {};
  const units = told.map(seenUnit);
  const workspaces = listed.json().items.map((workspace) => ({
    workspace,
    units: units.filter((unit) => unit.workspace === workspace.id),
    problem: null,
  }));
  return { units, workspaces, undeclared, engines };
}

export function seenUnit(told: OverviewUnit): Unit {
  return {
    ...told,
    place: startOf(told.location),
    differences: told.drift.map((one) => ({ ...one, place: startOf(one.location) })),
  };
}

/** One workspace with what runs of it. */
export async function readWorkspace(id: string, signal: AbortSignal): Promise<WorkspaceState> {
  const workspace = (await client.get(WORKSPACE, { params: { id }, signal })).json();
  const isRead = workspace.state === "ready" || workspace.state === "reading";
  if (!isRead || !may("artifacts:read")) return { workspace, units: [], problem: null };
  try {
    const answer = await client.get(OVERVIEW, { query: { workspace: id, limit: MOST_UNITS }, signal });
    return { workspace, units: answer.json().units.map(seenUnit), problem: null };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null || problem.status === 401) throw error;
    return { workspace, units: [], problem };
  }
}

/** A unit in full, with the author's own lines. */
export async function readUnit(workspace: string, name: string, signal: AbortSignal): Promise<UnitDetail> {
  return (await client.get(WORKSPACE_ARTIFACTS_UNIT, { params: { id: workspace, name }, signal })).json();
}

export function startOf({ file, range }: Pick<Location, "file" | "range">): Place {
  return { file, line: range.start.line, column: range.start.column };
}
