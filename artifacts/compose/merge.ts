/** Merges Compose documents by Compose's rules. Each value keeps the place where it was written. */

import type { Entry, Mapping, Node } from "../artifact.ts";
import { isNull, isUnknown, scalarsOf, textOf, valueAt, withEntries, withItems } from "../yaml/values.ts";
import { built, hosts, keyed, named } from "./long_forms.ts";
import { lastMounts, splitMount } from "./mounts.ts";

/** A place in a document: its section, a name there, and the keys below. */
type Path = readonly string[];
type Rule = (under: Node, over: Node, path: Path) => Node;

/** Lists of `KEY=value` that merge by key; a later key without a value takes the earlier one's away. */
const byKey: Rule = (under, over) => mergeKeyed(keyed(under), keyed(over));
/** Lists of names that are mappings in long form. */
const byName: Rule = (under, over, path) => {
  const key = path.at(-1)!; // a rule stands for a key
  return mergeMappings(named(under, key), named(over, key), path);
};
/** Lists of scalars, or one of them, in which Compose removes duplicates. */
const asSet: Rule = (under, over) =>
  under.kind === "mapping" || over.kind === "mapping" ? over : unique(asList(under), asList(over), scalarKey);
const byItem = (keyOf: (item: Node) => string | null): Rule => (under, over) => unique(under, over, keyOf);
const hostsMerged: Rule = (under, over) => unique(hosts(under), hosts(over), textOf);
/** Argument vectors: the later one replaces, also where it is nothing. */
const replaced: Rule = (_under, over) => over;

const SETS = ["cap_add", "cap_drop", "dns", "dns_search", "dns_opt", "expose", "profiles", "security_opt"]
  .concat(["build.tags", "tmpfs", "group_add", "external_links", "env_file", "label_file"]);
const KEYED = ["environment", "labels", "annotations", "sysctls", "deploy.labels"]
  .concat(["build.args", "build.labels", "build.additional_contexts"]);

/** Places that are not merged as mappings and lists are everywhere; `*` is any name. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...["networks", "volumes", "secrets", "configs"].map((one) => [`${one}.*.labels`, byKey] as const),
  ["networks.*.ipam.config", mergeSubnets],
  ...Object.entries({
    ...Object.fromEntries(SETS.map((key) => [key, asSet])),
    ...Object.fromEntries(KEYED.map((key) => [key, byKey])),
    ...Object.fromEntries(["depends_on", "networks", "models"].map((key) => [key, byName])),
    "command": replaced,
    "entrypoint": replaced,
    "healthcheck.test": replaced,
    "extra_hosts": hostsMerged,
    "build.extra_hosts": hostsMerged,
    "build": (under: Node, over: Node, path: Path) => mergeMappings(built(under), built(over), path),
    "logging": (under: Node, over: Node, path: Path) =>
      differ(under, over, "driver") ? over : mergeMappings(under, over, path),
    "ports": byItem(portKey),
    "volumes": mergeMounts,
    "devices": byItem(mountKey),
    "secrets": byItem(grantKey),
    "configs": byItem(grantKey),
  }).map(([key, rule]) => [`services.*.${key}`, rule] as const),
]);

function ruleAt([section, , ...keys]: Path): Rule | undefined {
  return keys.length === 0 ? undefined : RULES.get(`${section}.*.${keys.join(".")}`);
}

/** `over` wins. Neither is changed. */
function merge(under: Node, over: Node, path: Path): Node {
  if (over.tag === "!override") return untagged(over);
  const rule = ruleAt(path);
  if (rule === replaced) return over;
  if (isNull(over)) return under;
  if (isNull(under)) return over;
  if (rule !== undefined) return rule(under, over, path);
  if (under.kind === "mapping" && over.kind === "mapping") return mergeMappings(under, over, path);
  return under.kind === "list" && over.kind === "list" ? unique(under, over, wholeKey) : over;
}

function mergeMappings(under: Node, over: Node, path: Path): Node {
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
      below ? { key: entry.key, value: merge(below.value, entry.value, [...path, key]) } : entry,
    );
  }
  return withEntries(over, entries);
}

function mergeMounts(under: Node, over: Node): Node {
  if (under.kind !== "list" || over.kind !== "list") return over;
  const below = under.merged ? under.items : lastMounts([], under.items);
  return { ...withItems(over, lastMounts(below, over.items)), merged: true };
}

/** Address ranges merge by their subnet. What Compose does with several of them is strange, and done here as well. */
function mergeSubnets(under: Node, over: Node, path: Path): Node {
  if (under.kind !== "list" || over.kind !== "list") return over;
  const subnetOf = ({ node }: { node: Node }) => textOf(valueAt(node, "subnet"));
  const found: { node: Node }[] = [];
  for (const item of under.items) {
    const own = { node: item };
    for (const other of over.items.map((node) => ({ node }))) {
      const subnet = subnetOf(other);
      if (subnet !== subnetOf(own) && !found.some((one) => subnetOf(one) === subnet)) {
        found.push(other);
        continue;
      }
      // Also where it is in the list by now, which changes it there.
      own.node = mergeMappings(own.node, other.node, path);
      const index = found.findIndex((one) => subnetOf(one) === subnetOf(own));
      if (index === -1) found.push(own);
      else found[index] = own;
    }
  }
  return withItems(over, found.map(({ node }) => node));
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
    } else entries.set(section, { key: entry.key, value: merge(below.value, entry.value, [section]) });
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
  return mergeNamed("services", under, over);
}

/** Merges two definitions of one name in a section. */
export function mergeNamed(section: string, under: Node, over: Node): Node {
  return merge(under, over, [section, "*"]);
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

/** An item is left out where the very same is there. */
function wholeKey(item: Node): string | null {
  return scalarsOf(item).some(isUnknown) ? null : JSON.stringify(plainOf(item));
}

function plainOf(node: Node): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainOf);
  const entries = [...node.entries].map(([key, { value }]) => [key, plainOf(value)] as const);
  return entries.sort(([one], [other]) => one < other ? -1 : 1);
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
