/** The variables of a service, and its labels: only names are shown where a value may be a secret. */

import type { KeyValue, PathUse, Place } from "../../artifacts/artifact.ts";
import { looksSecret, MASK } from "../../core/secrets.ts";
import { type Declaration, keyed, nodeAt, type Row, type Unknown } from "./field.ts";

/** Null: a name without a value, or one with a value that is not known. */
type Value = string | null;

function valuesOf(
  written: Iterable<readonly [string, KeyValue]>,
  bare: Value,
): { values: Record<string, Value>; parts: Map<string, Place> } {
  const values: Record<string, Value> = {};
  const parts = new Map<string, Place>();
  for (const [name, one] of written) {
    values[name] = one.unknown ? null : one.value ?? bare;
    parts.set(name, one.at);
  }
  return { values, parts };
}

/** Values of a file with an error, or with a variable that is not set. */
const unknownIn = (key: string, written: ReadonlyMap<string, KeyValue>): Unknown[] =>
  [...written].flatMap(([name, { unknown, at }]) => unknown ? [{ field: `${key}.${name}`, at }] : []);

/** Returns true if all names of the files are known. */
const isRead = (paths: readonly PathUse[], kind: "env_file" | "label_file"): boolean =>
  paths.every((use) =>
    use.kind !== kind || use.file !== undefined || (use.found === "missing" && !use.required)
  );

/** Variables that Podman sets by itself, and the proxies that Compose takes from its own settings. */
export const ENGINES_VARIABLES: readonly string[] = ["TERM", "container", "HOSTNAME", "HOME", "PATH"];
const PROXY = /^(?:https?|ftp|no|all)_proxy$/i;

const environment: Row = keyed<Value>({
  key: "environment",
  covers: ["environment", "env_file"],
  declared: (of): Declaration<Record<string, Value>> => {
    // Named without a value: whoever started it lent their own, which is not known here.
    const { values, parts } = valuesOf(of.service.environment, null);
    const at = nodeAt(of, "environment") ?? nodeAt(of, "env_file");
    return at === null ? null : { value: values, at, parts };
  },
  seen: ({ env }) => env,
  same: (declared, seen) => declared === null || declared === seen,
  // A name without a value may be absent.
  mayBeAbsent: (declared) => declared === null,
  isExtra: (name, value, { imageDefaults }, { kind }, of) =>
    imageDefaults !== null && imageDefaults.env[name] !== value && !PROXY.test(name) &&
    !(kind === "podman" && ENGINES_VARIABLES.includes(name)) && isRead(of.unit.paths, "env_file"),
  show: (value) => value === null ? "(not known)" : MASK,
  another: "(another value)",
  unknowns: ({ service }) => unknownIn("environment", service.environment),
  shownName: (name, { service }) => service.environment.get(name)?.name,
  ask: (asked, value) => asked.env = value,
});

/** Labels that tools and engines add by themselves. */
export const TOOLS = /^(?:com\.docker\.|desktop\.docker\.|io\.podman\.|dev\.berth\.|PODMAN_SYSTEMD_UNIT$)/;

const labels: Row = keyed<Value>({
  key: "labels",
  covers: ["labels", "label_file"],
  declared: (of) => {
    const { values, parts } = valuesOf(of.service.labels, "");
    const at = nodeAt(of, "labels") ?? nodeAt(of, "label_file");
    return at === null ? null : { value: values, at, parts };
  },
  seen: ({ labels }) => labels,
  same: (declared, seen) => declared === null || declared === seen,
  isExtra: (name, value, { imageDefaults }, _view, of) =>
    imageDefaults !== null && imageDefaults.labels[name] !== value && !TOOLS.test(name) &&
    isRead(of.unit.paths, "label_file"),
  show: (value, name) => value === null ? "(not known)" : looksSecret(name) ? MASK : value,
  unknowns: ({ service }) => unknownIn("labels", service.labels),
  shownName: (name, { service }) => service.labels.get(name)?.name,
  ask: (asked, value) => {
    const known = Object.entries(value).filter((entry): entry is [string, string] => entry[1] !== null);
    asked.labels = Object.fromEntries(known);
  },
});

export const environmentRows: readonly Row[] = [environment, labels];
