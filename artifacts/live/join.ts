/** Finds the group of a running Compose project. Labels hold paths as typed, so real paths are compared. */

import { withoutEnd } from "../../core/without_end.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import type { Group, Model } from "../artifact.ts";
import { mainGroups } from "../graph/graph.ts";
import type { Match } from "./live.ts";
import { mapped } from "./mapped_paths.ts";

/** The containers of one Compose project on one engine. */
export interface RunningProject {
  readonly project: string;
  readonly backend: string;
  readonly workingDir: string | null;
  readonly configFiles: readonly string[];
  /** Present for adopted containers. */
  readonly claim?: "certain" | "likely" | undefined;
  readonly containers: readonly RunningContainer[];
}

/** A running project, and the group it was found to belong to. */
export interface Joined {
  readonly running: RunningProject;
  readonly group: Group;
  readonly match: Match;
}

/** Running projects: those with a group, those that could belong to several, and the rest. */
export interface Joining {
  readonly joined: readonly Joined[];
  readonly ambiguous: readonly { readonly running: RunningProject; readonly groups: readonly Group[] }[];
  readonly strangers: readonly RunningProject[];
}

/** The real path, or null where there is none. Never part of an answer. */
export type RealPath = (path: string) => Promise<string | null>;

/** Looks on the disk. */
export const realPath: RealPath = async (path) => {
  try {
    return await Deno.realPath(path);
  } catch {
    return null;
  }
};

/**
 * Sorts containers by the project in their labels, and adopted ones by themselves: labels of a folder that is lost may
 * have the same project. One-off runs do not count.
 */
export function runningProjects(containers: readonly RunningContainer[]): RunningProject[] {
  const projects = new Map<string, RunningContainer[]>();
  for (const container of containers) {
    if (container.compose === null || isOneOff(container)) continue;
    const { project, claim, workingDir } = container.compose;
    const adopted = claim === undefined ? "" : `\0${claim}\0${workingDir}`;
    const key = `${container.backend}\0${project}${adopted}`;
    const same = projects.get(key);
    if (same) same.push(container);
    else projects.set(key, [container]);
  }
  return [...projects.values()].map(projectOf);
}

/** Makes a running project of containers with one project name on one engine; the first speaks for all. */
export function projectOf(containers: readonly RunningContainer[]): RunningProject {
  const { project, workingDir, configFiles, claim } = containers[0]!.compose!; // only labelled ones were taken
  return { project, backend: containers[0]!.backend, workingDir, configFiles, claim, containers };
}

/** Returns true for a run of one command, which stands for no unit. An adopted container is what berth says of it. */
export function isOneOff({ labels, compose }: RunningContainer): boolean {
  return compose?.claim === undefined && labels["com.docker.compose.oneoff"]?.toLowerCase() === "true";
}

/** The groups that a running project may be; null for a stranger. */
export type Candidates = { readonly groups: readonly Group[]; readonly match: Match } | null;

/** Candidates that hold as long as the labels of a project and the model do, apart from links on the disk. */
export interface KnownCandidates {
  /** Undefined where they have to be found anew. */
  get(running: RunningProject): Candidates | undefined;
  set(running: RunningProject, found: Candidates): void;
}

/** Joins running projects with the groups of a workspace, by the strongest evidence. */
export async function join(
  model: Model,
  projects: readonly RunningProject[],
  real: RealPath = realPath,
  known?: KnownCandidates,
): Promise<Joining> {
  const find = finder(model, real);
  const joined: Joined[] = [];
  const ambiguous: { running: RunningProject; groups: Group[] }[] = [];
  const strangers: RunningProject[] = [];
  const candidates = async (running: RunningProject): Promise<Candidates> => {
    const remembered = known?.get(running);
    const found = remembered === undefined ? await find(running) : remembered;
    if (remembered === undefined) known?.set(running, found);
    return found;
  };
  for (const whole of projects) {
    for (const { running, found } of await byGroups(whole, candidates)) {
      if (found === null) strangers.push(running);
      else if (found.groups.length === 1) {
        joined.push({ running, group: found.groups[0]!, match: found.match });
      } else ambiguous.push({ running, groups: [...found.groups] });
    }
  }
  return { joined, ambiguous, strangers };
}

