/** The mounts of a container, by target: volumes, folders of the host, memory, and files of secrets and configs. */

import type { Mount, Node, Place, Unit } from "../../artifacts/artifact.ts";
import { bytesOf } from "../../artifacts/compose/amounts.ts";
import { amountText } from "../../artifacts/compose/number_text.ts";
import { below } from "../../artifacts/live/join.ts";
import {
  isFilled,
  isNull,
  isUnknown,
  numberOf,
  oneOrMany,
  textOf,
  truthOf,
  valueAt,
  writtenOr,
} from "../../artifacts/yaml/values.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import type { EngineView } from "./engine_view.ts";
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
import { placeOf } from "./grants.ts";
import { outside, sourceOf, trimmed } from "./mount_sources.ts";
import { fullImage } from "./process.ts";

/** One mount as declared. */
export interface Wanted {
  readonly target: string;
  /** The target as the author wrote it. */
  readonly name: string;
  readonly type: string;
  /** The source; null where it cannot be told, and for mounts without a name. */
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

/** The known mounts, and the targets of the others. */
export interface Wants {
  readonly mounts: readonly Wanted[];
  readonly isWhole: boolean;
}

export function wantsOf(of: Declared): Declaration<Wants> {
  const { mounts, isWhole } = mountsOf(of);
  const granted = [...grantedOf(of)];
  return {
    value: {
      mounts: [...mounts, ...granted.flatMap((one) => one === UNKNOWN || one === null ? [] : [one])],
      isWhole: isWhole && !granted.includes(UNKNOWN),
    },
    at: valueAt(of.unit.value, "volumes") ?? of.unit.source,
  };
}

/** Returns the mounts without the files of secrets and configs. */
export function mountsOf(of: Declared): Wants {
  let isWhole = true;
  /** By its place: of several lines for one, Compose takes the last. */
  const memory = new Map<string, Wanted>();
  for (const item of oneOrMany(valueAt(of.unit.value, "tmpfs"))) {
    const [target = "", ...options] = (textOf(item) ?? "").split(":");
    if (target === "") isWhole = false;
    else {
      const shown = { type: "tmpfs", source: null, shown: "", readOnly: false, isShortMemory: true as const };
      memory.set(cleanPath(target), {
        ...shown,
        options: options.join(":").split(",").filter((one) => one !== ""),
        target: cleanPath(target),
        name: writtenOr(item, cleanPath(target)),
        at: item,
      });
    }
  }
  const mounts = [...memory.values()];
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
  return { mounts, isWhole };
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
      const size = bytesOf(amountText(node) ?? "");
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
  unknowns: (of) => {
    const wants = wantsOf(of);
    if (wants === null || wants === UNKNOWN) return [];
    const { mounts, isWhole } = wants.value;
    // A path of somebody's home, or one that leads above the root.
    const lost = mounts.filter(({ type, source }) => type === "bind" && source === null);
    return [
      ...(isWhole ? [] : [{ field: "mounts", at: wants.at }]),
      ...lost.map(({ name, at }) => ({ field: `mounts.${name}`, at })),
    ];
  },
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
  // Always declared: nothing is an answer, too.
  compare: (declared, container, view, of) => mountDifferences(declared!.value, container, view, of),
});

/** The parts of a container that its mounts are compared by. */
type Mounted = Pick<
  InspectedContainer,
  "mounts" | "tmpfs" | "imageDefaults" | "volumesFrom" | "isSystem" | "readOnlyRoot"
>;

export function mountDifferences(
  wants: Wants,
  container: Mounted,
  view: EngineView,
  of: Declared,
): Difference[] {
  const running = new Map(container.mounts.map((mount) => [cleanPath(mount.target), mount]));
  const inMemory = new Map(Object.entries(container.tmpfs).map(([path, one]) => [cleanPath(path), one]));
  const found = wants.mounts.flatMap((wanted) =>
    differencesOf(wanted, running.get(wanted.target), inMemory.get(wanted.target), view)
  );
  if (!wants.isWhole) return found;
  return [
    ...found,
    ...extras(wants.mounts, container, running, of),
    ...extraMemory(wants.mounts, container, view, of),
  ];
}

