/** What a container has mounted, by target: volumes, folders of the host, memory, and files of secrets and configs. */

import { withoutEnd } from "../../core/without_end.ts";
import type { Mount, Place } from "../../artifacts/artifact.ts";
import { resolve } from "../../artifacts/files/paths.ts";
import { below } from "../../artifacts/live/join.ts";
import { isFilled, isUnknown, oneOrMany, textOf, valueAt, writtenOr } from "../../artifacts/yaml/values.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import { declaredIn } from "./declared_label.ts";
import type { EngineView } from "./engine_view.ts";
import { type Declaration, type Declared, type Difference, type Row, row, UNKNOWN } from "./field.ts";

/** One mount as declared. */
interface Wanted {
  readonly target: string;
  /** The target as the author wrote it. */
  readonly name: string;
  readonly type: string;
  /** Where it comes from; null where that cannot be told, and for what has no name. */
  readonly source: string | null;
  readonly shown: string;
  readonly readOnly: boolean;
  /** Options of `tmpfs:`. */
  readonly options?: string;
  readonly at: Place;
}

/** Those that are known, and the targets of those that are not. */
interface Wants {
  readonly mounts: readonly Wanted[];
  readonly isWhole: boolean;
}

function wantsOf(of: Declared): Declaration<Wants> {
  const mounts: Wanted[] = [];
  let isWhole = true;
  for (const item of oneOrMany(valueAt(of.unit.value, "tmpfs"))) {
    const [target = "", ...options] = (textOf(item) ?? "").split(":");
    if (target === "") isWhole = false;
    else {
      const shown = { type: "tmpfs", source: null, shown: "", readOnly: false, options: options.join(":") };
      mounts.push({
        ...shown,
        target: cleanPath(target),
        name: writtenOr(item, cleanPath(target)),
        at: item,
      });
    }
  }
  for (const mount of of.service.mounts) {
    if (mount.unknown || mount.invalid !== null || mount.target === null) isWhole = false;
    else {
      const { real, shown } = sourceOf(of, mount);
      const { type, readOnly, at } = mount;
      const target = cleanPath(mount.target);
      const isFromVariable = isFilled(at) || isFilled(valueAt(at, "target"));
      const name = isFromVariable ? mount.shown.target ?? target : target;
      mounts.push({ target, name, type, source: real, shown, readOnly, at });
    }
  }
  for (const granted of grantedOf(of)) {
    if (granted === UNKNOWN) isWhole = false;
    else if (granted !== null) mounts.push(granted);
  }
  return { value: { mounts, isWhole }, at: valueAt(of.unit.value, "volumes") ?? of.unit.source };
}

/** Secrets and configs that are files are mounted; others are copied into the container. */
function* grantedOf(of: Declared): Iterable<Wanted | typeof UNKNOWN | null> {
  for (const { kind, source, target, at } of of.service.grants) {
    const resource = of.group.resources.find((one) => one.kind === kind && one.key === source);
    const fileAt = valueAt(resource?.value, "file");
    if (isUnknown(fileAt)) yield UNKNOWN;
    const file = textOf(fileAt);
    if (resource === undefined || resource.external || fileAt === null || file === null) continue;
    const use = of.group.paths.find((path) => path.kind === kind && path.at === fileAt);
    const folder = kind === "secret" ? "/run/secrets/" : "/";
    const place = target ?? source;
    const path = cleanPath(place.startsWith("/") ? place : `${folder}${place}`);
    yield {
      target: path,
      name: path,
      type: "bind",
      source: use?.path !== null && use?.path !== undefined
        ? below(of.model.root, use.path)
        : file.startsWith("/")
        ? trimmed(file)
        : outside(of.model.root, use?.folder ?? of.group.folder, file),
      shown: file,
      readOnly: true,
      at,
    };
  }
}

/** Only what is declared, and what nobody but a person can have added: images bring volumes of their own. */
export const mounts: Row = row<Wants>({
  key: "mounts",
  covers: [
    "volumes.*.type",
    "volumes.*.source",
    "volumes.*.target",
    "volumes.*.read_only",
    "volumes.*.bind.create_host_path",
    "tmpfs",
    "secrets.*.source",
    "secrets.*.target",
    "configs.*.source",
    "configs.*.target",
  ],
  declared: wantsOf,
  ask: (asked, { mounts }) => {
    asked.mounts = mounts.filter(({ options }) => options === undefined).map((mount) => ({
      type: mount.type,
      source: mount.source ?? "",
      target: mount.target,
      readOnly: mount.readOnly,
    }));
    asked.tmpfs = Object.fromEntries(
      mounts.flatMap(({ target, options }) => options === undefined ? [] : [[target, options]]),
    );
  },
  compare: (declared, container, view, of) => {
    const wants = declared!.value; // always declared: nothing is an answer, too
    const running = new Map(container.mounts.map((mount) => [cleanPath(mount.target), mount]));
    const inMemory = new Set(Object.keys(container.tmpfs).map(cleanPath));
    const found = wants.mounts.flatMap((wanted) =>
      differencesOf(wanted, running.get(wanted.target), inMemory.has(wanted.target), view)
    );
    return wants.isWhole ? [...found, ...extras(wants.mounts, container, running, of)] : found;
  },
});

