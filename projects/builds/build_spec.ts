/** The image that a service is built to, as an engine is asked for it; what berth cannot build is refused with the reason. */

import type { KeyValue, Node, PathUse } from "../../artifacts/artifact.ts";
import { bytesOf } from "../../artifacts/compose/amounts.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import {
  entriesOf,
  isUnknown,
  listOf,
  numberOf,
  textOf,
  truthOf,
  valueAt,
} from "../../artifacts/yaml/values.ts";
import type { BuildSpec } from "../../core/engine_acts.ts";
import type { Declared } from "../fields/field.ts";
import { imageNames } from "../fields/process.ts";

export interface Build {
  readonly spec: BuildSpec;
  /** Below the workspace's folder. */
  readonly context: string;
  /** Below the workspace's folder; null where the text stands in the file itself. */
  readonly dockerfile: string | null;
  readonly inline: string | null;
}

interface RefusedBuild {
  readonly refused: string;
  readonly at: Node;
}

/** Returns null for a service that is not built. */
export function buildOf(of: Declared): Build | RefusedBuild | null {
  const { unit, service } = of;
  const at = valueAt(unit.value, "build");
  if (service.build === null || at === null) return null;
  const context = unit.paths.find(({ kind }) => kind === "build_context");
  const refused = refusalOf(at) ?? contextRefusal(context, at);
  if (refused !== null) return refused;
  const inlineAt = valueAt(at, "dockerfile_inline");
  const inline = textOf(inlineAt);
  if (inline === null && isUnknown(inlineAt)) {
    return { refused: "a variable in its Dockerfile is not set", at };
  }
  const dockerfile = inline === null ? unit.paths.find(({ kind }) => kind === "dockerfile") : undefined;
  if (inline === null && (dockerfile?.found !== "file" || dockerfile.path === null)) {
    return { refused: `there is no "${dockerfile?.written ?? "Dockerfile"}" in its context`, at };
  }
  const path = dockerfile?.path ?? null;
  return { spec: specOf(of, at, service.build.args), context: context!.path!, dockerfile: path, inline }; // contextRefusal saw to both
}

function specOf(of: Declared, at: Node, args: ReadonlyMap<string, KeyValue>): BuildSpec {
  const given = [...args].flatMap(([name, { value }]) => value === null ? [] : [[name, value]]);
  const [platform = textOf(valueAt(of.unit.value, "platform"))] = textsAt(at, "platforms");
  const shm = valueAt(at, "shm_size");
  return {
    tags: [...new Set([imageNames(of)[0]!, ...textsAt(at, "tags")])], // there is one at least
    dockerfile: INLINE,
    target: textOf(valueAt(at, "target")) ?? "",
    args: Object.fromEntries(given),
    labels: { ...labelsOf(at), ...composeLabels(of) },
    network: textOf(valueAt(at, "network")) ?? "",
    extraHosts: hostsOf(valueAt(at, "extra_hosts")),
    cacheFrom: textsAt(at, "cache_from").filter((one) => !one.includes("=")),
    platform: platform ?? "",
    shmBytes: shm === null ? null : numberOf(shm) ?? bytesOf(textOf(shm) ?? ""),
    noCache: truthOf(valueAt(at, "no_cache")) === true,
    pull: truthOf(valueAt(at, "pull")) === true,
  };
}

/** The name that a Dockerfile gets in the context if it is no file there. */
export const INLINE = ".berth.Dockerfile";

/** As Compose marks what it builds; the version is added where it is known. */
const composeLabels = ({ group, unit }: Declared): Record<string, string> => ({
  "com.docker.compose.project": group.project,
  "com.docker.compose.service": unit.label,
});

const labelsOf = (at: Node): Record<string, string> =>
  Object.fromEntries([...keyValues(valueAt(at, "labels"))].map(([name, { value }]) => [name, value ?? ""]));

const textsAt = (at: Node, key: string): string[] =>
  listOf(valueAt(at, key)).map(textOf).filter((one) => one !== null);

/** `name: address`, or a list of `name=address` and `name:address`. */
function hostsOf(at: Node | null): string[] {
  if (at?.kind === "mapping") {
    return [...entriesOf(at)].flatMap(([name, { value }]) =>
      (value.kind === "list" ? listOf(value) : [value]).map((one) => `${name}:${textOf(one) ?? ""}`)
    );
  }
  return listOf(at).map((one) => (textOf(one) ?? "").replace("=", ":"));
}

/** All that is carried out. */
const KNOWN = new Set([
  "context",
  "dockerfile",
  "dockerfile_inline",
  "args",
  "labels",
  "network",
  "target",
  "cache_from",
  "extra_hosts",
  "shm_size",
  "no_cache",
  "pull",
  "platforms",
  "tags",
]);

function refusalOf(at: Node): RefusedBuild | null {
  for (const [key, { value }] of entriesOf(at)) {
    if (KNOWN.has(key) || key.startsWith("x-")) continue;
    const isOff = (key === "provenance" || key === "sbom" || key === "privileged") &&
      truthOf(value) === false;
    if (!isOff) return { refused: `berth does not build with "${key}"`, at: value };
  }
  const platforms = valueAt(at, "platforms");
  if (listOf(platforms).length < 2) return null;
  return { refused: "berth builds for one platform", at: platforms! }; // it has two items
}

function contextRefusal(use: PathUse | undefined, at: Node): RefusedBuild | null {
  if (use === undefined) return { refused: "it has no context", at };
  if (use.found === "folder" && use.path !== null) return null;
  const why = use.found === "remote" ? "is an address" : "is no folder of the workspace";
  return { refused: `its context "${use.written}" ${why}`, at };
}
