/** Reads values out of a tree. Compose, the rules and drift all use it, so that each form means one thing. */

import type { Entry, List, Mapping, Node, Scalar } from "../artifact.ts";

/** Every reader takes what another one answers. */
type Maybe = Node | null | undefined;

/** Returns the value at a path of keys and indexes; null where the path leads nowhere. */
export function valueAt(node: Maybe, ...path: readonly (string | number)[]): Node | null {
  let here: Node | null = node ?? null;
  for (const step of path) {
    if (here === null) return null;
    if (here.kind === "mapping" && typeof step === "string") here = here.entries.get(step)?.value ?? null;
    else if (here.kind === "list" && typeof step === "number") here = here.items[step] ?? null;
    else return null;
  }
  return here;
}

/** The key and value under one key. */
export function entryOf(node: Maybe, key: string): Entry | null {
  return node?.kind === "mapping" ? node.entries.get(key) ?? null : null;
}

/** The entries of a mapping; none for anything else. */
export function entriesOf(node: Maybe): Iterable<[string, Entry]> {
  return node?.kind === "mapping" ? node.entries : [];
}

/** The items of a list; none for anything else. For keys where Compose refuses a single value. */
export function listOf(node: Maybe): readonly Node[] {
  return node?.kind === "list" ? node.items : [];
}

/** The items of a list, or the one scalar that stands for it. For keys where Compose takes either. */
export function oneOrMany(node: Maybe): readonly Node[] {
  return node?.kind === "scalar" && !isNull(node) ? [node] : listOf(node);
}

/** Returns true if there is no value, or a null. */
export function isNull(node: Maybe): boolean {
  return !node || (node.kind === "scalar" && node.value === null && !node.unknown);
}

/** Returns true if the value holds a variable that is not set. */
export function isUnknown(node: Maybe): boolean {
  return node?.kind === "scalar" && node.unknown === true;
}

/** The value if it is a scalar, also a null or unknown one. */
export function scalarOf(node: Maybe): Scalar | null {
  return node?.kind === "scalar" ? node : null;
}

/** A known scalar as text; null for nothing, null and collections. `3.10` is a name to everybody but YAML. */
export function textOf(node: Maybe): string | null {
  if (node?.kind !== "scalar" || node.value === null || node.unknown) return null;
  if (typeof node.value === "string") return node.value;
  return node.plain && !node.interpolated ? node.file.text.slice(node.start, node.end) : String(node.value);
}

/** Returns the text to show for a known scalar: the author's, never the value of a variable. */
export function shownOf(node: Maybe): string | null {
  const text = textOf(node);
  return text === null ? null : writtenOr(node, text);
}

/** The author's text where the value of a variable is in a scalar or key, else the text that was made of it. */
export function writtenOr(at: { readonly written?: string } | Maybe, text: string): string {
  return at !== null && at !== undefined && "written" in at && at.written !== undefined ? at.written : text;
}

/** Returns true if the value of a variable is in it. */
export function isFilled(node: Maybe): boolean {
  return node?.kind === "scalar" && node.written !== undefined;
}

/** Returns the text to show in place of `text`: the author's words, where the value of a variable is among them. */
export function writtenIn(node: Maybe, text: string): string {
  const scalars = scalarsOf(node);
  return scalars.some(isFilled)
    ? scalars.map((one) => writtenOr(one, String(one.value ?? ""))).join(" ")
    : text;
}

/** Returns all scalars below a node. */
export function scalarsOf(node: Maybe, found: Scalar[] = []): readonly Scalar[] {
  if (node?.kind === "scalar") found.push(node);
  for (const item of listOf(node)) scalarsOf(item, found);
  for (const [, { value }] of entriesOf(node)) scalarsOf(value, found);
  return found;
}

/** Returns the same with the name that each stands under, be it a key or what is before the sign in `NAME=value`. */
export function namedScalarsOf(node: Maybe, name = ""): readonly (readonly [name: string, Scalar])[] {
  if (node?.kind === "scalar") {
    const text = writtenOr(node, String(node.value ?? ""));
    const sign = text.indexOf("=");
    return [[sign > 0 && name === "" ? text.slice(0, sign) : name, node]];
  }
  return [
    ...listOf(node).flatMap((item) => namedScalarsOf(item)),
    ...[...entriesOf(node)].flatMap(([key, { value }]) => namedScalarsOf(value, key)),
  ];
}

const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** A known number. A text (in quotes, or from a variable) must be decimal, as for Compose: `"0x10"` is no number. */
export function numberOf(node: Maybe): number | null {
  if (node?.kind !== "scalar" || node.unknown) return null;
  const { value } = node;
  const number = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

const TRUE = /^(?:true|yes|y|on)$/i;
const FALSE = /^(?:false|no|n|off)$/i;

/** A known truth value, also as one of the words that Compose takes for one; null for anything else. */
export function truthOf(node: Maybe): boolean | null {
  if (node?.kind !== "scalar" || node.unknown) return null;
  if (typeof node.value !== "string") return typeof node.value === "boolean" ? node.value : null;
  return TRUE.test(node.value) ? true : FALSE.test(node.value) ? false : null;
}

/** A copy with other entries; tags are spent. */
export function withEntries(node: Mapping, entries: Map<string, Entry>): Mapping {
  return { kind: "mapping", file: node.file, start: node.start, end: node.end, entries };
}

/** A copy with other items; tags are spent. */
export function withItems(node: List, items: readonly Node[]): List {
  return { kind: "list", file: node.file, start: node.start, end: node.end, items };
}
