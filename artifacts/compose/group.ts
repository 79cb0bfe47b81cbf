/** Makes a group with its units out of a merged project. */

import type {
  ArtifactFile,
  Entry,
  Finding,
  Group,
  Mapping,
  Node,
  Place,
  Reference,
  Resource,
  Unit,
} from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import type { FileStore } from "../files/file_store.ts";
import { outsideFinding } from "../files/findings.ts";
import { annotated, type NativeUnit, unitOf } from "../native/documents.ts";
import { entriesOf, valueAt } from "../yaml/values.ts";
import { withFiles } from "./env_files.ts";
import { PathLookup } from "./path_uses.ts";
import type { Project } from "./project.ts";
import { type ProjectNames, referencesOf } from "./references.ts";
import { defaultNetwork, readResources } from "./resources.ts";
import { readService } from "./service.ts";

/** The workspace's additions to a project: its name, and the words of native documents. */
export interface GroupIdentity {
  readonly name: string;
  readonly project: string;
  readonly projectFrom: Group["projectFrom"];
  readonly standing: Group["standing"];
  readonly includedBy: readonly string[];
  readonly profiles: readonly string[];
  readonly source: Place;
  readonly extent: Place;
  readonly title: string | null;
  readonly description: string | null;
  /** `spec.dependsOn` of a `kind: Group`, and `include`, with the ids they mean. */
  readonly references: readonly Reference[];
  /** `kind: Unit` documents of this group: they annotate a service, or are units beside them. */
  readonly natives: readonly NativeUnit[];
}

export interface Built {
  readonly group: Group;
  readonly needed: ReadonlySet<string>;
}

export async function buildGroup(
  store: FileStore,
  project: Project,
  identity: GroupIdentity,
): Promise<Built> {
  const id = `group:${identity.name}`;
  const value = project.value;
  const lookup = new PathLookup(store, project.spec.folder, project.bases);
  const resources = value ? readResources(value, identity.name, identity.project, project.variable) : [];
  const units: Unit[] = [];
  if (value) {
    const ids = new Map(resources.map((resource) => [`${resource.kind}:${resource.key}`, resource.id]));
    const services = value.entries.get("services")?.value;
    const names: ProjectNames = {
      group: identity.name,
      resource: (kind, key) => ids.get(`${kind}:${key}`) ?? `${kind}:${identity.name}.${key}`,
      defines: (kind, key) => kind === "unit" ? valueAt(services, key) !== null : ids.has(`${kind}:${key}`),
    };
    for (const [name, entry] of entriesOf(services)) {
      await yieldToEventLoop();
      units.push(await unit(lookup, name, entry, identity, names, project));
    }
    addDefaultNetwork(resources, units, identity, value);
  }
  for (const native of identity.natives) {
    const at = units.findIndex((one) => one.label === native.name && one.service !== null);
    if (at === -1) units.push(unitOf(native, identity.name));
    else units[at] = annotated(units[at]!, native);
  }
  const paths = await lookup.ofResources(resources);
  const group: Group = {
    kind: "group",
    id,
    name: identity.name,
    project: identity.project,
    projectFrom: identity.projectFrom,
    title: identity.title,
    description: identity.description,
    folder: project.spec.folder,
    standing: identity.standing,
    includedBy: identity.includedBy,
    files: project.files,
    sources: project.sources,
    envFiles: project.envFiles,
    includedEnvFiles: project.includedEnvFiles,
    bases: project.sources.filter((file) =>
      project.extended.has(file.path) && !project.files.includes(file) &&
      !project.included.some(({ path }) => path === file.path)
    ),
    profiles: identity.profiles,
    source: identity.source,
    extent: identity.extent,
    value,
    units,
    resources,
    references: identity.references,
    paths,
    incomplete: project.incomplete,
    findings: [...project.findings, ...units.flatMap(escapes)],
  };
  return { group, needed: new Set([...project.needed, ...lookup.needed]) };
}

/** Findings for files that Compose would read and berth does not. */
function escapes(unit: Unit): Finding[] {
  return unit.paths.filter(({ kind, found }) =>
    found === "outside" && (kind === "env_file" || kind === "label_file")
  )
    .map(({ written, at }) => outsideFinding(written, at, { subject: unit.id }));
}

async function unit(
  lookup: PathLookup,
  name: string,
  entry: Entry,
  identity: GroupIdentity,
  names: ProjectNames,
  { variable }: Project,
): Promise<Unit> {
  const qualified = `${identity.name}.${name}`;
  const id = `unit:${qualified}`;
  const value = entry.value;
  const service = readService(value, identity.profiles, variable);
  const paths = await lookup.ofService(id, value, service);
  return {
    kind: "unit",
    id,
    name: qualified,
    label: name,
    group: `group:${identity.name}`,
    source: entry.key,
    extent: extentOf(name, entry),
    type: "service",
    title: null,
    description: null,
    value,
    service: withFiles(service, value, paths, (name) => variable(name, entry.key)),
    annotation: null,
    container: null,
    references: referencesOf(id, value, service, names, entry.key),
    paths,
  };
}

/** The whole service where it is first defined, also when its value comes from another file. */
function extentOf(name: string, entry: Entry): Place {
  const { file, start } = entry.key;
  if (entry.value.file === file) return { file, start, end: Math.max(entry.value.end, entry.key.end) };
  const written = writtenIn(file, name);
  return { file, start, end: written ? Math.max(written.end, entry.key.end) : entry.key.end };
}

function writtenIn(file: ArtifactFile, name: string): Node | null {
  for (const document of file.documents) {
    const service = valueAt(valueAt(document, "services"), name);
    if (service) return service;
  }
  return null;
}

function addDefaultNetwork(
  resources: Resource[],
  units: readonly Unit[],
  identity: GroupIdentity,
  value: Mapping,
): void {
  if (resources.some((resource) => resource.kind === "network" && resource.key === "default")) return;
  const isUsed = units.some((one) =>
    one.service?.networkMode === null &&
    one.references.some((reference) => reference.target === `network:${identity.name}.default`)
  );
  const at = value.entries.get("services")?.key ?? identity.source;
  if (isUsed) resources.push(defaultNetwork(at, identity.name, identity.project));
}
