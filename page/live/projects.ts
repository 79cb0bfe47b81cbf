/** Projects as the service tells them: one row each, and one in full. */
import { PROJECT, type ProjectDetail, PROJECTS, type Projects } from "../../client/berth/projects.ts";
import { seenUnit, type Unit } from "./overview.ts";
import { client } from "./session.ts";

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

/** Reads a project by its id, or by a name that only one has. */
export async function readProject(id: string, signal: AbortSignal): Promise<Project> {
  const told = (await client.get(PROJECT, { params: { id }, signal })).json();
  return { ...told, units: told.units.map(seenUnit) };
}

/** The address of a project's screen. */
export const projectHref = (id: string): string => `/p/${encodeURIComponent(id)}`;

/** The address of the screen that plans a project. */
export function planHref(id: string, action: "up" | "stop" | "restart" | "down" = "up"): string {
  return `${projectHref(id)}/plan${action === "up" ? "" : `?action=${action}`}`;
}

/** Returns the name in a project's id: the part before its folder or engine. */
export const nameIn = (id: string): string => id.lastIndexOf("@") > 0 ? id.slice(0, id.lastIndexOf("@")) : id;
