/** What a container has mounted, by target: volumes, folders of the host, memory, and files of secrets and configs. */

import { withoutEnd } from "../../core/without_end.ts";
import type { Mount, Node, Place, Unit } from "../../artifacts/artifact.ts";
import { bytesOf } from "../../artifacts/compose/amounts.ts";
import { resolve } from "../../artifacts/files/paths.ts";
import { below } from "../../artifacts/live/join.ts";
import {
  isFilled,
  isNull,
  isUnknown,
  listOf,
  numberOf,
  oneOrMany,
  textOf,
  truthOf,
  valueAt,
  writtenOr,
} from "../../artifacts/yaml/values.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import { declaredIn, shortDigest } from "./declared_label.ts";
import type { Digest, EngineView } from "./engine_view.ts";
import {
  type Declaration,
  type Declared,
  type Difference,
  type EngineKind,
  type Row,
  row,
  sameSet,
  UNKNOWN,
} from "./field.ts";

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
  /** As an engine writes them. */
  readonly options: readonly string[];
  /** `create_host_path: false`, and the files of secrets and configs. */
  readonly mustExist?: true;
  /** It is one of `tmpfs:`. */
  readonly isShortMemory?: true;
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
      const shown = { type: "tmpfs", source: null, shown: "", readOnly: false, isShortMemory: true as const };
      mounts.push({
        ...shown,
        options: options.join(":").split(",").filter((one) => one !== ""),
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
      const options = optionsOf(mount);
      if (options === null) isWhole = false;
      else {
        const mustExist = type === "bind" && !mount.createHostPath;
        const base = { target, name, type, source: real, shown, readOnly, options, at };
        mounts.push(mustExist ? { ...base, mustExist } : base);
      }
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
    const path = placeOf(kind, source, target);
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
      options: [],
      mustExist: true,
      at,
    };
  }
}

/** Words of the short form that mean nothing on Linux, or are told elsewhere. */
const PLAIN = ["", "rw", "ro", "readonly", "cached", "delegated", "consistent", "rprivate"];

/** The words behind source and target, in the short form. */
export function shortOptionsOf(at: Node): readonly string[] {
  const parts = (textOf(at) ?? "").split(":");
  return parts.length < 3 ? [] : parts.at(-1)!.split(","); // there are three
}

/** Null where one of them is not known. */
function optionsOf({ at, type }: Mount): readonly string[] | null {
  if (at.kind === "scalar") {
    return shortOptionsOf(at).filter((one) => !PLAIN.includes(one));
  }
  const found: (string | null)[] = [];
  const read = (path: readonly string[], say: (node: Node) => string | null) => {
    const node = valueAt(at, ...path);
    if (!isNull(node)) found.push(say(node!)); // not null
  };
  const text = (node: Node) => textOf(node);
  if (type === "bind") {
    read(["bind", "propagation"], text);
    read(["bind", "selinux"], text);
    read(["bind", "recursive"], (node) => {
      const how = textOf(node);
      return how === null ? null : how === "enabled" ? "" : `recursive=${how}`;
    });
  }
  if (type === "volume") {
    read(["volume", "nocopy"], (node) => {
      const flag = truthOf(node);
      return flag === null ? null : flag ? "nocopy" : "";
    });
  }
  if (type === "volume" || type === "image") {
    read([type, "subpath"], (node) => textOf(node) === null ? null : `subpath=${textOf(node)}`);
  }
  if (type === "tmpfs") {
    read(["tmpfs", "size"], (node) => {
      const size = bytesOf(textOf(node) ?? "");
      return size === null ? null : size === 0 ? "" : `size=${size}`;
    });
    read(["tmpfs", "mode"], (node) => {
      const mode = numberOf(node);
      return mode === null ? null : mode === 0 ? "" : `mode=${mode.toString(8)}`;
    });
  }
  return found.includes(null) ? null : found.flatMap((one) => one === null || PLAIN.includes(one) ? [] : one);
}

/** Only what is declared, and what nobody but a person can have added: images bring volumes of their own. */
export const mounts: Row = row<Wants>({
  key: "mounts",
  covers: [
    "volumes.*.type",
    "volumes.*.source",
    "volumes.*.target",
    "volumes.*.read_only",
    "volumes.*.consistency",
    ...["create_host_path", "propagation", "selinux", "recursive"].map((key) => `volumes.*.bind.${key}`),
    ...["nocopy", "subpath"].map((key) => `volumes.*.volume.${key}`),
    ...["size", "mode"].map((key) => `volumes.*.tmpfs.${key}`),
    "volumes.*.image.subpath",
    "tmpfs",
    ...["source", "target", "uid", "gid", "mode"].flatMap((key) => [`secrets.*.${key}`, `configs.*.${key}`]),
  ],
  declared: wantsOf,
  ask: (asked, { mounts }) => {
    asked.mounts = mounts.filter(({ isShortMemory }) => !isShortMemory).map((mount) => ({
      type: mount.type,
      source: mount.source ?? "",
      target: mount.target,
      readOnly: mount.readOnly,
      options: mount.options,
      ...(mount.mustExist && { mustExist: true }),
    }));
    asked.tmpfs = Object.fromEntries(
      mounts.flatMap(({ target, options, isShortMemory }) =>
        isShortMemory ? [[target, options.join(",")]] : []
      ),
    );
  },
  compare: (declared, container, view, of) => {
    const wants = declared!.value; // always declared: nothing is an answer, too
    const running = new Map(container.mounts.map((mount) => [cleanPath(mount.target), mount]));
    const inMemory = new Set(Object.keys(container.tmpfs).map(cleanPath));
    const found = wants.mounts.flatMap((wanted) =>
      differencesOf(wanted, running.get(wanted.target), inMemory.has(wanted.target), view)
    );
    if (!wants.isWhole) return found;
    const memory = view.kind === "docker" ? extraMemory(wants.mounts, container, of) : [];
    return [...found, ...extras(wants.mounts, container, running, of), ...memory];
  },
});