interface Part {
  readonly running: RunningProject;
  readonly found: Candidates;
}

/** Splits a running project whose containers were started from the files of several groups. */
async function byGroups(
  whole: RunningProject,
  candidates: (running: RunningProject) => Promise<Candidates>,
): Promise<Part[]> {
  const origins = Map.groupBy(whole.containers, originOf);
  if (origins.size === 1) return [{ running: whole, found: await candidates(whole) }];
  const parts = new Map<string, { readonly containers: RunningContainer[]; readonly found: Candidates }>();
  for (const containers of origins.values()) {
    const found = await candidates(projectOf(containers));
    const key = found === null ? "" : found.groups.map(({ id }) => id).sort().join("\0");
    const same = parts.get(key);
    // A copy: who remembers the candidates keeps the containers that they were found for.
    if (same === undefined) parts.set(key, { containers: [...containers], found });
    else same.containers.push(...containers);
  }
  if (parts.size === 1) return [...parts.values()].map(({ found }) => ({ running: whole, found }));
  return [...parts.values()].map(({ containers, found }) => ({ running: projectOf(containers), found }));
}

/** By container: every look asks for that of each. */
const knownOrigins = new WeakMap<RunningContainer, string>();

/** Names the folder and files that a container was started from, as its labels say. */
function originOf(container: RunningContainer): string {
  let origin = knownOrigins.get(container);
  if (origin === undefined) {
    const { workingDir, configFiles } = container.compose!; // only labelled ones were taken
    knownOrigins.set(container, origin = [workingDir ?? "", ...configFiles].join("\0"));
  }
  return origin;
}

/** Returns what finds the candidates of a running project; each path is looked at once, and only if it decides. */
function finder(model: Model, real: RealPath): (running: RunningProject) => Promise<Candidates> {
  const known = new Map<string, Promise<string | null>>();
  const resolve = (path: string): Promise<string | null> => {
    let found = known.get(path);
    if (found === undefined) known.set(path, found = real(path));
    return found;
  };
  return async (running) => {
    const index = indexOf(model);
    const { configFiles, workingDir } = running;
    const folderOf = async () => workingDir === null ? null : await locate(model, workingDir, resolve);
    if (running.claim !== undefined) return claimed(index, running, running.claim, await folderOf());
    const named = namedBySettings(model, index, running);
    if (named !== null) return named;
    const files = await Promise.all(
      configFiles.slice(0, 50).map((file) => locate(model, absolute(file, workingDir), resolve)),
    );
    const ofFiles = namedByFiles(index, running, files);
    if (ofFiles !== null) return ofFiles;
    return namedByFolder(index, running, files, await folderOf());
  };
}

interface Index {
  readonly byFile: ReadonlyMap<string, readonly Group[]>;
  readonly byFolder: ReadonlyMap<string, readonly Group[]>;
  readonly byProject: ReadonlyMap<string, readonly Group[]>;
  readonly byName: ReadonlyMap<string, Group>;
}

/** A model is never changed once it was read. */
const indexes = new WeakMap<Model, Index>();

function indexOf(model: Model): Index {
  let index = indexes.get(model);
  if (index === undefined) indexes.set(model, index = newIndex(model));
  return index;
}

