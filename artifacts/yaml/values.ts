/** Small readings of value trees that every part of Compose needs. */

import type { Entry, List, Mapping, Node, Scalar } from "../artifact.ts";

export function child(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === "mapping" ? node.entries.get(key)?.value : undefined;
}

export function isNull(node: Node | undefined): boolean {
  return node === undefined || (node.kind === "scalar" && node.value === null && !node.unknown);
}

/** A scalar as text; null for nothing, collections and what is unknown. */
export function textOf(node: Node | undefined): string | null {
  if (node?.kind !== "scalar" || node.value === null || node.unknown) return null;
  return typeof node.value === "string" ? node.value : writtenNumber(node);
}

/** `3.10` is a number to YAML and a name to everybody else: as it was written. */
function writtenNumber(node: Scalar): string {
  return node.plain && !node.interpolated ? node.file.text.slice(node.start, node.end) : String(node.value);
}

export function scalarOf(node: Node | undefined): Scalar | null {
  return node?.kind === "scalar" ? node : null;
}

export function isUnknown(node: Node | undefined): boolean {
  return node?.kind === "scalar" && node.unknown === true;
}

export function truthOf(node: Node | undefined): boolean | null {
  if (node?.kind !== "scalar" || node.unknown) return null;
  if (typeof node.value === "boolean") return node.value;
  if (node.value === "true") return true;
  return node.value === "false" ? false : null;
}

/** A number, also one that came out of a variable as text. */
export function numberOf(node: Node | undefined): number | null {
  if (node?.kind !== "scalar" || node.unknown) return null;
  if (typeof node.value === "number") return node.value;
  if (typeof node.value !== "string" || !/^-?\d+(?:\.\d+)?$/.test(node.value)) return null;
  return Number(node.value);
}

/** The items of a list, or the one scalar that may stand for it. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  if (node === undefined || isNull(node)) return [];
  return node.kind === "list" ? node.items : node.kind === "scalar" ? [node] : [];
}

export function entriesOf(node: Node | undefined): Iterable<[string, Entry]> {
  return node?.kind === "mapping" ? node.entries : [];
}

/** A copy with other entries; tags are spent. */
export function withEntries(node: Mapping, entries: Map<string, Entry>): Mapping {
  return { kind: "mapping", file: node.file, start: node.start, end: node.end, entries };
}

export function withItems(node: List, items: readonly Node[]): List {
  return { kind: "list", file: node.file, start: node.start, end: node.end, items };
}
