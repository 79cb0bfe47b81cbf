/** Reads image references into registry, repository, and tag or digest. */

/** The grammar of the distribution project, with its caps. */
export const REGISTRY_HOST =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*(?::\d{1,5})?$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$|^sha512:[0-9a-f]{128}$/;
const LONGEST_NAME = 255;

const inner = ({ source }: RegExp) => `(?:${source.replaceAll(/[\^$]/g, "")})`;
/** The first of several parts is a registry if it has a dot, and else an owner. */
const OWNER = /^[a-z0-9]+(?:(?:_|__|-+)[a-z0-9]+)*$/;
/** The form of a reference, for the API document. */
export const REFERENCE_FORM = `^(?:(?:${inner(REGISTRY_HOST)}|${inner(OWNER)})(?:/${inner(COMPONENT)})+|` +
  `${inner(COMPONENT)})(?::${inner(TAG)})?(?:@${inner(DIGEST)})?$`;

/** The registry of names without one, to which the engines send credentials. */
export const DEFAULT_REGISTRY = "docker.io";
const ALIASES = ["index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"];

export interface Reference {
  /** Host and port. */
  readonly registry: string;
  /** Without the registry: `library/busybox`. */
  readonly repository: string;
  /** Null where only a digest was given. */
  readonly tag: string | null;
  readonly digest: string | null;
}

/** With the registry, so that an engine's own list of registries does not matter. */
export function nameOf(reference: Reference): string {
  return `${reference.registry}/${reference.repository}`;
}

/** The digest if there is one, else the tag. */
export function versionOf(reference: Reference): string {
  return reference.digest ?? reference.tag ?? "latest";
}

export function textOfReference(reference: Reference): string {
  const name = nameOf(reference);
  return reference.digest === null ? `${name}:${versionOf(reference)}` : `${name}@${reference.digest}`;
}

/** Reads a reference; null for a text that is none. A missing tag becomes `latest`, unless there is a digest. */
export function readReference(text: string): Reference | null {
  if (text.length > 1024) return null;
  const [named = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return null;
  const colon = named.lastIndexOf(":");
  const tagged = colon > named.lastIndexOf("/");
  const tag = tagged ? named.slice(colon + 1) : null;
  if (tag !== null && !TAG.test(tag)) return null;
  const [registry, repository] = located(tagged ? named.slice(0, colon) : named);
  if (!REGISTRY_HOST.test(registry)) return null;
  if (repository.length === 0 || registry.length + repository.length + 1 > LONGEST_NAME) return null;
  if (!repository.split("/").every((component) => COMPONENT.test(component))) return null;
  return {
    registry,
    repository,
    tag: tag ?? (digest === undefined ? "latest" : null),
    digest: digest ?? null,
  };
}

/** Returns a registry's host under the one name that references have it by: Docker Hub has several. */
export function registryOf(host: string): string {
  return ALIASES.includes(host) ? DEFAULT_REGISTRY : host;
}

/** Splits off the registry: a first part that could be a user's name is none. */
function located(name: string): [registry: string, repository: string] {
  const slash = name.indexOf("/");
  const first = name.slice(0, slash);
  if (slash > 0 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase())) {
    const registry = registryOf(first);
    const rest = name.slice(slash + 1);
    return [registry, registry === DEFAULT_REGISTRY && !rest.includes("/") ? `library/${rest}` : rest];
  }
  return [DEFAULT_REGISTRY, name.includes("/") ? name : `library/${name}`];
}
