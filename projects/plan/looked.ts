/** The inputs of a plan, thing by thing, so that it can be refused when anything moved, and say what. */

import { stacksNamed } from "../../artifacts/compose/swarm_target.ts";
import type { Group, Model, Node } from "../../artifacts/artifact.ts";
import type { HeldNetwork } from "../../core/held_objects.ts";
import type { Digest } from "../fields/engine_view.ts";
import { mountedImages } from "../fields/mount_sources.ts";
import { fullImage } from "../fields/process.ts";
import { projectOf } from "../hash/labels.ts";
import type { Scene } from "./scene.ts";

/** A digest of each thing, under the words that name it. */
export interface Looked {
  /** Digests of the group's own text, under an empty key, and of each other file that counts. */
  readonly declared: Readonly<Record<string, string>>;
  /** The files that say it: they are named when that changed. */
  readonly sources: Readonly<Record<string, string>>;
  /** Containers, networks, volumes and images. Health and times are left out: they move by themselves. */
  readonly observed: Readonly<Record<string, string>>;
}

export function lookedAt(scene: Scene): Looked {
  return { declared: declaredNow(scene), sources: sourcesOf(scene.group), observed: observed(scene) };
}

/** Returns the hashes of the files that a group is read from. */
export const sourcesOf = (group: Group): Record<string, string> =>
  Object.fromEntries([...group.sources, ...group.envFiles].map(({ path, hash }) => [`file ${path}`, hash]));

/** Returns the digests of what the files say now. */
export function declaredNow(
  { model, group, digest, contents }: Pick<Scene, "model" | "group" | "digest" | "contents">,
) {
  return Object.fromEntries([
    ["", saidOf(group, digest)],
    ...settingsOf(model, group, digest),
    ...filesOf(group),
    ...[...contents].map(([id, one]) => [id.replace(/:.*\./, " "), one] as const),
  ]);
}

const SETTINGS = "file berth.yaml";

/** The parts of berth.yaml that say which containers are the group's, and what the engine is asked to mount for it. */
function settingsOf(
  { settings }: Model,
  group: Group,
  digest: Digest,
): readonly (readonly [string, string])[] {
  const mountsOwn = group.units.some((unit) =>
    unit.paths.some((one) => one.kind === "bind" && one.path !== null)
  );
  const paths = mountsOwn ? settings.paths : [];
  // A name of its own that is joined with another group is no longer the group's.
  const projects = [...settings.projects].filter(([name, of]) => of === group.name || name === group.project);
  const joined = stacksNamed(settings, group);
  const stacks = [...settings.stacks].filter(([name]) => joined.includes(name) || name === group.project);
  if (paths.length === 0 && projects.length === 0 && stacks.length === 0) return [];
  return [[SETTINGS, digest(JSON.stringify([paths, projects, stacks]))]];
}

/**
 * Returns true if files still say what a plan's digest was made of. With `mayBeOlder` the plan may be one of the version
 * before, which counted no settings.
 */
export function isStillDeclared(
  scene: Pick<Scene, "model" | "group" | "digest" | "contents">,
  declared: string,
  mayBeOlder: boolean,
): boolean {
  const now = declaredNow(scene);
  const { [SETTINGS]: _, ...older } = now;
  return digestOf(now, scene.digest) === declared || mayBeOlder && digestOf(older, scene.digest) === declared;
}

/** A digest that was made of a group, and by what. */
interface Said {
  readonly digest: Digest;
  readonly text: string;
}

const said = new WeakMap<Group, Said>();

/** Returns the digest of the merged and interpolated files of the group. */
function saidOf(group: Group, digest: Digest): string {
  const known = said.get(group);
  if (known?.digest === digest) return known.text;
  const value = group.value === null ? null : plain(group.value);
  const text = digest(JSON.stringify([group.project, group.profiles, value]));
  said.set(group, { digest, text });
  return text;
}

function plain(node: Node): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return [...node.entries].map(([key, { value }]) => [key, plain(value)]);
}

/** The files that units name: those that are read, and whether the others are there. */
const filesOf = (group: Group): (readonly [string, string])[] =>
  group.units.flatMap((unit) =>
    unit.paths.map(({ kind, written, found, file }) =>
      [`${kind} ${written}`, JSON.stringify([found, file?.hash ?? null])] as const
    )
  );

function observed(
  { backend, members, leftovers, orphans, holdings, places, group, digest }: Scene,
): Record<string, string> {
  const containers = [
    ...[...members.values()].flat().map(({ container }) => container),
    ...[...leftovers.values()].flat(),
    ...orphans,
  ];
  const strangers = (users: HeldNetwork["users"]) =>
    users.filter(({ project }) => project !== group.project).map(({ id }) => id).sort();
  const names = new Set(group.resources.map(({ name }) => name));
  const images = new Set(containers.map(({ image }) => fullImage(image)));
  for (const { service } of group.units) {
    if (service?.image) images.add(fullImage(service.image));
    for (const { name } of service === null ? [] : mountedImages(service)) images.add(fullImage(name));
  }
  const here = <T extends { readonly backend: string }>(list: readonly T[]) =>
    list.filter((one) => one.backend === backend.name);
  const found: [string, unknown][] = [
    ["engine", backend.name],
    ...[...places].map(([source, { place, path }]): [string, unknown] => [`path ${source}`, [place, path]]),
    ...containers.map(({ id, name, state, imageId, labels }): [string, unknown] => [
      `container ${name}`,
      [id, state === "running", imageId, Object.entries(labels).sort()],
    ]),
    ...here(holdings.networks).filter(({ name }) => names.has(name))
      .map(({ name, id, labels, users }): [string, unknown] => [
        `network ${name}`,
        // A stranger's container in a network of others moves by itself, and no step cuts it off.
        projectOf(labels) === group.project ? [id, strangers(users)] : id,
      ]),
    ...here(holdings.volumes).filter(({ name }) => names.has(name))
      .map(({ name, driver }): [string, unknown] => [`volume ${name}`, driver]),
    ...here(holdings.images).filter(({ name }) => images.has(fullImage(name)))
      .map(({ name, id }): [string, unknown] => [`image ${fullImage(name)}`, id]),
  ];
  return Object.fromEntries(found.map(([name, value]) => [name, digest(JSON.stringify(value))]));
}

/** One digest of all. */
export const digestOf = (parts: Looked["declared"], digest: Digest): string =>
  `hmac-sha256:${digest(JSON.stringify(Object.entries(parts).sort()))}`;

/** One thing that is not as it was. */
export interface Moved {
  readonly what: string;
  readonly how: "changed" | "gone" | "new";
}

/** Returns what moved between two looks, by name; none where nothing did. */
export function movedBetween(was: Looked, now: Looked): Moved[] {
  const declared = changes(was.declared, now.declared);
  const sources = declared.some(({ what }) => what === "") ? changes(was.sources, now.sources) : [];
  // A variable may have come from elsewhere than from a file of the group.
  const said: Moved[] = sources.length > 0 ? sources : [{ what: "what the files say", how: "changed" }];
  return [
    ...declared.flatMap((one) => one.what === "" ? said : [one]),
    ...changes(was.observed, now.observed),
  ];
}

function changes(was: Looked["declared"], now: Looked["declared"]): Moved[] {
  const names = new Set([...Object.keys(was), ...Object.keys(now)]);
  return [...names].flatMap((what): Moved[] => {
    const [before, after] = [was[what], now[what]];
    if (before === after) return [];
    return [{ what, how: before === undefined ? "new" : after === undefined ? "gone" : "changed" }];
  });
}
