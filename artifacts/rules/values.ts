/** Ways into a tree of values that judge nothing themselves: unknown values read as absent. */

import type { Entry, Node, Place, Scalar } from "../artifact.ts";
import { textOf as writtenText, truthOf } from "../yaml/values.ts";

/** What lies at a path of keys and indexes. */
export function at(node: Node | null, ...path: readonly (string | number)[]): Node | null {
  let here: Node | null = node;
  for (const step of path) {
    if (here === null) return null;
    if (here.kind === "mapping" && typeof step === "string") here = here.entries.get(step)?.value ?? null;
    else if (here.kind === "list" && typeof step === "number") here = here.items[step] ?? null;
    else return null;
  }
  return here;
}

/** The key and value under one key. */
export function entryOf(node: Node | null, key: string): Entry | null {
  return node?.kind === "mapping" ? node.entries.get(key) ?? null : null;
}

/** The entries of a mapping; none for anything else. */
export function entriesOf(node: Node | null): Iterable<[string, Entry]> {
  return node?.kind === "mapping" ? node.entries : [];
}

/** The items of a list; none for anything else. */
export function itemsOf(node: Node | null): readonly Node[] {
  return node?.kind === "list" ? node.items : [];
}

/** A scalar whose value is known and not null. */
export function scalarOf(node: Node | null): Scalar | null {
  return node?.kind === "scalar" && node.unknown !== true && node.value !== null ? node : null;
}

/** A known scalar as text; a number as it was written, since `3.10` is a name to everybody but YAML. */
export function textOf(node: Node | null): string | null {
  return writtenText(node ?? undefined);
}

/** A known scalar as a number, also where it is written in quotes. */
export function numberOf(node: Node | null): number | null {
  const text = textOf(node);
  if (text === null || text.trim() === "") return null;
  const value = Number(text);
  return Number.isNaN(value) ? null : value;
}

/** Whether a known scalar says yes. */
export function saysTrue(node: Node | null): boolean {
  return truthOf(node ?? undefined) === true;
}

/** The start of a file, for what concerns it as a whole. */
export function startOf(place: Place): Place {
  return { file: place.file, start: 0, end: 0 };
}
