/** The permissions of a step: what its request to the engine would reach, each on a subject. */

import type { ArtifactFile, Place, Resource } from "../../artifacts/artifact.ts";
import { locationOf } from "../../artifacts/position.ts";
import { valueAt } from "../../artifacts/yaml/values.ts";
import { containerNeeds } from "../../core/container_needs.ts";
import type { Command } from "../../core/engine_acts.ts";
import { buildNeeds, commandNeeds, networkNeeds, volumeNeeds } from "../../core/object_needs.ts";
import type { RuntimeAct } from "../../core/runtime.ts";
import type { SpecFacts, SpecNeed } from "../../core/spec_rows.ts";
import type { Build } from "../builds/build_spec.ts";
import { placeOf } from "../builds/prepared.ts";
import type { Declared } from "../fields/field.ts";
import { mountPlaces } from "../fields/mounts.ts";
import { FIELDS } from "../fields/table.ts";
import { projectOf } from "../hash/labels.ts";
import { resourceLabels } from "../hash/resource_labels.ts";
import { isPlaceholder, placeholderOf, plannedSpec } from "../specs/container_spec.ts";
import { specFacts } from "../specs/facts.ts";
import { isInGroup } from "../../artifacts/graph/own_folder.ts";
import { networkSpec, volumeSpec } from "../specs/resource_specs.ts";
import type { Need } from "./plan_shape.ts";
import { declaredOf, type Scene } from "./scene.ts";

/** The parts of a scene that name the subject of a need. */
interface SubjectScene {
  readonly backend: { readonly name: string };
  /** Null for what belongs to none. */
  readonly workspace: { readonly id: string | null };
  readonly group: { readonly project: string };
}

const onProject = ({ backend, workspace, group }: SubjectScene): Need["subject"] => ({
  engine: backend.name,
  workspace: workspace.id,
  project: group.project,
});

/** Acts on the project's own containers, networks and volumes. */
export const applying = (scene: SubjectScene): Need => ({
  permission: "projects:apply",
  subject: onProject(scene),
});

/** The same act, done alone, to an object of the engine or of another project. */
export const acting = (
  scene: Pick<Scene, "runtime"> & Pick<SubjectScene, "backend">,
  act: RuntimeAct,
  project: string | null,
): Need => ({
  permission: scene.runtime.permissionFor(act),
  subject: { engine: scene.backend.name, workspace: null, project },
});

/** The removal of containers that the files no longer name. */
export const removing = (scene: SubjectScene & Pick<Scene, "runtime">): Need => ({
  permission: scene.runtime.permissionFor("removeContainer"),
  subject: onProject(scene),
});

/** The run of a hook. */
export const runningCommand = (scene: Scene, hook: Partial<Command>, at: Place): Need[] => [
  applying(scene),
  { permission: scene.runtime.permissionFor("runCommand"), subject: onProject(scene) },
  ...commandNeeds(hook).map((one) => needOf(scene, one, at)),
];

/** The removal of the project's data. */
export const destroying = (scene: Scene): Need => ({
  permission: "projects:destroy",
  subject: onProject(scene),
});

/** A new network or volume of the project. */
export function makingResource(
  scene: Scene,
  kind: "network" | "volume",
  resource: Resource,
  name: string,
): Need[] {
  const labels = resourceLabels(scene.group, { ...resource, kind }, "");
  const found = kind === "network"
    ? networkNeeds(networkSpec(resource, name, labels))
    : volumeNeeds(volumeSpec(resource, name, labels));
  const at = (field: string) => valueAt(resource.value, ...field.split(".")) ?? resource.at;
  return [applying(scene), ...found.map((one) => needOf(scene, one, at(one.field)))];
}

/** An image that is built for a unit. */
export function building(scene: Scene, { model, group, unit }: Declared, build: Build, at: Place): Need[] {
  const isOwn = build.dockerfile === null || isInGroup(model, group, build.dockerfile);
  const place = isOwn ? placeOf(model, group, build.context) : "workspace";
  const found = buildNeeds(build.spec, place, scene.backend.kind);
  const written = (field: string) => valueAt(unit.value, ...field.split(".")) ?? at;
  return [acting(scene, "buildImage", null), ...found.map((one) => needOf(scene, one, written(one.field)))];
}

