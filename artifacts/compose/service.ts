/** One service in long form. */

import type { Grant, KeyValue, Node, Scalar, Service } from "../artifact.ts";
import { keyed } from "./merge.ts";
import { readMount } from "./mounts.ts";
import { readPort } from "./ports.ts";
import {
  child,
  entriesOf,
  isNull,
  isUnknown,
  itemsOf,
  numberOf,
  scalarOf,
  textOf,
  truthOf,
} from "../yaml/values.ts";

export function readService(value: Node, profiles: readonly string[]): Service {
  const enabled = itemsOf(child(value, "profiles")).map(textOf).filter((name) => name !== null);
  return {
    image: textOf(child(value, "image")),
    imageAt: scalarOf(child(value, "image")),
    build: !isNull(child(value, "build")),
    provider: !isNull(child(value, "provider")),
    containerName: textOf(child(value, "container_name")),
    containerNameAt: scalarOf(child(value, "container_name")),
    profiles: enabled,
    active: enabled.length === 0 || profiles.includes("*") || enabled.some((name) => profiles.includes(name)),
    replicas: replicasOf(value),
    restart: textOf(child(value, "restart")),
    ports: itemsOf(child(value, "ports")).map(readPort),
    mounts: itemsOf(child(value, "volumes")).map(readMount),
    networkMode: textOf(child(value, "network_mode")),
    environment: keyValues(child(value, "environment")),
    labels: keyValues(child(value, "labels")),
    grants: [...grants("secret", child(value, "secrets")), ...grants("config", child(value, "configs"))],
    healthcheck: healthcheckOf(value),
  };
}

function replicasOf(value: Node): number | null {
  const scale = child(value, "scale");
  if (scale !== undefined) return numberOf(scale);
  const replicas = child(child(value, "deploy"), "replicas");
  return replicas === undefined ? 1 : numberOf(replicas);
}

function healthcheckOf(value: Node): Service["healthcheck"] {
  const at = child(value, "healthcheck");
  if (at === undefined || isNull(at)) return null;
  const test = itemsOf(child(at, "test"))[0];
  return { disabled: truthOf(child(at, "disable")) === true || textOf(test) === "NONE", at };
}

/** `KEY: value` and `- KEY=value`. */
export function keyValues(node: Node | undefined): Map<string, KeyValue> {
  const values = new Map<string, KeyValue>();
  if (node === undefined) return values;
  if (node.kind === "list") {
    for (const item of node.items) {
      if (item.kind !== "scalar" || item.value === null) continue;
      const text = String(item.value);
      const sign = text.indexOf("=");
      values.set(sign === -1 ? text : text.slice(0, sign), {
        value: sign === -1 ? null : text.slice(sign + 1),
        unknown: isUnknown(item),
        at: item,
      });
    }
    return values;
  }
  for (const [name, { value }] of entriesOf(keyed(node))) {
    values.set(name, { value: scalarText(value), unknown: isUnknown(value), at: value });
  }
  return values;
}

function scalarText(node: Node): string | null {
  const scalar: Scalar | null = scalarOf(node);
  return scalar === null || scalar.value === null ? null : textOf(scalar) ?? String(scalar.value);
}

export function grants(kind: Grant["kind"], node: Node | undefined): Grant[] {
  const result: Grant[] = [];
  for (const item of itemsOf(node)) {
    const at = item.kind === "mapping" ? child(item, "source") : item;
    const source = textOf(at);
    if (source !== null && at) result.push({ kind, source, target: textOf(child(item, "target")), at });
  }
  return result;
}