function newIndex(model: Model): Index {
  const groups = mainGroups(model).filter((group) => group.value !== null);
  const byFile = new Map<string, Group[]>();
  const byFolder = new Map<string, Group[]>();
  const byProject = new Map<string, Group[]>();
  const byName = new Map<string, Group>();
  const add = (map: Map<string, Group[]>, key: string, group: Group) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [group]);
    else if (!list.includes(group)) list.push(group);
  };
  const isMain = new Set(groups);
  for (const group of groups) {
    for (const file of group.files) add(byFile, below(model.root, file.path), group);
    add(byFolder, below(model.root, group.folder), group);
    add(byProject, group.project, group);
    byName.set(group.name, group);
  }
  // A variant beside a canonical file was started in that file's place.
  for (const variant of model.groups) {
    if (isMain.has(variant)) continue;
    const owners = variant.standing === "variant"
      ? byFolder.get(below(model.root, variant.folder)) ?? []
      : variant.includedBy.flatMap((id) => groups.filter((group) => group.id === id));
    for (const file of variant.files) {
      if (byFile.has(below(model.root, file.path))) continue;
      for (const owner of owners) add(byFile, below(model.root, file.path), owner);
    }
  }
  return { byFile, byFolder, byProject, byName };
}

/** A folder that was moved, or a project of another name, is not what was adopted. */
function claimed(
  { byFolder }: Index,
  { project }: RunningProject,
  confidence: Match["confidence"],
  folder: string | null,
): Candidates {
  const inFolder = folder === null ? [] : byFolder.get(folder) ?? [];
  const groups = inFolder.filter((group) => group.project === project);
  return groups.length === 0 ? null : { groups, match: { by: "claim", confidence } };
}

function namedBySettings({ settings }: Model, { byName }: Index, { project }: RunningProject): Candidates {
  const set = settings.projects.get(project);
  const named = set === undefined ? undefined : byName.get(set);
  return named === undefined ? null : { groups: [named], match: { by: "settings", confidence: "certain" } };
}

function namedByFiles(
  { byFile }: Index,
  { project }: RunningProject,
  files: readonly (string | null)[],
): Candidates {
  const votes = new Map<Group, number>();
  for (const file of files) {
    for (const group of file === null ? [] : byFile.get(file) ?? []) {
      votes.set(group, (votes.get(group) ?? 0) + 1);
    }
  }
  if (votes.size === 0) return null;
  const most = Math.max(...votes.values());
  const best = [...votes].filter(([, count]) => count === most).map(([group]) => group);
  return { groups: prefer(best, project), match: { by: "configFiles", confidence: "certain" } };
}

function namedByFolder(
  { byFolder, byProject }: Index,
  { project }: RunningProject,
  files: readonly (string | null)[],
  folder: string | null,
): Candidates {
  const inFolder = folder === null ? [] : byFolder.get(folder) ?? [];
  const both = inFolder.filter((group) => group.project === project);
  if (both.length > 0) return { groups: both, match: { by: "workingDirAndProject", confidence: "certain" } };
  if (inFolder.length > 0) return { groups: inFolder, match: { by: "workingDir", confidence: "likely" } };
  const sameName = byProject.get(project) ?? [];
  // Labels with existing paths elsewhere mean another project of the same name.
  const elsewhere = [folder, ...files].some((path) => path !== null);
  if (sameName.length === 0 || elsewhere) return null;
  return { groups: sameName, match: { by: "project", confidence: "guess" } };
}

function prefer(groups: readonly Group[], project: string): readonly Group[] {
  if (groups.length < 2) return groups;
  const same = groups.filter((group) => group.project === project);
  return same.length > 0 ? same : groups;
}

/** The real path of a label, with the path settings applied; null where it does not exist. */
async function locate(model: Model, path: string, real: RealPath): Promise<string | null> {
  return await real(mapped(model, path));
}

const absolute = (path: string, workingDir: string | null): string =>
  /^([/\\]|[A-Za-z]:)/.test(path) || workingDir === null ? path : `${withoutEnd(workingDir, "/")}/${path}`;

/** The absolute path of one below the root. */
export const below = (root: string, path: string): string =>
  path === "" ? root : `${root === "/" ? "" : root}/${path}`;