/** A new container of a unit. */
export function making(scene: Scene, of: Declared): Need[] {
  const found = containerNeeds(plannedSpec(of), factsOf(scene)).flatMap((one) => {
    // A network or volume that the caller does not see blocks the plan.
    const owner = ownerOf(scene, one);
    return owner === "unseen" ? [] : [needOf(scene, one, placeOfField(of, one.field), owner)];
  });
  return [
    ...new Map([applying(scene), ...found, ...readingNeeds(scene, of)].map((one) => [keyOf(one), one]))
      .values(),
  ];
}

const keyOf = ({ permission, subject, field }: Need): string => JSON.stringify([permission, subject, field]);

const facts = new WeakMap<Scene, SpecFacts>();

/** Returns the facts by which all containers of a plan are judged. */
function factsOf(scene: Scene): SpecFacts {
  const known = facts.get(scene);
  if (known !== undefined) return known;
  const units = new Map(scene.group.units.map((unit) => [placeholderOf(unit.label), unit]));
  const specs = new Map<string, ReturnType<SpecFacts["specOf"]>>();
  const made = specFacts({
    group: scene.group,
    engine: scene.backend.name,
    holdings: scene.holdings,
    places: scene.places,
    isOwnContainer: isPlaceholder,
    specOf: (container) => {
      const known = specs.get(container);
      if (known !== undefined) return known;
      const of = declaredOf(scene.model, scene.group, units.get(container));
      const spec = of === null ? null : plannedSpec(of);
      specs.set(container, spec);
      return spec;
    },
  });
  facts.set(scene, made);
  return made;
}

/** Returns the project that owns the network or volume of a need; null for none. */
function ownerOf(scene: Scene, { right, name }: SpecNeed): string | null | "unseen" {
  if (name === undefined) return null;
  const held = (right === "network" ? scene.holdings.networks : scene.holdings.volumes).find((one) =>
    one.name === name && one.backend === scene.backend.name
  );
  if (held === undefined || !scene.sees.resource(held.labels)) return "unseen";
  return projectOf(held.labels);
}

/** Returns the need as a permission on its subject; `owner` is the project of another's network or volume. */
export function needOf(
  scene: SubjectScene & Pick<Scene, "runtime">,
  { right, field, why }: SpecNeed,
  at: Place,
  owner: string | null = null,
): Need {
  const more = { field, why, at: locationOf(at) };
  if (right === "network") return { ...acting(scene, "useNetwork", owner), ...more };
  if (right === "volume") return { ...acting(scene, "useVolume", owner), ...more };
  const subject = onProject(scene);
  return right === "host"
    ? { permission: "projects:host", subject, ...more }
    : { permission: "projects:apply", subject: { ...subject, project: null }, ...more };
}

/**
 * Files of other folders that the unit is read from: their texts become part of the container. A link counts as the
 * file that was read through it.
 */
export function readingNeeds(
  scene: SubjectScene & Pick<Scene, "runtime">,
  of: Declared,
): Need[] {
  const { model, group, unit } = of;
  const through = ({ path, leadsTo }: ArtifactFile) => leadsTo ?? path;
  const read = [
    ...group.sources.map((file) => ({ path: through(file), field: "include", at: unit.source })),
    ...[...group.envFiles, ...group.includedEnvFiles].map((file) => ({
      path: through(file),
      field: "env_file",
      at: unit.source,
    })),
    ...unit.paths.flatMap(({ kind, path, file, at }) =>
      ["env_file", "label_file", "seccomp"].includes(kind) && path !== null
        ? [{ path: file === undefined ? path : through(file), field: kind, at }]
        : []
    ),
  ];
  return read.filter(({ path }) => !isInGroup(model, group, path)).map(({ path, field, at }) =>
    needOf(
      scene,
      { right: "workspace", field, why: `reads "${path}" outside of the project's own folder` },
      at,
    )
  );
}

/** Fields that a spec judges under a name of their own → the rows of the table that ask for them. */
const ROW_OF: Readonly<Record<string, string>> = { links: "networks", driverOptions: "networks" };

/** Returns the place of the field in the files; the unit's own if it is not written there. */
export function placeOfField(of: Declared, field: string): Place {
  const target = /^mounts\.(.*)$/s.exec(field)?.[1];
  const mount = target === undefined ? undefined : mountPlaces(of).get(target);
  if (mount !== undefined) return mount;
  const key = ROW_OF[field] ?? field;
  const row = FIELDS.find((one) => key === one.key || key.startsWith(`${one.key}.`));
  return row?.at(of) ?? of.unit.source;
}
