/** Mounts of a service, short and long. */

import type { Mount, Node } from "../artifact.ts";
import { isUnknown, textOf, truthOf, valueAt } from "../yaml/values.ts";

export function readMount(node: Node): Mount {
  return node.kind === "mapping" ? longMount(node) : shortMount(node);
}

function longMount(node: Node): Mount {
  const sourceAt = valueAt(node, "source");
  const targetAt = valueAt(node, "target");
  const target = textOf(targetAt);
  const unknown = isUnknown(sourceAt) || isUnknown(targetAt);
  return {
    type: textOf(valueAt(node, "type")) ?? "volume",
    source: textOf(sourceAt),
    target,
    readOnly: truthOf(valueAt(node, "read_only")) === true,
    createHostPath: truthOf(valueAt(node, "bind", "create_host_path")) !== false,
    invalid: target === null && !unknown ? "needs a target" : null,
    unknown,
    at: node,
    sourceAt: sourceAt ?? node,
  };
}

function shortMount(node: Node): Mount {
  const written = node.kind === "scalar" ? String(node.value ?? "") : "";
  const unknown = isUnknown(node);
  const base = { createHostPath: true, unknown, at: node, sourceAt: node };
  const parts = splitMount(written);
  const [first, second] = parts;
  if (first === undefined || first === "" || parts.length > 3) {
    const invalid = unknown ? null : "needs the form [source:]target[:options]";
    return { ...base, type: "volume", source: null, target: null, readOnly: false, invalid };
  }
  if (second === undefined) {
    return { ...base, type: "volume", source: null, target: first, readOnly: false, invalid: null };
  }
  const options = (parts[2] ?? "").split(",");
  return {
    ...base,
    type: isHostPath(first) ? "bind" : "volume",
    source: first,
    target: second,
    readOnly: options.includes("ro") || options.includes("readonly"),
    invalid: second === "" && !unknown ? "needs a target" : null,
  };
}

/** At colons, but not behind the letter of a Windows drive. */
export function splitMount(written: string): string[] {
  const parts: string[] = [];
  for (const part of written.split(":")) {
    const last = parts.at(-1);
    if (last !== undefined && /^[A-Za-z]$/.test(last) && /^[\\/]/.test(part)) {
      parts[parts.length - 1] = `${last}:${part}`;
    } else parts.push(part);
  }
  return parts;
}

export function isHostPath(source: string): boolean {
  return /^[./~]/.test(source) || /^[A-Za-z]:[\\/]/.test(source) || source.startsWith("\\\\");
}
