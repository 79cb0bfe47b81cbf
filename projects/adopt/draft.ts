/** Containers written down as projects, each read back and compared with what it was written from. */

import type { ArtifactFile, Group, Model } from "../../artifacts/artifact.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { realPath } from "../../artifacts/live/join.ts";
import type { ContainerRuntime, Holdings, InspectedContainer } from "../../core/runtime.ts";
import {
  type DiskSide,
  type EngineSide,
  engineViews,
  remembering,
  sourcesOnce,
  viewFor,
} from "../drift/views.ts";
import { differencesOf } from "../fields/table.ts";
import { resourceJson } from "../hash/resource_labels.ts";
import { type Part, partsNamed, partsOf } from "./parts.ts";
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
  /** Variables that go to `.env` although they do not look secret, as `web.SALT`. */
  readonly secrets?: ReadonlySet<string>;
  /** Reads texts as if they lay in the workspace. */
  readonly overlaid: (files: Readonly<Record<string, string>>) => Promise<Model>;
}

/** Containers to write down. With a name, all of them become one project of that name. */
export interface DraftWish {
  readonly name: string | undefined;
  readonly containers: readonly InspectedContainer[];
}

/** Writes all containers down together: the workspace is read once for all of them. */
export async function draftOf(wishes: readonly DraftWish[], source: DraftSource): Promise<DraftProject[]> {
  const parts = wishes.flatMap(({ name, containers }) =>
    name === undefined ? partsOf(containers) : partsNamed(name, containers)
  );
  const containers = wishes.flatMap((one) => one.containers);
  const backends = new Set(containers.map(({ backend }) => backend));
  const defaults = new Map<string, Defaults>();
  for (const backend of backends) defaults.set(backend, await source.runtime.engineDefaults(backend));
  const inputs = parts.map((part) => inputOf(part, defaults.get(part.backend)!, source)); // asked above
  let written = inputs.map(writeProject);
  let read = await readBack(written, source);
  const foreign = inputs.map((input, n) => changed(read[n]!, input)); // one of each
  if (foreign.some(({ size }) => size > 0)) {
    written = inputs.map((input, n) => writeProject({ ...input, foreign: foreign[n]! })); // as above
    read = await readBack(written, source);
  }
  const { model } = read[0]!; // no draft is without containers
  const engines = await engineViews(source.runtime, source.holdings, containers, model);
  const disk = { real: remembering(realPath), source: sourcesOnce(), digest: null, contents: new Map() };
  return await Promise.all(parts.map(async (part, n): Promise<DraftProject> => {
    const { services, leftOut, refused } = written[n]!; // one for each part
    const looked = { written: written[n]!, read: read[n]!, side: engines.of(part.backend), disk };
    return {
      name: part.name,
      backend: part.backend,
      services: part.containers.flatMap(({ id, name }) => {
        const service = services.get(id);
        return service === undefined ? [] : [{ container: name, id, service }];
      }),
      files: read[n]!.files,
      differences: await differencesLeft(part, looked, source),
      leftOut,
      refused,
    };
  }));
}

type Defaults = Awaited<ReturnType<ContainerRuntime["engineDefaults"]>>;

function inputOf({ name, backend, containers }: Part, defaults: Defaults, source: DraftSource) {
  const { runtime, holdings, names, self, secrets } = source;
  const onEngine = <T extends { readonly backend: string }>(list: readonly T[] | null) =>
    (list ?? []).filter((one) => one.backend === backend);
  return {
    name,
    kind: runtime.backends().find((one) => one.name === backend)?.kind ?? "docker",
    defaults,
    bare: defaults.bare,
    containers,
    networks: onEngine(holdings.networks),
    volumes: onEngine(holdings.volumes),
    nameOf: (id: string) => names.get(id),
    self,
    foreign: new Set<string>(),
    secrets,
  };
}

/** The texts of a project as berth reads them. */
interface ReadBack {
  readonly model: Model;
  /** Null where they cannot be read. */
  readonly group: Group | null;
  readonly files: readonly ArtifactFile[];
}

/** Reads all projects at once: each reading goes through the whole workspace. */
async function readBack(written: readonly WrittenProject[], { overlaid }: DraftSource): Promise<ReadBack[]> {
  // Folders that no workspace has: nothing that is there has a part in what is read.
  const root = `berth-draft-${crypto.randomUUID()}`;
  const texts = written.flatMap(({ files }, n) =>
    [...files].map(([path, text]) => [`${root}/${n}/${path}`, text] as const)
  );
  const model = await overlaid(Object.fromEntries(texts));
  const groups = new Map(model.groups.map((group) => [group.folder, group]));
  return written.map(({ files }, n) => {
    const folder = `${root}/${n}`;
    const own = groups.get(folder);
    const read = own === undefined ? [] : [...own.envFiles, ...own.files];
    return {
      model,
      group: own ?? null,
      files: [...files.keys()].flatMap((path) => {
        const file = read.find((one) => one.path === `${folder}/${path}`);
        return file === undefined ? [] : [{ ...file, path }];
      }),
    };
  });
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
  { containers }: Part,
  { written: { services }, read: { model, group }, side: engine, disk }: {
    readonly written: WrittenProject;
    readonly read: ReadBack;
    readonly side: EngineSide;
    readonly disk: DiskSide;
  },
  { names }: DraftSource,
): Promise<DraftDifference[]> {
  const side: EngineSide = {
    ...engine,
    neighbour: (id) => {
      const other = containers.find((one) => one.id === id || one.name === id);
      const name = other?.name ?? names.get(id);
      if (name === undefined) return undefined;
      return { service: (other && services.get(other.id)) ?? name, name };
    },
  };
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
