/** Short forms of values as the long ones that stand for them, so that two forms can be merged. */

import type { Entry, Mapping, Node, Scalar } from "../artifact.ts";
import { oneOrMany, textOf } from "../yaml/values.ts";

/** `["A=1"]` as `{ A: 1 }`. */
export function keyed(node: Node): Node {
  if (node.kind !== "list") return node;
  const entries = new Map<string, Entry>();
  for (const item of node.items) {
    if (item.kind !== "scalar" || item.value === null) continue;
    // The name counts even if its variable is not set.
    const text = textOf(item) ?? String(item.value);
    const sign = text.search(/[=]/);
    const name = sign === -1 ? text : text.slice(0, sign);
    const { file, start, end, written } = item;
    const value: Scalar = {
      kind: "scalar",
      file,
      start,
      end,
      value: sign === -1 ? null : text.slice(sign + 1),
      ...(item.unknown && { unknown: true }),
      ...(written !== undefined && { written: written.slice(written.indexOf("=") + 1) }),
    };
    const key = written === undefined ? item : { file, start, end, written: written.split("=")[0]! };
    entries.set(name, { key, value });
  }
  return { kind: "mapping", file: node.file, start: node.start, end: node.end, entries };
}

/** `{ db: 10.0.0.5 }` as `["db=10.0.0.5"]`. */
export function hosts(node: Node): Node {
  if (node.kind !== "mapping") return node;
  const items: Node[] = [];
  for (const [name, { value }] of node.entries) {
    for (const address of oneOrMany(value)) {
      items.push({ ...address, kind: "scalar", value: `${name}=${textOf(address) ?? ""}` } as Scalar);
    }
  }
  return { kind: "list", file: node.file, start: node.start, end: node.end, items };
}

/** `[db]` as `{ db: null }`; what is depended on has its condition already. */
export function named(node: Node, under: string): Node {
  if (node.kind !== "list") return node;
  const entries = new Map<string, Entry>();
  for (const item of node.items) {
    const name = textOf(item);
    if (name === null) continue;
    const nothing: Scalar = { kind: "scalar", file: item.file, start: item.end, end: item.end, value: null };
    entries.set(name, { key: item, value: under === "depends_on" ? started(item) : nothing });
  }
  return { kind: "mapping", file: node.file, start: node.start, end: node.end, entries };
}

function started(at: Node): Mapping {
  const { file, start, end } = at;
  const entry = (value: string | boolean): Entry => ({
    key: at,
    value: { kind: "scalar", file, start, end, value },
  });
  const entries = new Map([["condition", entry("service_started")], ["required", entry(true)]]);
  return { kind: "mapping", file, start, end, entries };
}

/** `./web` as `{ context: ./web }`. */
export function built(node: Node): Node {
  if (node.kind !== "scalar") return node;
  const entries = new Map<string, Entry>([["context", { key: node, value: node }]]);
  return { kind: "mapping", file: node.file, start: node.start, end: node.end, entries };
}
