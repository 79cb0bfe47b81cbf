/** Offsets as lines and columns, and as paths of values: worked out only for what is reported. */

import type { ArtifactFile, Node, Place } from "./artifact.ts";

/** Line and column from 1, offset from 0, in UTF-16 units. */
interface Position {
  line: number;
  column: number;
  offset: number;
}

/** `end` is exclusive. */
interface Range {
  start: Position;
  end: Position;
}

/** The path of a value inside its file, as in `["services", "web", "depends_on", 0]`. */
type ValuePath = (string | number)[];

/** The place that a diagnostic points to. */
export interface Location {
  file: string;
  path: ValuePath;
  range: Range;
}

const lineStarts = new WeakMap<ArtifactFile, Uint32Array>();

function linesOf(file: ArtifactFile): Uint32Array {
  const known = lineStarts.get(file);
  if (known) return known;
  const starts = [0];
  for (let at = file.text.indexOf("\n"); at !== -1; at = file.text.indexOf("\n", at + 1)) starts.push(at + 1);
  const lines = Uint32Array.from(starts);
  lineStarts.set(file, lines);
  return lines;
}

export function positionOf(file: ArtifactFile, offset: number): Position {
  const lines = linesOf(file);
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - lines[low]! + 1, offset };
}

export function rangeOf(place: Place): Range {
  return { start: positionOf(place.file, place.start), end: positionOf(place.file, place.end) };
}

/**
 * The path of the innermost value (or key) around an offset; empty where the file has none, and in a text with errors,
 * where a part of a secret may have been taken for a key.
 */
function pathAt(file: ArtifactFile, offset: number): ValuePath {
  const path: ValuePath = [];
  if (!file.sound) return path;
  let node = file.documents.find((document) => holds(document, offset));
  while (node !== undefined) {
    const inside: Node = node;
    node = undefined;
    if (inside.kind === "mapping") {
      for (const [key, entry] of inside.entries) {
        if (entry.key.file !== file) continue;
        if (!holds(entry.key, offset) && !holds(entry.value, offset)) continue;
        path.push(key);
        if (holds(entry.value, offset)) node = entry.value;
        break;
      }
    } else if (inside.kind === "list") {
      const index = inside.items.findIndex((item) => holds(item, offset));
      if (index !== -1) {
        path.push(index);
        node = inside.items[index];
      }
    }
  }
  return path;
}

function holds(place: Place, offset: number): boolean {
  return offset >= place.start &&
    (offset < place.end || (offset === place.start && place.end === place.start));
}

export function locationOf(place: Place): Location {
  return { file: place.file.path, path: pathAt(place.file, place.start), range: rangeOf(place) };
}
