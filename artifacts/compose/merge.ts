/** Merges Compose documents by Compose's rules. Each value keeps the place where it was written. */

import type { Entry, List, Mapping, Node, Scalar } from "../artifact.ts";
import { isNull, oneOrMany, textOf, valueAt, withEntries, withItems } from "../yaml/values.ts";
import { lastMounts, splitMount } from "./mounts.ts";

/** Lists of `KEY=value` that merge by key; a later key without a value takes the earlier one's away. */
const KEYED = new Set([
  "environment",
  "labels",
  "annotations",
  "args",
  "sysctls",
  "additional_contexts",
]);
/** Lists of names that are mappings in long form. */
const NAMED = new Set(["depends_on", "networks", "models"]);
/** Argument vectors: the later one replaces. */
const REPLACED = new Set(["command", "entrypoint", "test"]);
/** Lists of scalars in which Compose removes duplicates. */
const SETS = new Set([
  "cap_add",
  "cap_drop",
  "dns",
  "dns_search",
  "dns_opt",
  "expose",
  "profiles",
  "security_opt",
  "tags",
  "tmpfs",
  "group_add",
  "external_links",
  "env_file",
  "label_file",
]);

/** `over` wins. Neither is changed. */
function merge(under: Node, over: Node, key = "", inService = false): Node {
  if (over.tag === "!override") return untagged(over);
  // Nothing replaces them, too.
  if (REPLACED.has(key)) return over;
  if (isNull(over)) return under;
  if (isNull(under)) return over;
  if (inService) {
    if (KEYED.has(key)) return mergeKeyed(keyed(under), keyed(over));
    if (NAMED.has(key)) return mergeMappings(named(under, key), named(over, key), true);
    if (key === "extra_hosts") return unique(hosts(under), hosts(over), textOf);
    if (key === "build") return mergeMappings(built(under), built(over), true);
    if (key === "logging" && differ(under, over, "driver")) return over;
    if (key === "ports") return unique(under, over, portKey);
    if (key === "volumes" && under.kind === "list" && over.kind === "list") {
      const below = under.merged ? under.items : lastMounts([], under.items);
      return { ...withItems(over, lastMounts(below, over.items)), merged: true };
    }
    if (key === "devices") return unique(under, over, mountKey);
    if (key === "secrets" || key === "configs") return unique(under, over, grantKey);
  }
  if (under.kind === "mapping" && over.kind === "mapping") return mergeMappings(under, over, inService);
  if (under.kind === "list" && over.kind === "list") {
    return inService && SETS.has(key) ? unique(under, over, scalarKey) : append(under, over);
  }
  if (inService && SETS.has(key) && under.kind !== "mapping" && over.kind !== "mapping") {
    return unique(asList(under), asList(over), scalarKey);
  }
  return over;
}

function mergeMappings(under: Node, over: Node, inService: boolean): Node {
  if (under.kind !== "mapping" || over.kind !== "mapping") return over;
  const entries = new Map(under.entries);
  for (const [key, entry] of over.entries) {
    if (entry.value.tag === "!reset") {
      entries.delete(key);
      continue;
    }
    const below = entries.get(key);
    entries.set(
      key,
      below ? { key: entry.key, value: merge(below.value, entry.value, key, inService) } : entry,
    );
  }
  return withEntries(over, entries);
}

function mergeKeyed(under: Node, over: Node): Node {
  if (under.kind !== "mapping" || over.kind !== "mapping") return over;
  const entries = new Map(under.entries);
  for (const [key, entry] of over.entries) {
    if (entry.value.tag === "!reset") entries.delete(key);
    else entries.set(key, entry);
  }
  return withEntries(over, entries);
}

/** Merges two documents; services have rules of their own. */
export function mergeDocuments(under: Mapping, over: Mapping): Mapping {
  const entries = new Map(under.entries);
  for (const [section, entry] of over.entries) {
    if (entry.value.tag === "!reset") {
      entries.delete(section);
      continue;
    }
    const below = entries.get(section);
    if (!below) entries.set(section, entry);
    else if (section === "services" && bothMappings(below.value, entry.value)) {
      entries.set(section, { key: entry.key, value: mergeServices(below.value, entry.value) });
    } else entries.set(section, { key: entry.key, value: merge(below.value, entry.value, section) });
  }
  return withEntries(over, entries);
}

