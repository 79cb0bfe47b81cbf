/** The files that projects name beside those they are made of: environments, secrets, configs, and what is mounted by itself. */

import type { Group, Model, PathUse } from "../artifact.ts";

export type NamedKind = "env" | "secret" | "config" | "mounted";

/** Files of one workspace that are listed. */
const MOST_LISTED = 200;

const KIND_OF: Partial<Record<PathUse["kind"], NamedKind>> = {
  env_file: "env",
  label_file: "env",
  secret: "secret",
  config: "config",
  bind: "mounted",
};

/** Returns the files that a group and its units name and that are there, in order. */
export function namedBy({ paths, units }: Group): [path: string, kind: NamedKind][] {
  return [...units.flatMap((unit) => unit.paths), ...paths].flatMap(({ path, kind, found }) => {
    const named = KIND_OF[kind];
    return named === undefined || path === null || found !== "file" ? [] : [[path, named]];
  });
}

const known = new WeakMap<Pick<Model, "groups" | "files">, ReadonlyMap<string, NamedKind>>();

/** Returns them in the order of their paths. A file that is a secret of one project is one for all. */
export function namedFiles(model: Pick<Model, "groups" | "files">): ReadonlyMap<string, NamedKind> {
  let files = known.get(model);
  if (files === undefined) known.set(model, files = find(model));
  return files;
}

function find({ groups, files }: Pick<Model, "groups" | "files">): ReadonlyMap<string, NamedKind> {
  const read = new Set(files.map(({ path }) => path));
  const found = new Map<string, NamedKind>();
  for (const [path, kind] of groups.flatMap(namedBy)) {
    if (!read.has(path) && (!found.has(path) || kind === "secret")) found.set(path, kind);
  }
  return new Map([...found].sort(([one], [other]) => one < other ? -1 : 1));
}

/** Returns those that are listed: each is read for it. */
export const listedFiles = (model: Pick<Model, "groups" | "files">): ReadonlyMap<string, NamedKind> =>
  new Map([...namedFiles(model)].slice(0, MOST_LISTED));
