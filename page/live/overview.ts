/** Everything that is declared beside everything that runs, over all workspaces, the worst first. */
import { type Container, CONTAINERS } from "../../client/berth/containers.ts";
import type { Location } from "../../client/berth/models.ts";
import {
  OVERVIEW,
  type Overview as Answer,
  type OverviewContainer,
  type OverviewUnit,
} from "../../client/berth/overview.ts";
import {
  type DagNode,
  type UnitDetail,
  type UnitLive,
  WORKSPACE,
  type Workspace,
  WORKSPACE_ARTIFACTS_DAG,
  WORKSPACE_ARTIFACTS_UNIT,
  WORKSPACES,
} from "../../client/berth/workspaces.ts";
import { isStatusError } from "../../client/mod.ts";
import { type Problem, problemOf } from "./problem.ts";
import { client, may } from "./session.ts";
import { type Verdict, verdictOf, VERDICTS } from "../verdict.ts";

/** Where something is written. */
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
  readonly container: string | null;
  /** Of the value itself; of its unit where it is not declared. */
  readonly place: Place | null;
}

/** A container as far as screens that compare look at it. */
export type SeenContainer = OverviewContainer;

/** A unit with what runs of it. */
export interface Unit {
  readonly id: string;
  readonly workspace: string;
  /** `shop.db`. */
  readonly name: string;
  readonly verdict: Verdict;
  readonly live: UnitLive | null;
  /** The same containers as their list tells of them, for who may see it. */
  readonly containers: readonly SeenContainer[];
  readonly image: string | null;
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
  /** Those that are seen as a whole. */
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

function seenUnit(told: OverviewUnit): Unit {
  const { state, desired, containers, drift, location } = told;
  return {
    ...told,
    live: state === null ? null : {
      state,
      desired,
      match: null,
      containers: containers.map((one) => ({ ...one, number: null })),
      drift,
    },
    place: startOf(location),
    differences: drift.map((one) => ({ ...one, place: startOf(one.location) })),
  };
}

function byId(containers: readonly Container[]): ReadonlyMap<string, Container> {
  return new Map(containers.map((one) => [one.id, one]));
}

/** One workspace with what runs of it. */
export async function readWorkspace(id: string, signal: AbortSignal): Promise<WorkspaceState> {
  const [workspace, containers] = await Promise.all([
    client.get(WORKSPACE, { params: { id }, signal }),
    may("containers:read")
      ? listOrNone(() => client.get(CONTAINERS, { query: { workspace: id }, signal }))
      : null,
  ]);
  return await readWorkspaceState(workspace.json(), byId(containers?.json().items ?? []), signal);
}

/** Without the plugin of the engines there is nothing to list. */
async function listOrNone<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (isStatusError(error) && [403, 404, 503].includes(error.response.statusCode)) return null;
    throw error;
  }
}

async function readWorkspaceState(
  workspace: Workspace,
  running: ReadonlyMap<string, Container>,
  signal: AbortSignal,
): Promise<WorkspaceState> {
  const isRead = workspace.state === "ready" || workspace.state === "reading";
  if (!isRead || !may("artifacts:read")) return { workspace, units: [], problem: null };
  try {
    const asked = { params: { id: workspace.id }, query: { live: true }, signal };
    const { nodes } = (await client.get(WORKSPACE_ARTIFACTS_DAG, asked)).json();
    const units = nodes.filter(({ kind }) => kind === "unit")
      .map((node) => unitOf(workspace.id, node, running));
    return { workspace, units: units.filter((unit) => unit !== null).sort(byVerdict), problem: null };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null || problem.status === 401) throw error;
    return { workspace, units: [], problem };
  }
}

export function byVerdict(one: Unit, other: Unit): number {
  return VERDICTS.indexOf(one.verdict) - VERDICTS.indexOf(other.verdict) ||
    one.name.localeCompare(other.name);
}

function unitOf(
  workspace: string,
  node: DagNode,
  running: ReadonlyMap<string, Container>,
): Unit | null {
  const listed = node.live?.containers.flatMap(({ id }) => running.get(id) ?? []) ?? [];
  const verdict = verdictOf(node, listed.length > 0 ? listed : undefined);
  if (verdict === null) return null;
  const name = node.id.slice("unit:".length);
  const drift = node.live?.drift ?? [];
  return {
    id: node.id,
    workspace,
    name,
    verdict,
    live: node.live ?? null,
    containers: listed,
    image: node.data.image ?? null,
    place: node.source,
    differences: drift.map((one) => ({ ...one, place: startOf(one.location) })),
  };
}

/** A unit in full, with the author's own lines. */
export async function readUnit(workspace: string, name: string, signal: AbortSignal): Promise<UnitDetail> {
  return (await client.get(WORKSPACE_ARTIFACTS_UNIT, { params: { id: workspace, name }, signal })).json();
}

export function startOf({ file, range }: Pick<Location, "file" | "range">): Place {
  return { file, line: range.start.line, column: range.start.column };
}
