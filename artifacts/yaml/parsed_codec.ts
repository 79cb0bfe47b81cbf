/** Encodes a parsed file as numbers and strings: a worker can hand these over without blocking the event loop. */

import type { Alias, ArtifactFile, Entry, Finding, Node, Place } from "../artifact.ts";
import type { MergeTag } from "../kinds.ts";
import { yieldToEventLoop } from "../event_loop.ts";

type Value = string | number | boolean | null;

/** Nodes with children before their parents; all places are in one file. */
export interface Encoded {
  readonly numbers: Int32Array;
  readonly values: Value[];
  readonly documents: number[];
  readonly findings: EncodedFinding[];
  readonly sound: boolean;
  readonly aliases: readonly Alias[];
}

interface EncodedFinding {
  readonly rest: Omit<Finding, "at" | "related">;
  readonly at: readonly [number, number] | null;
  readonly related:
    | readonly { readonly message: string; readonly at: readonly [number, number] }[]
    | undefined;
}

const SCALAR = 0;
const LIST = 1;
const MAPPING = 2;
const UNKNOWN = 1;
const PLAIN = 2;
const RESET = 4;
const OVERRIDE = 8;
const WRITTEN = 16;
/** In place of an index: the value is the text at that place. */
const AS_WRITTEN = -1;

export function encode(file: ArtifactFile): Encoded {
  const numbers: number[] = [];
  const values: Value[] = [];
  const known = new Map<Node, number>();
  const names = new Map<string, number>();

  const name = (text: string): number => {
    let index = names.get(text);
    if (index === undefined) names.set(text, index = values.push(text) - 1);
    return index;
  };
  /** Depth is bounded by the scan before parsing. */
  const add = (node: Node): number => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const flags = node.tag === "!reset" ? RESET : node.tag === "!override" ? OVERRIDE : 0;
    if (node.kind === "scalar") {
      const own = flags | (node.unknown ? UNKNOWN : 0) | (node.plain ? PLAIN : 0) |
        (node.written === undefined ? 0 : WRITTEN);
      const isWritten = typeof node.value === "string" &&
        node.value === file.text.slice(node.start, node.end);
      numbers.push(SCALAR, own, node.start, node.end, isWritten ? AS_WRITTEN : values.push(node.value) - 1);
      if (node.written !== undefined) numbers.push(name(node.written));
    } else if (node.kind === "list") {
      const items = node.items.map(add);
      numbers.push(LIST, flags, node.start, node.end, items.length, ...items);
    } else {
      const parts: number[] = [];
      for (const [key, entry] of node.entries) {
        const value = add(entry.value);
        parts.push(name(key), entry.key.start, entry.key.end, value);
      }
      numbers.push(MAPPING, flags, node.start, node.end, node.entries.size);
      for (const part of parts) numbers.push(part);
    }
    known.set(node, known.size);
    return known.size - 1;
  };
  const documents = file.documents.map(add);
  return {
    numbers: Int32Array.from(numbers),
    values,
    documents,
    findings: file.findings.map(encodeFinding),
    sound: file.sound,
    aliases: file.aliases,
  };
}

function encodeFinding({ at, related, ...rest }: Finding): EncodedFinding {
  const pair = (place: Place): readonly [number, number] => [place.start, place.end];
  return {
    rest,
    at: at && pair(at),
    related: related?.map(({ message, at }) => ({ message, at: pair(at) })),
  };
}

/** The encoded documents and findings, with their places in `file`. */
export async function decode(
  encoded: Encoded,
  file: ArtifactFile,
): Promise<{ documents: Node[]; findings: Finding[]; sound: boolean; aliases: readonly Alias[] }> {
  const { numbers, values } = encoded;
  const nodes: Node[] = [];
  let at = 0;
  // Indices were made by `encode`, so there is something at each.
  const next = () => numbers[at++]!;
  while (at < numbers.length) {
    if ((nodes.length & 1023) === 0) await yieldToEventLoop();
    const kind = next();
    const flags = next();
    const place = { file, start: next(), end: next() };
    let node: Node;
    let written: string | undefined;
    if (kind === SCALAR) {
      const index = next();
      const value = index === AS_WRITTEN ? file.text.slice(place.start, place.end) : values[index]!;
      node = { kind: "scalar", ...place, value };
      if (flags & PLAIN) node = { ...node, plain: true };
      if (flags & WRITTEN) written = String(values[next()]);
      if (flags & UNKNOWN) node = { ...node, unknown: true };
    } else if (kind === LIST) {
      const items = Array.from({ length: next() }, () => nodes[next()]!);
      node = { kind: "list", ...place, items };
    } else {
      const entries = new Map<string, Entry>();
      for (let left = next(); left > 0; left--) {
        const key = String(values[next()]);
        const keyPlace = { file, start: next(), end: next() };
        entries.set(key, { key: keyPlace, value: nodes[next()]! });
      }
      node = { kind: "mapping", ...place, entries };
    }
    const tag: MergeTag | null = flags & RESET ? "!reset" : flags & OVERRIDE ? "!override" : null;
    if (tag) node = { ...node, tag };
    nodes.push(node.kind === "scalar" && written !== undefined ? { ...node, written } : node);
  }
  const place = ([start, end]: readonly [number, number]): Place => ({ file, start, end });
  return {
    documents: encoded.documents.map((index) => nodes[index]!),
    findings: encoded.findings.map(({ rest, at, related }) => ({
      ...rest,
      at: at && place(at),
      ...(related ? { related: related.map(({ message, at }) => ({ message, at: place(at) })) } : {}),
    })),
    sound: encoded.sound,
    aliases: encoded.aliases,
  };
}