/** The secrets and configs of a unit, by their ids. */
export const grantsOf = ({ group, service }: Declared): { readonly id: string; readonly at: Place }[] =>
  service.grants.flatMap(({ kind, source, at }) => {
    const resource = group.resources.find((one) => one.kind === kind && one.key === source);
    return resource === undefined ? [] : [{ id: resource.id, at }];
  });

/** What secrets and configs hold: no field of a container, so that only berth's label tells what it was. */
export const contents: Row = row<ReturnType<typeof grantsOf>>({
  key: "contents",
  covers: [],
  declared: (of) => ({ value: grantsOf(of), at: of.unit.source }),
  ask: () => {}, // a label
  compare: (declared, { labels }, view) => {
    const label = declaredIn(labels);
    return (label === null ? [] : declared?.value ?? []).flatMap(({ id, at }) => {
      const [then, now] = [label?.get(id), view.contents.get(id)];
      if (then === undefined || now === undefined || then === now) return [];
      return [{ field: `contents.${id}`, declared: "(its content)", seen: "(another content)", at }];
    });
  },
});

type Actual = InspectedContainer["mounts"][number];

function differencesOf(
  wanted: Wanted,
  actual: Actual | undefined,
  isInMemory: boolean,
  { mappedTo, realOf }: EngineView,
): Difference[] {
  const { name, type, source, shown, at } = wanted;
  const differ = (declared: string, seen: string): Difference => ({
    field: `mounts.${name}`,
    declared,
    seen,
    at,
  });
  if (actual === undefined) {
    return type === "tmpfs" && isInMemory ? [] : [differ(`${type} ${shown}`.trim(), "(not mounted)")];
  }
  if (type !== actual.type && !(type === "volume" && actual.type === "bind" && source === null)) {
    return [differ(`${type} ${shown}`.trim(), `${actual.type} ${actual.source}`.trim())];
  }
  const from = actual.type === "bind" ? trimmed(mappedTo(actual.source)) : actual.source;
  // Either may be a link, `/var/run` for one: the same place by another name is no difference.
  const isMoved = source !== null && source !== from &&
    (actual.type !== "bind" || realOf(source) !== realOf(from));
  const access = (readOnly: boolean) => readOnly ? "read-only" : "writable";
  return [
    ...(isMoved ? [differ(shown, actual.source)] : []),
    ...(wanted.readOnly === actual.readOnly || type === "tmpfs"
      ? []
      : [differ(access(wanted.readOnly), access(actual.readOnly))]),
  ];
}

/** Mounts that neither the file nor the image asks for. Memory is left out: Podman adds some of its own. */
function extras(
  wanted: readonly Wanted[],
  { imageDefaults, volumesFrom }: InspectedContainer,
  running: ReadonlyMap<string, Actual>,
  of: Declared,
): Difference[] {
  if (imageDefaults === null || volumesFrom.length > 0) return [];
  const known = new Set([...wanted.map(({ target }) => target), ...imageDefaults.volumes.map(cleanPath)]);
  return [...running].filter(([target, { type }]) => type !== "tmpfs" && !known.has(target)).map((
    [target, { type, source }],
  ) => ({
    field: `mounts.${target}`,
    declared: "(not mounted)",
    seen: `${type} ${source}`.trim(),
    at: valueAt(of.unit.value, "volumes") ?? of.unit.source,
    isAbsent: true as const,
  }));
}

/** The host paths that a unit mounts, as far as they are known. */
export function bindsOf(of: Declared): string[] {
  const wants = wantsOf(of);
  if (wants === null || wants === UNKNOWN) return [];
  return wants.value.mounts.flatMap(({ type, source }) => type === "bind" ? source ?? [] : []);
}

/** The source where it can be told, and how to show it. */
export function sourceOf(
  { model, group, unit }: Declared,
  mount: Mount,
): { real: string | null; shown: string } {
  const { source, type } = mount;
  const shown = mount.shown.source ?? "(anonymous)";
  if (source === null) return { real: null, shown: "(anonymous)" };
  if (type === "volume") {
    const volume = group.resources.find((resource) => resource.kind === "volume" && resource.key === source);
    return { real: volume?.name ?? null, shown: volume?.written ?? shown };
  }
  if (type !== "bind") return { real: null, shown };
  const use = unit.paths.find((path) =>
    path.kind === "bind" && path.at.start === mount.sourceAt.start && path.at.file === mount.sourceAt.file
  );
  if (use !== undefined && use.path !== null) return { real: below(model.root, use.path), shown };
  if (use !== undefined && /^\.\.?(?:\/|$)/.test(source)) {
    return { real: outside(model.root, use.folder, source), shown };
  }
  return { real: source.startsWith("/") ? trimmed(source) : null, shown };
}

const trimmed = (path: string): string => path.length > 1 ? withoutEnd(path, "/") : path;

/** A relative path that leaves the workspace, joined without the disk. */
function outside(root: string, folder: string, source: string): string | null {
  const path = resolve("/", withoutEnd(`${root}/${folder}`.replace(/^\/+/, ""), "/"), source);
  return path === null ? null : `/${path}`;
}
