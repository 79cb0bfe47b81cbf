/** The variables of a service, and its labels: only names are shown where a value may be a secret. */

import type { KeyValue, Place } from "../../artifacts/artifact.ts";
import { looksSecret, MASK } from "../../core/secrets.ts";
import { valuesOfFiles } from "./env_files.ts";
import { type Declaration, keyed, nodeAt, type Row } from "./field.ts";

/** Null as a value: the name is declared, but what it stands for is not known here. */
type Value = string | null;

function valuesOf(
  written: Iterable<readonly [string, KeyValue]>,
  bare: Value,
): { values: Record<string, Value>; parts: Map<string, Place> } {
  const values: Record<string, Value> = {};
  const parts = new Map<string, Place>();
  for (const [name, { value, unknown, at }] of written) {
    values[name] = unknown ? null : value ?? bare;
    parts.set(name, at);
  }
  return { values, parts };
}

/** What Podman itself puts in, and the proxies that Compose takes from its own settings. */
const PODMANS = ["TERM", "container", "HOSTNAME", "HOME", "PATH"];
const PROXY = /^(?:https?|ftp|no|all)_proxy$/i;

const environment: Row = keyed<Value>({
  key: "environment",
  covers: ["environment", "env_file"],
  declared: (of): Declaration<Record<string, Value>> => {
    // Named without a value: it comes from the shell that started the container.
    const { values, parts } = valuesOf(of.service.environment, null);
    for (const [name, { value, at }] of valuesOfFiles(of.unit) ?? []) {
      values[name] = value;
      parts.set(name, at);
    }
    const at = nodeAt(of, "environment") ?? nodeAt(of, "env_file");
    return at === null ? null : { value: values, at, parts };
  },
  seen: ({ env }) => env,
  same: (declared, seen) => declared === null || declared === seen,
  isExtra: (name, value, { imageDefaults }, { kind }, of) =>
    imageDefaults !== null && imageDefaults.env[name] !== value && !PROXY.test(name) &&
    !(kind === "podman" && PODMANS.includes(name)) && valuesOfFiles(of.unit) !== null,
  show: (value) => value === null ? "(not known)" : MASK,
  another: "(another value)",
  ask: (asked, value) => {
    const known = Object.entries(value).filter((entry): entry is [string, string] => entry[1] !== null);
    asked.env = Object.fromEntries(known);
  },
});

/** Labels that tools and engines add by themselves. */
const TOOLS = /^(?:com\.docker\.|desktop\.docker\.|io\.podman\.|dev\.berth\.)/;

const labels: Row = keyed<Value>({
  key: "labels",
  covers: ["labels"],
  declared: (of) => {
    const { values, parts } = valuesOf(of.service.labels, "");
    const at = nodeAt(of, "labels");
    return at === null ? null : { value: values, at, parts };
  },
  seen: ({ labels }) => labels,
  same: (declared, seen) => declared === null || declared === seen,
  isExtra: (name, value, { imageDefaults }) =>
    imageDefaults !== null && imageDefaults.labels[name] !== value && !TOOLS.test(name),
  show: (value, name) => value === null ? "(not known)" : looksSecret(name) ? MASK : value,
  ask: (asked, value) => {
    const known = Object.entries(value).filter((entry): entry is [string, string] => entry[1] !== null);
    asked.labels = Object.fromEntries(known);
  },
});

export const environmentRows: readonly Row[] = [environment, labels];
