/** The name of each project in its workspace, and whether it is a group of its own. */

import type { Group, Place, Reference } from "../artifact.ts";
import type { GroupIdentity } from "../compose/group.ts";
import { projectName } from "../compose/names.ts";
import type { Project } from "../compose/project.ts";
import { sha256 } from "../files/sha256.ts";
import { type NativeGroup, type NativeUnit, requirements } from "../native/documents.ts";
import { isUnknown, scalarOf, textOf, writtenOr } from "../yaml/values.ts";
import { folderName, type PlannedProject } from "./plan.ts";

export interface Identified {
  readonly key: string;
  readonly project: Project;
  readonly identity: GroupIdentity;
  /** Equal texts: equal identities, as long as the files are the same. */
  readonly identityKey: string;
  readonly planned: PlannedProject;
}

interface Candidate {
  readonly planned: PlannedProject;
  readonly project: Project;
  readonly standing: Group["standing"];
  readonly wanted: string;
  readonly dockerName: string;
  readonly from: Group["projectFrom"];
}

/** The identity of every project that is a group; drawn groups come first. `saved` has the names that are known. */
export function identify(
  root: string,
  planned: readonly PlannedProject[],
  projects: ReadonlyMap<PlannedProject, Project>,
  units: readonly NativeUnit[],
  saved: ReadonlySet<string> = new Set(),
): Identified[] {
  const candidates = candidatesOf(root, planned, projects, saved);
  const names = namesOf(candidates);
  const byFile = new Map<string, Candidate>();
  for (const one of candidates) {
    for (const path of one.planned.spec.files) if (!byFile.has(path)) byFile.set(path, one);
  }
  const among: Among = {
    names,
    byFile,
    includers: includersOf(candidates, names, byFile),
    unitsOf: Map.groupBy(units.filter((unit) => unit.group !== null), groupNameOf),
  };
  return candidates.map((one) => {
    const identity = identityOf(one, among);
    const identityKey = keyOf(identity, one.planned.native);
    return { key: one.planned.key, project: one.project, identity, identityKey, planned: one.planned };
  });
}

/** The facts of other projects that the identity of one depends on. */
interface Among {
  readonly names: ReadonlyMap<Candidate, string>;
  readonly byFile: ReadonlyMap<string, Candidate>;
  readonly includers: ReadonlyMap<Candidate, ReadonlySet<string>>;
  readonly unitsOf: ReadonlyMap<string, readonly NativeUnit[]>;
}

function candidatesOf(
  root: string,
  planned: readonly PlannedProject[],
  projects: ReadonlyMap<PlannedProject, Project>,
  saved: ReadonlySet<string>,
): Candidate[] {
  const reached = reachedFiles(planned, projects);
  const candidates: Candidate[] = [];
  for (const one of planned) {
    const project = projects.get(one)!;
    const standing = standingOf(one, reached);
    if (standing === null || (project.files.length === 0 && !one.native)) continue;
    candidates.push(candidate(root, one, project, standing, saved));
  }
  return candidates.sort((a, b) => rank(a) - rank(b) || (pathOf(a) < pathOf(b) ? -1 : 1));
}

/** A name for each; the second of one name gets a hash of its path behind it. */
function namesOf(candidates: readonly Candidate[]): Map<Candidate, string> {
  const names = new Map<Candidate, string>();
  const taken = new Set<string>();
  for (const one of candidates) {
    const name = taken.has(one.wanted) ? `${one.wanted}~${shortHash(pathOf(one))}` : one.wanted;
    taken.add(name);
    names.set(one, name);
  }
  return names;
}

/** The ids of the groups that include each. */
function includersOf(
  candidates: readonly Candidate[],
  names: ReadonlyMap<Candidate, string>,
  byFile: ReadonlyMap<string, Candidate>,
): Map<Candidate, Set<string>> {
  const includers = new Map<Candidate, Set<string>>();
  for (const one of candidates) {
    if (one.standing === "variant") continue;
    for (const { path } of one.project.included) {
      const target = byFile.get(path);
      if (!target || target === one) continue;
      if (!includers.has(target)) includers.set(target, new Set());
      includers.get(target)!.add(`group:${names.get(one)!}`);
    }
  }
  return includers;
}

function groupNameOf({ group }: NativeUnit): string {
  return group!.written.replace(/^group:/, ""); // those without one were left out
}

function identityOf(one: Candidate, { names, byFile, includers, unitsOf }: Among): GroupIdentity {
  const name = names.get(one)!;
  const id = `group:${name}`;
  const { native } = one.planned;
  const source = native?.source ?? fileStart(one);
  const includes = one.project.included.flatMap(({ path, at }): Reference[] => {
    const target = byFile.get(path);
    if (!target || target === one) return [];
    return [{
      kind: "include",
      from: id,
      target: `group:${names.get(target)!}`,
      written: path,
      at,
      implicit: false,
      under: "include",
    }];
  });
  return {
    name,
    project: one.dockerName,
    projectFrom: one.from,
    standing: one.standing,
    includedBy: [...includers.get(one) ?? []].sort(),
    profiles: profilesOf(one),
    source,
    extent: native?.document ?? wholeFile(one, source),
    title: native?.title ?? null,
    description: native?.description ?? null,
    references: [...(native ? requirements(id, native.dependsOn) : []), ...includes],
    natives: one.standing === "main" ? unitsOf.get(name) ?? [] : [],
  };
}

