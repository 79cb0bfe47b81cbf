/** Containers written down as projects, each read back and compared with what it was written from. */

import type { ArtifactFile, Group, Model } from "../../artifacts/artifact.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { realPath } from "../../artifacts/live/join.ts";
import type { ContainerRuntime, Holdings, InspectedContainer } from "../../core/runtime.ts";
import { type EngineSide, engineViews, remembering, sourcesOnce, viewFor } from "../drift/views.ts";
import { differencesOf } from "../fields/table.ts";
import { resourceJson } from "../hash/resource_labels.ts";
import { type Part, partsOf } from "./parts.ts";
import type { LeftOut } from "./left_out.ts";
import { writeProject, type WrittenProject } from "./write_project.ts";

/** A difference that is left between a container and its text; both values are masked. */
interface DraftDifference {
  readonly container: string;
  readonly field: string;
  readonly declared: string;
  readonly actual: string;
}

/** One project as it would be written. */
export interface DraftProject {
  readonly name: string;
  readonly backend: string;
  readonly services: readonly { readonly container: string; readonly id: string; readonly service: string }[];
  readonly files: readonly ArtifactFile[];
  readonly differences: readonly DraftDifference[];
  readonly leftOut: readonly LeftOut[];
  readonly refused: readonly { readonly container: string; readonly why: string }[];
}

/** The parts of a berth that a draft needs. */
interface DraftSource {
  readonly runtime: ContainerRuntime;
  /** The networks, volumes and images that the caller may see. */
  readonly holdings: Holdings;
  /** The names of the containers that the caller may see, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** The container that berth itself runs in. */
  readonly self: string | null;
  /** Reads texts as if they lay in the workspace. */
  readonly overlaid: (files: Readonly<Record<string, string>>) => Promise<Model>;
}

/** Writes the containers down. With a name, all of them become one project of that name. */
export async function draftOf(
  containers: readonly InspectedContainer[],
  name: string | undefined,
  source: DraftSource,
): Promise<DraftProject[]> {
  const backends = new Set(containers.map(({ backend }) => backend));
  const parts = name === undefined ? partsOf(containers) : [...backends].map((backend) => ({
    name,
    backend,
    containers: containers.filter((one) => one.backend === backend),
  }));
  const drafts: DraftProject[] = [];
  for (const part of parts) drafts.push(await draftPart(part, source)); // each asks the engine and the disk
  return drafts;
}

async function draftPart(part: Part, source: DraftSource): Promise<DraftProject> {
  const { runtime, holdings, names } = source;
  const { name, backend, containers } = part;
  const onEngine = <T extends { readonly backend: string }>(list: readonly T[] | null) =>
    (list ?? []).filter((one) => one.backend === backend);
  const held = { networks: onEngine(holdings.networks), volumes: onEngine(holdings.volumes) };
  const input = {
    name,
    kind: runtime.backends().find((one) => one.name === backend)?.kind ?? "docker",
    defaults: await runtime.engineDefaults(backend),
    containers,
    ...held,
    nameOf: (id: string) => names.get(id),
    self: source.self,
    foreign: new Set<string>(),
  };
  let written = writeProject(input);
  let read = await readBack(written, source);
  const foreign = changed(read, held);
  if (foreign.size > 0) {
    written = writeProject({ ...input, foreign });
    read = await readBack(written, source);
  }
  const { services, leftOut, refused } = written;
  return {
    name,
    backend,
    services: containers.flatMap(({ id, name }) => {
      const service = services.get(id);
      return service === undefined ? [] : [{ container: name, id, service }];
    }),
    files: read.files,
    differences: await differencesLeft(part, written, read, source),
    leftOut,
    refused,
  };
}

/** The texts as berth reads them. */
interface ReadBack {
  readonly model: Model;
  /** Null where they cannot be read. */
  readonly group: Group | null;
  readonly files: readonly ArtifactFile[];
}

async function readBack({ files }: WrittenProject, { overlaid }: DraftSource): Promise<ReadBack> {
  // A folder that no workspace has: nothing that is there has a part in what is read.
  const folder = `berth-draft-${crypto.randomUUID()}`;
  const model = await overlaid(
    Object.fromEntries([...files].map(([path, text]) => [`${folder}/${path}`, text])),
  );
  const own = model.groups.find((group) => group.folder === folder);
  const read = own === undefined ? [] : [...own.envFiles, ...own.files];
  return {
    model,
    group: own ?? null,
    files: [...files.keys()].flatMap((path) => {
      const file = read.find((one) => one.path === `${folder}/${path}`);
      return file === undefined ? [] : [{ ...file, path }];
    }),
  };
}

interface Labelled {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the project's own networks and volumes that Compose would make anew from the text. */
function changed(
  read: ReadBack,
  { networks, volumes }: { readonly networks: readonly Labelled[]; readonly volumes: readonly Labelled[] },
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const resource of read.group?.resources ?? []) {
    if (resource.external || resource.name === null) continue;
    const list = resource.kind === "network" ? networks : resource.kind === "volume" ? volumes : [];
    const hash = list.find(({ name }) => name === resource.name)?.labels["com.docker.compose.config-hash"];
    const json = hash === undefined ? null : resourceJson(resource);
    if (typeof json === "string" && sha256(json) !== hash) found.add(resource.name);
  }
  return found;
}

async function differencesLeft(
  { backend, containers }: Part,
  { services }: WrittenProject,
  read: ReadBack,
  { runtime, holdings, names }: DraftSource,
): Promise<DraftDifference[]> {
  const { model, group } = read;
  const engine = (await engineViews(runtime, holdings, containers, model))(backend);
  const side: EngineSide = {
    ...engine,
    neighbour: (id) => {
      const other = containers.find((one) => one.id === id || one.name === id);
      const name = other?.name ?? names.get(id);
      if (name === undefined) return undefined;
      return { service: (other && services.get(other.id)) ?? name, name };
    },
  };
  const disk = { real: remembering(realPath), source: sourcesOnce(), digest: null, contents: new Map() };
  const found: DraftDifference[] = [];
  for (const container of containers) {
    const label = services.get(container.id);
    if (label === undefined) continue; // it was refused
    const unit = group?.units.find((one) => one.label === label);
    if (group === null || !unit?.service) {
      const left = { field: "service", declared: "(not read)", actual: label };
      found.push({ container: container.name, ...left });
      continue;
    }
    const of = { model, group, unit, service: unit.service };
    for (
      const { field, declared, seen } of differencesOf(
        of,
        container,
        await viewFor(of, container, side, disk),
      )
    ) {
      found.push({ container: container.name, field, declared, actual: seen });
    }
  }
  return found;
}
