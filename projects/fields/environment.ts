/** The variables of a service, and its labels: only names are shown where a value may be a secret. */

import type { KeyValue, PathUse, Place } from "../../artifacts/artifact.ts";
import { looksSecret, MASK } from "../../core/secrets.ts";
import { type Declaration, keyed, nodeAt, type Row } from "./field.ts";

/** Null as a value: the name is declared, but what it stands for is not known here. */
type Value = string | null;

function valuesOf(
  written: Iterable<readonly [string, KeyValue]>,
  bare: Value,
): { values: Record<string, Value>; parts: Map<string, Place> } {
  const values: Record<string, Value> = {};
  const parts = new Map<string, Place>();
  for (const [name, one] of written) {
    values[name] = one.unknown || isReadDifferently(one) ? null : one.value ?? bare;
    parts.set(name, one.at);
  }
  return { values, parts };
}

/** Lines of a file that older versions of Compose, and other tools, take for something else. */
function isReadDifferently({ at: { file, start, end } }: KeyValue): boolean {
  if (file.kind !== "env") return false;
  const written = file.text.slice(start, end + 1);
  return /[\\$]/.test(written) || !/^[^:=]*=/.test(written);
}

/** Whether all names of the files are known. */
const isRead = (paths: readonly PathUse[], kind: "env_file" | "label_file"): boolean =>
  paths.every((use) =>
    use.kind !== kind || use.file !== undefined || (use.found === "missing" && !use.required)
  );

/** What Podman itself puts in, and the proxies that Compose takes from its own settings. */
const PODMANS = ["TERM", "container", "HOSTNAME", "HOME", "PATH"];
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
  // Who has no value to lend lends none.
  mayBeAbsent: (declared) => declared === null,
  isExtra: (name, value, { imageDefaults }, { kind }, of) =>
    imageDefaults !== null && imageDefaults.env[name] !== value && !PROXY.test(name) &&
    !(kind === "podman" && PODMANS.includes(name)) && isRead(of.unit.paths, "env_file"),
  show: (value) => value === null ? "(not known)" : MASK,
  another: "(another value)",
  shownName: (name, { service }) => service.environment.get(name)?.name,
  ask: (asked, value) => {
    const known = Object.entries(value).filter((entry): entry is [string, string] => entry[1] !== null);
    asked.env = Object.fromEntries(known);
  },
});

/** Labels that tools and engines add by themselves. */
const TOOLS = /^(?:com\.docker\.|desktop\.docker\.|io\.podman\.|dev\.berth\.)/;

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
  shownName: (name, { service }) => service.labels.get(name)?.name,
  ask: (asked, value) => {
    const known = Object.entries(value).filter((entry): entry is [string, string] => entry[1] !== null);
    asked.labels = Object.fromEntries(known);
  },
});

export const environmentRows: readonly Row[] = [environment, labels];
