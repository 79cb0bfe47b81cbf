/** One service in long form. */

import type { Grant, KeyValue, Mount, Node, Place, Scalar, Service } from "../artifact.ts";
import {
  entriesOf,
  isNull,
  isUnknown,
  listOf,
  numberOf,
  scalarOf,
  shownOf,
  textOf,
  truthOf,
  valueAt,
  writtenOr,
} from "../yaml/values.ts";
import { keyed } from "./long_forms.ts";
import { lastMounts, readMount } from "./mounts.ts";
import { numberText } from "./number_text.ts";
import { readPorts } from "./ports.ts";

/** `variable` is what a name without a value means at a place. */
export function readService(
  value: Node,
  profiles: readonly string[],
  variable: (name: string, at: Place) => string | undefined,
): Service {
  const enabled = listOf(valueAt(value, "profiles")).map(textOf).filter((name) => name !== null);
  return {
    image: textOf(valueAt(value, "image")),
    imageAt: scalarOf(valueAt(value, "image")),
    writtenImage: shownOf(valueAt(value, "image")),
    build: isNull(valueAt(value, "build"))
      ? null
      : { args: withVariables(keyValues(valueAt(value, "build", "args")), variable) },
    provider: !isNull(valueAt(value, "provider")),
    containerName: textOf(valueAt(value, "container_name")),
    containerNameAt: scalarOf(valueAt(value, "container_name")),
    profiles: enabled,
    writtenProfiles: listOf(valueAt(value, "profiles")).map(shownOf).filter((name) => name !== null),
    active: enabled.length === 0 || profiles.includes("*") || enabled.some((name) => profiles.includes(name)),
    replicas: replicasOf(value),
    restart: restartOf(value),
    ports: readPorts(listOf(valueAt(value, "ports"))),
    mounts: mountsOf(valueAt(value, "volumes")),
    networkMode: textOf(valueAt(value, "network_mode")),
    environment: withVariables(keyValues(valueAt(value, "environment")), variable),
    labels: keyValues(valueAt(value, "labels")),
    grants: [...grants("secret", valueAt(value, "secrets")), ...grants("config", valueAt(value, "configs"))],
    healthcheck: healthcheckOf(value),
  };
}

function mountsOf(node: Node | null): Mount[] {
  const isMerged = node?.kind === "list" && node.merged;
  return (isMerged ? node.items : lastMounts([], listOf(node))).map(readMount);
}

/** The policy of `deploy` wins, as for Compose, which calls its `any` always. */
function restartOf(value: Node): string | null {
  const policy = valueAt(value, "deploy", "restart_policy");
  const text = textOf(isNull(policy) ? valueAt(value, "restart") : valueAt(policy, "condition"));
  return text === "any" ? "always" : text;
}

function replicasOf(value: Node): number | null {
  const scale = valueAt(value, "scale");
  if (scale !== null) return numberOf(scale);
  const replicas = valueAt(value, "deploy", "replicas");
  return replicas === null ? 1 : numberOf(replicas);
}

function healthcheckOf(value: Node): Service["healthcheck"] {
  const at = valueAt(value, "healthcheck");
  if (at === null || isNull(at)) return null;
  const test = listOf(valueAt(at, "test"))[0];
  return { disabled: truthOf(valueAt(at, "disable")) === true || textOf(test) === "NONE", at };
}

/** A name alone takes the value that the project's variables have for it. */
function withVariables(
  values: Map<string, KeyValue>,
  variable: (name: string, at: Place) => string | undefined,
): Map<string, KeyValue> {
  for (const [name, one] of values) {
    if (one.value !== null || one.unknown) continue;
    const value = variable(name, one.at);
    if (value !== undefined) values.set(name, { ...one, value, fromVariables: true });
  }
  return values;
}

/** `KEY: value` and `- KEY=value`. */
export function keyValues(node: Node | null): Map<string, KeyValue> {
  const values = new Map<string, KeyValue>();
  if (node === null) return values;
  if (node.kind === "list") {
    for (const item of node.items) {
      if (item.kind !== "scalar" || item.value === null) continue;
      const text = String(item.value);
      const sign = text.indexOf("=");
      values.set(sign === -1 ? text : text.slice(0, sign), {
        name: writtenOr(item, text).split("=")[0]!,
        value: sign === -1 ? null : text.slice(sign + 1),
        unknown: isUnknown(item),
        at: item,
      });
    }
    return values;
  }
  for (const [name, { key, value }] of entriesOf(keyed(node))) {
    values.set(name, {
      name: writtenOr(key, name),
      value: scalarText(value),
      unknown: isUnknown(value),
      at: value,
    });
  }
  return values;
}

function scalarText(node: Node): string | null {
  const scalar: Scalar | null = scalarOf(node);
  if (scalar === null || scalar.value === null) return null;
  return numberText(scalar);
}

export function grants(kind: Grant["kind"], node: Node | null): Grant[] {
  const result: Grant[] = [];
  for (const item of listOf(node)) {
    const at = item.kind === "mapping" ? valueAt(item, "source") : item;
    const source = textOf(at);
    if (source !== null && at) result.push({ kind, source, target: textOf(valueAt(item, "target")), at });
  }
  return result;
}
