/** Projects as the service tells them: one row each, and one in full. */
import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import {
  PROJECT,
  PROJECT_IGNORED,
  type ProjectDetail,
  PROJECTS,
  type Projects,
} from "../../client/berth/projects.ts";
import { VERDICTS } from "../verdict.ts";
import { seenUnit, type Unit } from "./overview.ts";
import { type Resource, useResource } from "./resource.ts";
import { type Listed, useRows } from "./rows.ts";
import { client, may } from "./session.ts";

export type Row = Projects["items"][number];

/** A project with its units. */
export interface Project extends Omit<ProjectDetail, "units"> {
  readonly units: readonly Unit[];
}

/** As many rows as the service tells at once. */
const MOST_ROWS = 5_000;

export async function readProjects(signal: AbortSignal): Promise<Projects> {
  return (await client.get(PROJECTS, { query: { limit: MOST_ROWS }, signal })).json();
}

/** Reads the engines that the caller may see, and no project. */
export async function readEngines(signal: AbortSignal): Promise<Projects["engines"]> {
  return (await client.get(PROJECTS, { query: { limit: 0 }, signal })).json().engines;
}

/** Reads the few projects of a workspace whose name or folder holds this text. */
export async function readProjectsLike(
  workspace: string,
  q: string,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  return (await client.get(PROJECTS, { query: { workspace, q, limit: 20 }, signal })).json().items;
}

/** The projects as one screen shows them. */
export type ProjectList = Pick<Projects, "items" | "loose" | "engines" | "liveNeeds">;

/** Follows the rows of all projects, the worst first, while the component is shown. */
export function useProjects(): Resource<ProjectList> {
  const read = useRows(may("artifacts:read") ? "projects" : null, "projects");
  const value = useMemo(() => computed(() => read.value.value && listOf(read.value.value)), [read]);
  return { value, problem: read.problem, at: read.at, reload: read.reload };
}

function listOf({ items, beside: { loose = [], engines = [], liveNeeds } }: Listed<"projects">): ProjectList {
  return {
    items: items.toSorted(byWorst),
    loose,
    engines,
    ...(liveNeeds !== undefined && { liveNeeds }),
  };
}

/** By verdict, then by how many units have it, then by name, as the service sorts them. */
function byWorst(one: Row, other: Row): number {
  return VERDICTS.indexOf(one.verdict) - VERDICTS.indexOf(other.verdict) ||
    other.counts[other.verdict] - one.counts[one.verdict] || (one.id < other.id ? -1 : 1);
}

/** A project that only runs, or a container that belongs to none; both by the id that the service knows them by. */
export interface Aside {
  readonly id: string;
  readonly name: string;
  readonly kind: "project" | "container";
}

/** Puts it aside for everybody, or shows it again. */
export async function setIgnored({ id, kind }: Aside, ignored: boolean): Promise<void> {
  await client.put(PROJECT_IGNORED, { params: { id }, payload: { ignored, kind } });
}

/** Reads a project by its id, or by a name that only one has; with all values of its variables, where that is asked. */
export async function readProject(id: string, signal?: AbortSignal, reveal?: true): Promise<Project> {
  const options = { ...(signal !== undefined && { signal }), ...(reveal && { query: { reveal } }) };
  const told = (await client.get(PROJECT, { params: { id }, ...options })).json();
  return { ...told, units: told.units.map(seenUnit) };
}

/** Reads a project, and again whenever its row has another revision. */
export function useProject(id: string, revision: string | null): Resource<Project> {
  const read = useResource(`project ${id}`, (signal) => readProject(id, signal), { live: false });
  // Also when a reading ends that began before the row's last change.
  const known = read.value.value?.revision;
  useEffect(() => {
    if (known !== undefined && revision !== null && known !== revision) read.reload();
  }, [revision, known]);
  return read;
}

/** Returns the revision in the row of a project, by its id or name; null while no row tells it. */
export function useRevision(id: string): string | null {
  const rows = useRows(may("artifacts:read") ? "projects" : null, "projects").value.value?.items ?? [];
  return rows.find((row) => row.id === id || row.name === id)?.revision ?? null;
}

/** The address of a project's screen. */
export const projectHref = (id: string): string => `/p/${encodeURIComponent(id)}`;

/** The address of the screen that plans a project. */
export function planHref(id: string, action: "up" | "stop" | "restart" | "down" | "update" = "up"): string {
  return `${projectHref(id)}/plan${action === "up" ? "" : `?action=${action}`}`;
}

/** The address of a unit, such as `shop.web`: in its project, or in its folder if it is in no project. */
export function unitHref(workspace: string, unit: string): string {
  const dot = unit.indexOf("."); // the name of a project has none
  const of = dot === -1
    ? `/w/${encodeURIComponent(workspace)}`
    : projectHref(`${unit.slice(0, dot)}@${workspace}`);
  return `${of}?unit=${encodeURIComponent(unit)}`;
}

/** Returns the name in a project's id: the part before its folder or engine. */
export const nameIn = (id: string): string => id.lastIndexOf("@") > 0 ? id.slice(0, id.lastIndexOf("@")) : id;