function bothMappings(one: Node, other: Node): boolean {
  return one.kind === "mapping" && other.kind === "mapping" && other.tag !== "!override";
}

function mergeServices(under: Node, over: Node): Node {
  if (under.kind !== "mapping" || over.kind !== "mapping") return over;
  const entries = new Map(under.entries);
  for (const [name, entry] of over.entries) {
    const below = entries.get(name);
    if (entry.value.tag === "!reset") entries.delete(name);
    else if (!below) entries.set(name, entry);
    // The key stays where the service was first written: that is where it is defined.
    else entries.set(name, { key: below.key, value: mergeService(below.value, entry.value) });
  }
  return withEntries(over, entries);
}

/** Merges two definitions of one service. */
export function mergeService(under: Node, over: Node): Node {
  return merge(under, over, "", true);
}

/** Removes what `!reset` marks and takes the tags off; the same tree where there is none. */
export function settle(node: Node): Node {
  if (node.kind === "mapping") {
    let entries: Map<string, Entry> | undefined;
    for (const [key, entry] of node.entries) {
      if (entry.value.tag === "!reset") {
        (entries ??= new Map(node.entries)).delete(key);
        continue;
      }
      const value = settle(entry.value);
      if (value !== entry.value) (entries ??= new Map(node.entries)).set(key, { key: entry.key, value });
    }
    return entries ? withEntries(node, entries) : untagged(node);
  }
  if (node.kind === "list") {
    const items = node.items.map(settle);
    return items.some((item, index) => item !== node.items[index]) ? withItems(node, items) : untagged(node);
  }
  return untagged(node);
}

function untagged(node: Node): Node {
  if (!node.tag) return node;
  const { tag: _, ...rest } = node;
  return rest;
}

function append(under: List, over: List): List {
  return withItems(over, [...under.items, ...over.items]);
}

function asList(node: Node): Node {
  return node.kind === "scalar"
    ? { kind: "list", file: node.file, start: node.start, end: node.end, items: [node] }
    : node;
}

/** The later item of one key takes the place of the earlier one. */
function unique(under: Node, over: Node, keyOf: (item: Node) => string | null): Node {
  if (under.kind !== "list" || over.kind !== "list") return over;
  const items: Node[] = [];
  const places = new Map<string, number>();
  for (const item of [...under.items, ...over.items]) {
    const key = keyOf(item);
    const place = key === null ? undefined : places.get(key);
    if (place !== undefined) items[place] = item;
    else {
      if (key !== null) places.set(key, items.length);
      items.push(item);
    }
  }
  return withItems(over, items);
}

function scalarKey(item: Node): string | null {
  return textOf(item) ?? textOf(valueAt(item, "path"));
}

function portKey(item: Node): string | null {
  if (item.kind === "scalar") {
    const text = textOf(item);
    return text === null ? null : text.includes("/") ? text : `${text}/tcp`;
  }
  const target = textOf(valueAt(item, "target"));
  if (target === null) return null;
  const ip = textOf(valueAt(item, "host_ip"));
  const published = textOf(valueAt(item, "published"));
  const host = published === null ? "" : `${ip === null ? "" : `${ip}:`}${published}:`;
  return `${host}${target}/${textOf(valueAt(item, "protocol")) ?? "tcp"}`;
}

function mountKey(item: Node): string | null {
  const text = textOf(item);
  if (text === null) return textOf(valueAt(item, "target"));
  const [source, target] = splitMount(text);
  return target ?? source ?? null;
}

function grantKey(item: Node): string | null {
  return textOf(item) ?? textOf(valueAt(item, "target")) ?? textOf(valueAt(item, "source"));
}

function differ(under: Node, over: Node, key: string): boolean {
  const below = textOf(valueAt(under, key));
  const above = textOf(valueAt(over, key));
  return above !== null && below !== null && below !== above;
}

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
function hosts(node: Node): Node {
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

function built(node: Node): Node {
  if (node.kind !== "scalar") return node;
  const entries = new Map<string, Entry>([["context", { key: node, value: node }]]);
  return { kind: "mapping", file: node.file, start: node.start, end: node.end, entries };
}
