/** Which keys of a service the table stands for, so that no key is dropped without a word. */

import type { Node, Place, Unit } from "../../artifacts/artifact.ts";
import { isNull, textOf } from "../../artifacts/yaml/values.ts";
import { FIELDS } from "./table.ts";

/** Keys that change nothing in a container: who reads them is Compose itself, a swarm, or another row of a plan. */
const NO_EFFECT = [
  "profiles",
  "scale",
  "extends",
  "develop",
  "attach",
  "deploy.replicas",
  "deploy.mode",
  "deploy.endpoint_mode",
  "deploy.labels",
  "deploy.placement",
  "deploy.update_config",
  "deploy.rollback_config",
  "deploy.resources.reservations.cpus",
];

/** Every key by its parts; `*` is any. */
interface Branch {
  readonly next: Map<string, Branch>;
  isCovered: boolean;
}

function treeOf(keys: readonly string[]): Branch {
  const root: Branch = { next: new Map(), isCovered: false };
  for (const key of keys) {
    let branch = root;
    for (const part of key.split(".")) {
      const known = branch.next.get(part);
      const next: Branch = known ?? { next: new Map(), isCovered: false };
      if (known === undefined) branch.next.set(part, next);
      branch = next;
    }
    branch.isCovered = true;
  }
  return root;
}

/** A key of a service, and where it is written. */
interface WrittenKey {
  readonly key: string;
  readonly at: Place;
}

/** Returns a function that finds every key of a service that is none of these. */
export function uncoveredBy(keys: readonly string[]): (unit: Unit) => readonly WrittenKey[] {
  const root = treeOf(keys);
  const known = new WeakMap<Unit, readonly WrittenKey[]>();
  return (unit) => {
    const before = known.get(unit);
    if (before !== undefined) return before;
    const found: WrittenKey[] = [];
    if (unit.service !== null) walk(unit.value, root, "", found);
    known.set(unit, found);
    return found;
  };
}

/** Returns every key of a service that no row stands for. */
export const uncovered = uncoveredBy([...NO_EFFECT, ...FIELDS.flatMap(({ covers }) => covers)]);

function walk(node: Node, branch: Branch, path: string, found: WrittenKey[]): void {
  if (node.kind === "scalar") return; // short for what is covered
  const children: Iterable<readonly [string, Place, Node]> = node.kind === "list"
    ? node.items.map((item, index) => [String(index), item, item] as const)
    : [...node.entries].map(([key, entry]) => [key, entry.key, entry.value] as const);
  for (const [key, at, value] of children) {
    if (key.startsWith("x-") || isNull(value)) continue;
    const next = branch.next.get(key) ?? branch.next.get("*");
    const name = path === "" ? key : `${path}.${key}`;
    if (next === undefined) found.push({ key: name, at });
    else if (next.next.size > 0) walk(value, next, name, found);
  }
}

/** Every key of a service that says something, with its place: `volumes.0.bind`, and `volumes.*.bind` for any item. */
export function* keysOf(
  unit: Unit,
): Iterable<
  { readonly key: string; readonly pattern: string; readonly at: Place; readonly isImage: boolean }
> {
  if (unit.service !== null) yield* keysIn(unit.value, "", "");
}

/** Names that the author chose stand for any. */
const NAMED = ["networks"];

function* keysIn(node: Node, path: string, pattern: string): ReturnType<typeof keysOf> {
  if (node.kind === "scalar") return;
  const isAny = node.kind === "list" || NAMED.includes(pattern);
  const children: Iterable<readonly [string, Place, Node]> = node.kind === "list"
    ? node.items.map((item, index) => [String(index), item, item] as const)
    : [...node.entries].map(([key, entry]) => [key, entry.key, entry.value] as const);
  for (const [name, at, value] of children) {
    if (name.startsWith("x-") || isNull(value)) continue;
    const join = (before: string, one: string) => before === "" ? one : `${before}.${one}`;
    const key = join(path, name);
    const isImage = key.startsWith("volumes.") && name === "type" && textOf(value) === "image";
    const next = join(pattern, isAny ? "*" : name);
    yield { key, pattern: next, at, isImage };
    yield* keysIn(value, key, next);
  }
}
