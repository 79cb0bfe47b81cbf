/** Changes of one node in the text of a YAML file: every byte outside of it stays as it is. */

import type { ArtifactFile, List, Mapping, Node } from "../artifact.ts";
import { type Yaml, yamlText } from "./write.ts";

/** A stretch of a file, and the text that takes its place. */
export interface Splice {
  readonly file: ArtifactFile;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the text with the changes, or null where two of them overlap. */
export function spliced(text: string, splices: readonly Splice[]): string | null {
  // Of two at one place, the first stays first.
  const sorted = splices.toReversed().sort((one, other) => other.start - one.start || other.end - one.end);
  let before = Infinity;
  let result = text;
  for (const { start, end, text: put } of sorted) {
    if (end > before) return null;
    result = result.slice(0, start) + put + result.slice(end);
    before = start;
  }
  return result;
}

/** Puts a value in the place of a node. */
export function replaced(node: Node, value: Yaml): Splice {
  const { file } = node;
  const start = node.start;
  const end = endOf(node);
  const isBlock = node.kind !== "scalar" && !/^[[{]/.test(file.text.slice(start, start + 1));
  if (!isBlock) return { file, start, end, text: flowOf(value) };
  // The dashes of a list may stand right below its key, where nothing else may.
  if (node.kind === "list" && !Array.isArray(value)) return { file, start, end, text: `  ${flowOf(value)}` };
  return { file, start, end, text: indented(blockOf(value), columnOf(file.text, start)) };
}

/** Adds a key with its value to a mapping that is not empty. */
export function inserted(mapping: Mapping, key: string, value: Yaml): Splice | null {
  const { file } = mapping;
  const { text } = file;
  // A merge key brings entries from elsewhere.
  const own = [...mapping.entries.values()].filter(({ key: at }) =>
    at.file === file && at.start >= mapping.start && at.end <= mapping.end
  );
  if (own.length === 0) return null;
  if (text[mapping.start] === "{") {
    const { key: first } = own[0]!; // as above
    return { file, start: first.start, end: first.start, text: `${entryFlow(key, value)}, ` };
  }
  const line = indentedEntry(key, value, columnOf(text, own[0]!.key.start));
  // Behind the last entry of one line, so that no list or comment is torn apart.
  const simple = own.findLast(({ key, value }) =>
    value.kind === "scalar" && value.file === file && isOnOneLine(text, key.start, value.end)
  );
  if (simple !== undefined) {
    const end = lineEnd(text, simple.value.end);
    return end < text.length
      ? { file, start: end + 1, end: end + 1, text: `${line}\n` }
      : { file, start: end, end, text: `\n${line}` };
  }
  const begin = lineStart(text, own[0]!.key.start);
  return /^ *$/.test(text.slice(begin, own[0]!.key.start))
    ? { file, start: begin, end: begin, text: `${line}\n` }
    : null;
}

/** Takes a key and its value out of a mapping that keeps others. */
export function removed(mapping: Mapping, key: string): Splice | null {
  const entry = mapping.entries.get(key);
  if (entry === undefined || mapping.entries.size < 2 || entry.key.file !== mapping.file) return null;
  return without(mapping, entry.key.start, endOf(entry.value));
}

/** Adds an item to the end of a list that is not empty. */
export function appended(list: List, value: Yaml): Splice | null {
  const { file, items } = list;
  const last = items.at(-1);
  if (last === undefined || last.file !== file) return null;
  const end = endOf(last);
  if (file.text[list.start] === "[") return { file, start: end, end, text: `, ${flowOf(value)}` };
  const column = columnOf(file.text, list.start);
  const at = lineEnd(file.text, end);
  return { file, start: at, end: at, text: `\n${" ".repeat(column)}- ${flowOf(value)}` };
}

/** Takes an item out of a list that keeps others. */
export function dropped(list: List, item: Node): Splice | null {
  if (list.items.length < 2 || item.file !== list.file) return null;
  const { text } = list.file;
  if (text[list.start] === "[") return without(list, item.start, endOf(item));
  const dash = text.lastIndexOf("-", item.start);
  return dash < list.start ? null : without(list, dash, endOf(item));
}

/** A whole entry as block lines, for one that stands below nothing yet. */
const indentedEntry = (key: string, value: Yaml, column: number): string =>
  " ".repeat(column) + indented(blockOf({ [key]: value }), column);

function without({ file, start: from }: Mapping | List, start: number, end: number): Splice | null {
  const { text } = file;
  if (/[[{]/.test(text[from] ?? "")) {
    const after = /^\s*,\s*/.exec(text.slice(end))?.[0];
    if (after !== undefined) return { file, start, end: end + after.length, text: "" };
    const before = /,\s*$/.exec(text.slice(from, start))?.[0];
    return before === undefined ? null : { file, start: start - before.length, end, text: "" };
  }
  const begin = lineStart(text, start);
  if (!/^ *$/.test(text.slice(begin, start))) return null; // the first of a list's item
  const after = lineEnd(text, end);
  return { file, start: begin, end: Math.min(after + 1, text.length), text: "" };
}

/** The end of the last value in it: what follows in the file is not its own. */
function endOf(node: Node): number {
  const { text } = node.file;
  // A text below `|` or `>` ends with the break of its last line, which belongs to what follows.
  if (node.kind === "scalar") return node.start + text.slice(node.start, node.end).trimEnd().length;
  if (/[[{]/.test(text[node.start] ?? "")) return node.end;
  const parts = node.kind === "list" ? node.items : [...node.entries.values()].map(({ value }) => value);
  const own = parts.filter((part) =>
    part.file === node.file && part.start >= node.start && part.end <= node.end
  );
  const ends = own.map(endOf);
  return ends.length === 0
    ? node.start + text.slice(node.start, node.end).trimEnd().length
    : Math.max(...ends);
}

const blockOf = (value: Yaml): string => yamlText(value).trimEnd();

/** In one line, as it may stand anywhere. */
function flowOf(value: Yaml): string {
  if (typeof value !== "object" || value === null) return blockOf(value);
  if (Array.isArray(value)) return `[${(value as readonly Yaml[]).map(flowOf).join(", ")}]`;
  return `{${Object.entries(value).map(([key, one]) => entryFlow(key, one)).join(", ")}}`;
}

/** The key as a key: nothing is put into names. */
const entryFlow = (key: string, value: Yaml): string =>
  `${blockOf({ [key]: null }).replace(/: null$/, "")}: ${flowOf(value)}`;

const indented = (text: string, column: number): string => text.replaceAll("\n", `\n${" ".repeat(column)}`);

const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

const columnOf = (text: string, at: number): number => at - lineStart(text, at);

const isOnOneLine = (text: string, start: number, end: number): boolean => lineEnd(text, start) >= end;