type Actual = InspectedContainer["mounts"][number];

function differencesOf(
  wanted: Wanted,
  actual: Actual | undefined,
  /** The options of the memory at its target; undefined where there is none. */
  memory: string | undefined,
  { kind, mappedTo, realOf }: EngineView,
): Difference[] {
  const { name, type, source, shown, at } = wanted;
  const differ = (declared: string, seen: string): Difference => ({
    field: `mounts.${name}`,
    declared,
    seen,
    at,
  });
  if (type === "tmpfs" && memory !== undefined && (actual?.type ?? type) === type) {
    // Podman adds options of its own.
    const isSame = kind === "podman" ||
      sameSet(memoryOptions(wanted.options), memoryOptions(memory.split(",")));
    return isSame ? [] : [differ(wanted.options.join(", ") || "(no options)", memory || "(no options)")];
  }
  if (actual === undefined) return [differ(`${type} ${shown}`.trim(), "(not mounted)")];
  if (type !== actual.type && !(type === "volume" && actual.type === "bind" && source === null)) {
    return [differ(`${type} ${shown}`.trim(), `${actual.type} ${actual.source}`.trim())];
  }
  const from = actual.type === "bind" ? trimmed(mappedTo(actual.source)) : actual.source;
  // Either may be a link, `/var/run` for one: the same place by another name is no difference.
  const isMoved = source !== null && source !== from &&
    (actual.type !== "bind" || realOf(source) !== realOf(from)) &&
    (actual.type !== "image" || fullImage(source) !== fullImage(from));
  const access = (readOnly: boolean) => readOnly ? "read-only" : "writable";
  return [
    ...(isMoved ? [differ(shown, actual.source)] : []),
    // An image is mounted read-only whatever a file says.
    ...(wanted.readOnly === actual.readOnly || type === "tmpfs" || type === "image"
      ? []
      : [differ(access(wanted.readOnly), access(actual.readOnly))]),
    ...(wanted.isShortMemory || sameSet(comparable(wanted, kind), comparable(actual, kind))
      ? []
      : [differ(wanted.options.join(", ") || "(no options)", actual.options.join(", ") || "(no options)")]),
  ];
}

/** The options of memory in one form: a size in bytes, and a mode without zeros before it. */
const memoryOptions = (options: readonly string[]): readonly string[] =>
  options.filter((one) => one !== "").map((one) => {
    const [name, value = ""] = one.split("=");
    if (name === "size") return `size=${bytesOf(value) ?? value}`;
    return name === "mode" ? `mode=${value.replace(/^0+(?=.)/, "")}` : one;
  });

/** Podman tells those of its own form alone. */
const comparable = ({ options }: Pick<Actual, "options">, kind: EngineKind): readonly string[] =>
  kind === "docker" ? options : options.filter((one) => /^r?(?:shared|slave)$/.test(one));

/** Mounts other than memory that neither the file nor the image asks for. */
function extras(
  wanted: readonly Wanted[],
  { imageDefaults, volumesFrom }: Mounted,
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

/** Folders that Podman puts into memory by itself, below a read-only root and for a whole system. */
const PODMANS_OWN = ["/run", "/run/lock", "/tmp", "/var/tmp", "/var/log/journal"];

export function ownMemory(
  { readOnlyRoot, isSystem }: Pick<InspectedContainer, "readOnlyRoot" | "isSystem">,
  kind: EngineKind,
): readonly string[] {
  return kind === "podman" && (readOnlyRoot || isSystem) ? PODMANS_OWN : [];
}

/** Memory that neither the file nor the engine itself asks for. */
function extraMemory(
  wanted: readonly Wanted[],
  container: Mounted,
  { kind }: EngineView,
  of: Declared,
): Difference[] {
  const known = new Set([...wanted.map(({ target }) => target), ...ownMemory(container, kind)]);
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

/** Returns where each target is written. */
export function mountPlaces(of: Declared): ReadonlyMap<string, Place> {
  const wants = wantsOf(of);
  const mounts = wants === null || wants === UNKNOWN ? [] : wants.value.mounts;
  return new Map(mounts.map(({ target, at }) => [target, at]));
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