function keyOf(identity: GroupIdentity, native: NativeGroup | null): string {
  return JSON.stringify([
    identity.name,
    identity.project,
    identity.standing,
    identity.includedBy,
    identity.profiles,
    identity.references.map((reference) => reference.target),
    native && [native.source.file.hash, native.source.start],
    identity.natives.map((unit) => [unit.source.file.hash, unit.source.start, unit.source.file.path]),
  ]);
}

/** Which files other projects include or extend. */
function reachedFiles(
  planned: readonly PlannedProject[],
  projects: ReadonlyMap<PlannedProject, Project>,
): { includes: Map<string, Set<PlannedProject>>; extends: Map<string, Set<PlannedProject>> } {
  const includes = new Map<string, Set<PlannedProject>>();
  const extended = new Map<string, Set<PlannedProject>>();
  const add = (map: Map<string, Set<PlannedProject>>, path: string, by: PlannedProject) => {
    if (by.spec.files.includes(path)) return;
    let set = map.get(path);
    if (!set) map.set(path, set = new Set());
    set.add(by);
  };
  for (const one of planned) {
    const project = projects.get(one)!;
    for (const { path } of project.included) add(includes, path, one);
    for (const path of project.extended) add(extended, path, one);
  }
  return { includes, extends: extended };
}

/** The standing of a project; null where it is only a part of others. */
function standingOf(
  one: PlannedProject,
  reached: { includes: Map<string, Set<PlannedProject>>; extends: Map<string, Set<PlannedProject>> },
): Group["standing"] | null {
  const path = one.spec.files[0];
  if (path === undefined) return "main";
  // Of two files that include each other, the first by path stays main. A variant is not drawn, so it includes nothing.
  const includers = [...reached.includes.get(path) ?? []].filter((by) =>
    !(by.besideCanonical && one.by === "canonical")
  ).filter((by) =>
    !reached.includes.get(by.spec.files[0] ?? "")?.has(one) || (by.spec.files[0] ?? "") < path
  );
  if (one.by !== "variant") return includers.length > 0 && one.by === "canonical" ? "included" : "main";
  const extenders = [...reached.extends.get(path) ?? []].filter((by) =>
    !reached.extends.get(by.spec.files[0] ?? "")?.has(one) || (by.spec.files[0] ?? "") < path
  );
  if (includers.length > 0 || extenders.length > 0) return null;
  return one.besideCanonical ? "variant" : "main";
}

function candidate(
  root: string,
  planned: PlannedProject,
  project: Project,
  standing: Group["standing"],
  saved: ReadonlySet<string>,
): Candidate {
  const folder = folderName(root, planned.spec.folder);
  const at = fileStart({ planned, project });
  const written = (text: string, by: Group["projectFrom"]["by"], place: Place, suffix = ""): Candidate => {
    const dockerName = projectName(text) || "unnamed";
    const wanted = planned.native?.name ?? dockerName + suffix;
    return { planned, project, standing, wanted, dockerName, from: { written: text, by, at: place } };
  };
  const variant = planned.variant === null ? "" : `-${projectName(planned.variant) || "variant"}`;
  const fromEnv = project.environment.get("COMPOSE_PROJECT_NAME");
  if (fromEnv) {
    for (const file of project.envFiles) {
      const document = file.documents[0];
      const entry = document?.kind === "mapping" ? document.entries.get("COMPOSE_PROJECT_NAME") : undefined;
      if (entry) return written(fromEnv, "env", entry.value, variant);
    }
  }
  const isUnset = isUnknown(project.name);
  // An unset variable is empty to Compose, too.
  const filled = isUnset ? String(scalarOf(project.name)?.value ?? "") : textOf(project.name);
  // A saved name is everybody's to see. An unsaved one must not turn a variable's value into a name.
  const isShown = project.name?.file.unsaved !== true || saved.has(projectName(filled ?? ""));
  const name = filled === null || isShown ? filled : writtenOr(project.name, filled);
  if (name && project.name && !(isUnset && projectName(name) === "")) {
    // A variant mostly repeats the name of its canonical file, so it gets a suffix.
    return written(name, "name", project.name, standing === "variant" ? variant : "");
  }
  if (planned.native && planned.spec.files.length === 0) {
    return written(planned.native.name, "native", planned.native.source);
  }
  return written(folder, "folder", at, variant);
}

function profilesOf({ planned, project }: Candidate): string[] {
  const active = (project.environment.get("COMPOSE_PROFILES") ?? "").split(",").map((name) => name.trim());
  return [...new Set([...planned.native?.profiles ?? [], ...active])].filter((name) => name !== "");
}

/** Drawn groups get their names first. */
function rank({ standing }: Candidate): number {
  return standing === "main" ? 0 : standing === "included" ? 1 : 2;
}

function pathOf({ planned }: Candidate): string {
  return planned.spec.files[0] ?? planned.native?.source.file.path ?? planned.spec.folder;
}

function shortHash(path: string): string {
  return sha256(path).slice(0, 8);
}

function fileStart({ planned, project }: { planned: PlannedProject; project: Project }): Place {
  const file = project.files[0];
  // Projects with neither were left out before.
  return file ? { file, start: 0, end: 0 } : planned.native!.source;
}

function wholeFile({ project }: Candidate, source: Place): Place {
  const file = project.files[0];
  return file ? { file, start: 0, end: file.text.length } : source;
}