/** A secret or config as a unit has it. */
export interface Granted {
  readonly id: string;
  readonly at: Place;
  /** How it is copied into the container; null for a file, which is mounted. */
  readonly copy: {
    readonly target: string;
    readonly uid: number;
    readonly gid: number;
    readonly mode: number;
    /** Null while a variable in it is not set. */
    readonly content: string | null;
  } | null;
}

/** Read by everybody in the container. */
const MODE = 0o444;

export const grantsOf = ({ group, unit, service }: Declared): readonly Granted[] =>
  service.grants.flatMap(({ kind, source, target, at }): Granted[] => {
    const resource = group.resources.find((one) => one.kind === kind && one.key === source);
    if (resource === undefined || resource.external) return [];
    const { id, value, content } = resource;
    if (valueAt(value, "file") !== null) return [{ id, at, copy: null }];
    const whole = listOf(valueAt(unit.value, `${kind}s`)).find((item) => valueAt(item, "source") === at);
    const number = (key: string, otherwise: number) => {
      const text = textOf(valueAt(whole, key));
      return text === null ? otherwise : Number(text);
    };
    const [uid, gid] = [number("uid", 0), number("gid", 0)];
    const mode = numberOf(valueAt(whole, "mode")) ?? MODE;
    return [{ id, at, copy: { target: placeOf(kind, source, target), uid, gid, mode, content } }];
  });

function placeOf(kind: "secret" | "config", source: string, target: string | null): string {
  const place = target ?? source;
  return cleanPath(place.startsWith("/") ? place : `${kind === "secret" ? "/run/secrets/" : "/"}${place}`);
}

/** What a label says of it; null where its content is not known. */
export function grantDigest(
  { id, copy }: Granted,
  digest: Digest,
  contents: EngineView["contents"],
): string | null {
  const content = contents.get(id);
  if (content === undefined) return null;
  const place = copy === null ? null : [copy.target, copy.uid, copy.gid, copy.mode];
  return shortDigest(id, [content, place], digest);
}

/** What secrets and configs hold: no field of a container, so that only berth's label tells what it was. */
export const contents: Row = row<readonly Granted[]>({
  key: "contents",
  covers: [],
  declared: (of) => ({ value: grantsOf(of), at: of.unit.source }),
  ask: (asked, granted) => {
    const files = granted.flatMap(({ copy }) => copy === null || copy.content === null ? [] : [copy]);
    if (files.length === 0) return;
    asked.files = files.map(({ target: path, content, uid, gid, mode }) => ({
      path,
      content: content!, // looked at above
      uid,
      gid,
      mode,
    }));
  },
  compare: (declared, { labels }, { digest, contents }, { unit }) => {
    const label = declaredIn(labels);
    if (label === null || digest === null) return [];
    const granted = declared?.value ?? [];
    const found: Difference[] = granted.flatMap((one) => {
      const [then, now] = [label.get(one.id), grantDigest(one, digest, contents)];
      if (now === null || then === now || (then === undefined && one.copy === null)) return [];
      const seen = then === undefined ? "(not there)" : "(another content)";
      return [{ field: `contents.${one.id}`, declared: "(its content)", seen, at: one.at }];
    });
    const gone = [...label.keys()].filter((id) =>
      /^(?:secret|config):/.test(id) && !granted.some((one) => one.id === id)
    );
    return [
      ...found,
      ...gone.map((id) => ({
        field: `contents.${id}`,
        declared: "(not there)",
        seen: "(its content)",
        at: unit.source,
        isAbsent: true as const,
      })),
    ];
  },
});

type Actual = InspectedContainer["mounts"][number];

function differencesOf(
  wanted: Wanted,
  actual: Actual | undefined,
  isInMemory: boolean,
  { kind, mappedTo, realOf }: EngineView,
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
    ...(wanted.isShortMemory || sameSet(comparable(wanted, kind), comparable(actual, kind))
      ? []
      : [differ(wanted.options.join(", ") || "(no options)", actual.options.join(", ") || "(no options)")]),
  ];
}

/** Podman tells those of its own form alone. */
const comparable = ({ options }: Pick<Actual, "options">, kind: EngineKind): readonly string[] =>
  kind === "docker" ? options : options.filter((one) => /^r?(?:shared|slave)$/.test(one));

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

/** Memory that the file no longer asks for; Podman adds some of its own, so there nobody can tell. */
function extraMemory(wanted: readonly Wanted[], container: InspectedContainer, of: Declared): Difference[] {
  const known = new Set(wanted.map(({ target }) => target));
  const mounted = container.mounts.filter(({ type }) => type === "tmpfs").map(({ target }) => target);
  const targets = new Set([...Object.keys(container.tmpfs), ...mounted].map(cleanPath));
  return [...targets].filter((target) => !known.has(target)).map((target) => ({
    field: `mounts.${target}`,
    declared: "(not mounted)",
    seen: "tmpfs",
    at: valueAt(of.unit.value, "tmpfs") ?? of.unit.source,
    isAbsent: true as const,
  }));
}

const binds = new WeakMap<Unit, readonly string[]>();

/** The host paths that a unit mounts, as far as they are known. */
export function bindsOf(of: Declared): readonly string[] {
  let found = binds.get(of.unit);
  if (found === undefined) {
    const wants = wantsOf(of);
    const mounts = wants === null || wants === UNKNOWN ? [] : wants.value.mounts;
    found = mounts.flatMap(({ type, source }) => type === "bind" ? source ?? [] : []);
    binds.set(of.unit, found);
  }
  return found;
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
