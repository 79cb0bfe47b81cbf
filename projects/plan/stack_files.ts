/** Secrets and configs of a stack: which version a service gets, since none of them can be changed. */

import type { Resource } from "../../artifacts/artifact.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { StackFile } from "../../core/stacks.ts";
import { type Draft, edited } from "./draft.ts";
import type { StackScene } from "./stack_scene.ts";

/** The digest of the content, on what berth made: a swarm tells nobody what a secret holds. */
export const CONTENT_LABEL = "dev.berth.content";
const SUFFIX_DIGITS = 8;

/** The object that services get of a secret or config. */
export interface FileVersion {
  readonly resource: Resource;
  readonly name: string;
  /** True if the swarm has none of this name. */
  readonly isNew: boolean;
}

/** Chooses the version of a secret or config that is declared now. */
export function versionOf(scene: StackScene, resource: Resource, draft: Draft): FileVersion {
  const { now, group, contents } = scene;
  const first = resource.name ?? resource.key;
  const there = resource.kind === "secret" ? now.secrets : now.configs;
  const digest = contents.get(resource.id);
  if (resource.external || digest === undefined) return { resource, name: first, isNew: false };
  const known = there.find(({ name }) => name === first);
  const versioned = `${first}-${digest.slice(0, SUFFIX_DIGITS)}`;
  const later = there.find(({ name }) => name === versioned);
  if (known === undefined) {
    // The first one is removed once no service and no rollback has it: the one of this content stays in use.
    const isIt = later?.stack === group.project && sameContent(scene, resource, later, digest) === true;
    return isIt ? { resource, name: versioned, isNew: false } : { resource, name: first, isNew: true };
  }
  if (known.stack !== group.project) {
    const message = `The swarm has a ${resource.kind} "${first}" of another owner: give it another name`;
    draft.block("project/taken-name", message, resource.at, resource.id, edited(resource.at));
    return { resource, name: first, isNew: false };
  }
  const isSame = sameContent(scene, resource, known, digest);
  if (isSame === null) {
    const message = `Nobody can tell what the secret "${first}" holds, since Docker's client made it: ` +
      `it is taken for what the file says`;
    draft.warn("swarm/secret-unknown", message, resource.at, resource.id, edited(resource.at));
  }
  if (isSame !== false) return { resource, name: first, isNew: false };
  const nameAt = valueAt(resource.value, "name");
  if (nameAt !== null) {
    const message = `The content of "${first}" has changed, and a swarm never changes a ${resource.kind}: ` +
      `give it another "name", or take the name out`;
    draft.block("swarm/named-content-changed", message, nameAt, resource.id, edited(nameAt));
  }
  return { resource, name: versioned, isNew: later === undefined };
}

/** Null where nobody can tell. */
function sameContent(
  { hashes }: StackScene,
  { id, kind }: Resource,
  { labels, content }: StackFile,
  digest: string,
): boolean | null {
  const label = labels[CONTENT_LABEL];
  if (kind === "secret") return label === undefined ? null : label === digest;
  const hash = hashes.get(id);
  return content === null || hash === undefined ? null : sha256(content) === hash;
}

/** Returns versions of the stack that no service has, and none would have again after a rollback. */
export function unusedVersions(
  { now, group, services }: StackScene,
  kind: "secret" | "config",
  wanted: ReadonlySet<string>,
  removed: ReadonlySet<string>,
): readonly StackFile[] {
  const isLeft = ({ name }: { readonly name: string }) => !removed.has(name) || !services.has(name);
  const used = new Set(
    now.services.filter(isLeft).flatMap(({ files }) => kind === "secret" ? files.secrets : files.configs),
  );
  const there = kind === "secret" ? now.secrets : now.configs;
  return there.filter(({ name, stack }) =>
    stack === group.project && !used.has(name) && !wanted.has(name) && isVersion(group.resources, kind, name)
  );
}

/** Returns true for a name that a version of a declared secret or config has. */
function isVersion(resources: readonly Resource[], kind: "secret" | "config", name: string): boolean {
  const base = name.replace(/-[0-9a-f]{8}$/, "");
  return resources.some((one) =>
    one.kind === kind && !one.external && textOf(valueAt(one.value, "name")) === null &&
    (one.name === base || one.name === name)
  );
}
