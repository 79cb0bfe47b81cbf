/** Mounts of a service, short and long. */

import type { Mount, Node } from "../artifact.ts";
import { isUnknown, shownOf, textOf, truthOf, valueAt } from "../yaml/values.ts";
import { cleanTarget } from "./clean_path.ts";

/**
 * Of several mounts that name one target Compose keeps the last. It looks twice, at targets as they are written and
 * once short forms are clean, so a long `/x/` beside `/x` stays, and is refused.
 */
export function lastMounts(under: readonly Node[], over: readonly Node[]): Node[] {
  const known = new Set(under);
  const written = lastOfEach(
    [...under, ...over],
    (node) => known.has(node) ? cleanKey(node) : writtenKey(node),
  );
  return lastOfEach(written, cleanKey);
}

function writtenKey(node: Node): string | null {
  if (node.kind === "mapping") return textOf(valueAt(node, "target"));
  const [first, second] = splitMount(textOf(node) ?? "");
  return first === "" ? null : second || first || null;
}

function cleanKey(node: Node): string | null {
  const key = writtenKey(node);
  return key === null || node.kind === "mapping" ? key : cleanTarget(key);
}

/** In the order of the first of each; what has no key stays. */
function lastOfEach<T>(items: readonly T[], keyOf: (item: T) => string | null): T[] {
  const last = new Map<unknown, T>();
  for (const item of items) last.set(keyOf(item) ?? item, item);
  return [...last.values()];
}

export function readMount(node: Node): Mount {
  return node.kind === "mapping" ? longMount(node) : shortMount(node);
}

function longMount(node: Node): Mount {
  const sourceAt = valueAt(node, "source");
  const targetAt = valueAt(node, "target");
  const written = textOf(targetAt);
  const target = written === null ? null : cleanTarget(written);
  const unknown = isUnknown(sourceAt) || isUnknown(targetAt);
  const type = textOf(valueAt(node, "type")) ?? "volume";
  const source = textOf(sourceAt);
  const isPath = type === "volume" && source !== null && isHostPath(source);
  return {
    type,
    source,
    target,
    shown: { source: shownOf(sourceAt), target: shownOf(targetAt) },
    readOnly: truthOf(valueAt(node, "read_only")) === true,
    createHostPath: truthOf(valueAt(node, "bind", "create_host_path")) !== false,
    invalid: isPath
      ? "has a path where a volume's name stands, use `type: bind`"
      : target === null && !unknown
      ? "needs a target"
      : null,
    unknown,
    at: node,
    sourceAt: sourceAt ?? node,
  };
}

function shortMount(node: Node): Mount {
  const text = node.kind === "scalar" ? String(node.value ?? "") : "";
  const unknown = isUnknown(node);
  const base = { createHostPath: true, unknown, at: node, sourceAt: node };
  const parts = splitMount(text);
  const [shownFirst = null, shownSecond = null] = node.kind === "scalar" && node.written !== undefined
    ? splitMount(node.written)
    : parts;
  const [first, second] = parts;
  if (first === undefined || first === "" || parts.length > 3) {
    const invalid = unknown ? null : "needs the form [source:]target[:options]";
    const shown = { source: null, target: null };
    return { ...base, type: "volume", source: null, target: null, shown, readOnly: false, invalid };
  }
  if (second === undefined) {
    return {
      ...base,
      type: "volume",
      source: null,
      target: cleanTarget(first),
      shown: { source: null, target: shownFirst },
      readOnly: false,
      invalid: null,
    };
  }
  const options = (parts[2] ?? "").split(",");
  return {
    ...base,
    type: isHostPath(first) ? "bind" : "volume",
    source: first,
    target: cleanTarget(second),
    shown: { source: shownFirst, target: shownSecond },
    readOnly: options.includes("ro") || options.includes("readonly"),
    invalid: second === "" && !unknown ? "needs a target" : null,
  };
}

/** At colons, but not behind the letter of a Windows drive, and not inside `${NAME:-default}`. */
export function splitMount(written: string): string[] {
  const parts: string[] = [];
  for (const part of written.split(":")) {
    const last = parts.at(-1);
    const isOpen = last !== undefined && last.lastIndexOf("${") > last.lastIndexOf("}");
    if (last !== undefined && (isOpen || (/^[A-Za-z]$/.test(last) && /^[\\/]/.test(part)))) {
      parts[parts.length - 1] = `${last}:${part}`;
    } else parts.push(part);
  }
  return parts;
}

function isHostPath(source: string): boolean {
  return /^[./~]/.test(source) || /^[A-Za-z]:[\\/]/.test(source) || source.startsWith("\\\\");
}
