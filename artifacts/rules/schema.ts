/** Holds a Compose file against its shape: each file by itself, before anything is merged or filled in. */

import type { ArtifactFile, Finding, Group, Node } from "../artifact.ts";
import { didYouMean } from "../graph/names.ts";
import { numberOf, textOf, truthOf, writtenOr } from "../yaml/values.ts";
import { COMPOSE_FILE, SERVICE, type Shape } from "./compose_shape.ts";
import { type Say, sayInto } from "./say.ts";

const known = new WeakMap<ArtifactFile, readonly Finding[]>();

/** Yields what is wrong with the shape of a group's files. Computed once for each text. */
export function* checkShapes(group: Group): Iterable<Finding> {
  for (const file of group.sources) {
    // Of such a file only what is taken counts, which is seen where it is taken.
    if (file.kind !== "compose" || group.bases.includes(file)) continue;
    let findings = known.get(file);
    if (findings === undefined) {
      const found: Finding[] = [];
      for (const document of file.documents) walk(document, COMPOSE_FILE, [], sayInto(found));
      known.set(file, findings = found);
    }
    yield* findings;
  }
}

/** The names of services and resources, as Compose takes them. */
const NAME = /^[a-zA-Z0-9._-]+$/;

/** Checks what only shows once the files of a project are joined, such as values that none of them gives. */
export function checkWhole(group: Group, say: Say): void {
  if (group.value === null) return;
  if (!group.incomplete) holes(group.value, COMPOSE_FILE, [], say);
  if (group.bases.length === 0) return;
  for (const unit of group.units) if (unit.service !== null) checkServiceShape(unit.label, unit.value, say);
}

/** A service with its variables put in. */
export function checkServiceShape(name: string, value: Node, say: Say): void {
  walk(value, SERVICE, ["services", name], say);
}

type Path = readonly (string | number)[];

function holes(node: Node, shape: Shape, path: Path, say: Say): void {
  if (shape === "anything" || typeof shape === "string") {
    if (shape !== "anything" && isNothing(node)) sayEmpty(node, shape, path, say);
    return;
  }
  if ("nullable" in shape) return isNothing(node) ? undefined : holes(node, shape.nullable, path, say);
  if (isNothing(node)) {
    // A service without anything in it has a rule of its own.
    if (path.length !== 2 || path[0] !== "services") sayEmpty(node, shape, path, say);
    return;
  }
  if ("either" in shape) {
    const fitting = shape.either.find((one) => accepts(node, one));
    if (fitting !== undefined) holes(node, fitting, path, say);
  } else if (node.kind === "list" && ("list" in shape || "set" in shape)) {
    const item = "list" in shape ? shape.list : shape.set;
    node.items.forEach((one, index) => holes(one, item, [...path, index], say));
  } else if (node.kind === "mapping" && "map" in shape) {
    for (const [key, { key: at, value }] of node.entries) {
      if (!key.startsWith("x-") || path.length > 1) {
        holes(value, shape.map, [...path, writtenOr(at, key)], say);
      }
    }
  } else if (node.kind === "mapping" && "keys" in shape) {
    for (const [key, { value }] of node.entries) {
      const inner = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
      if (inner !== undefined) holes(value, inner, [...path, key], say);
    }
    for (const key of shape.needed) {
      if (!node.entries.has(key)) say("schema/invalid", node, `"${path.join(".")}" needs "${key}"`);
    }
  }
}

const isNothing = (node: Node): boolean =>
  node.kind === "scalar" && node.value === null && node.unknown !== true;

function sayEmpty(node: Node, shape: Shape, path: Path, say: Say): void {
  say("schema/invalid", node, `"${path.join(".")}" is empty, expected ${expected(shape)}`);
}

function walk(node: Node, shape: Shape, path: Path, say: Say): void {
  // A reset value is gone, whatever it was; an empty one may be given by another file.
  if (shape === "anything" || node.tag === "!reset" || (node.kind === "scalar" && node.value === null)) {
    return;
  }
  if (typeof shape === "object" && "nullable" in shape) return walk(node, shape.nullable, path, say);
  if (typeof shape === "object" && "either" in shape) {
    const fitting = shape.either.find((one) => accepts(node, one));
    if (fitting === undefined) sayWrong(node, shape, path, say);
    else walk(node, fitting, path, say);
    return;
  }
  if (!accepts(node, shape)) return sayWrong(node, shape, path, say);
  if (typeof shape === "string") return;
  if ("list" in shape && node.kind === "list") {
    node.items.forEach((item, index) => walk(item, shape.list, [...path, index], say));
  } else if ("set" in shape && node.kind === "list") {
    const seen = new Set<string | null>();
    node.items.forEach((item, index) => {
      walk(item, shape.set, [...path, index], say);
      const text = textOf(item);
      if (text !== null && seen.has(text)) {
        say("schema/invalid", item, `"${path.join(".")}" has "${writtenOr(item, text)}" twice`);
      }
      seen.add(text);
    });
  } else if ("map" in shape && node.kind === "mapping") {
    for (const [key, { key: at, value }] of node.entries) {
      if (key.startsWith("x-") && path.length <= 1) continue;
      if (shape.names !== undefined && !NAME.test(key)) {
        say(
          "schema/invalid-name",
          at,
          `"${writtenOr(at, key)}" is not a valid ${shape.names} name: use letters, digits, ".", "_" and "-"`,
        );
      }
      walk(value, shape.map, [...path, writtenOr(at, key)], say);
    }
  } else if ("keys" in shape && node.kind === "mapping") {
    for (const [key, entry] of node.entries) {
      const inner = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
      if (inner !== undefined) walk(entry.value, inner, [...path, key], say);
      else if (!key.startsWith("x-")) {
        const where = path.length === 0 ? "" : ` in ${path.join(".")}`;
        say(
          "schema/unknown-property",
          entry.key,
          `Unknown property "${key}"${where}${didYouMean(key, Object.keys(shape.keys))}`,
        );
      }
    }
  }
}

/** Returns true if a value is of the kind that a shape begins with; its inside is looked at later. */
function accepts(node: Node, shape: Shape): boolean {
  if (typeof shape === "object") {
    if ("either" in shape) return shape.either.some((one) => accepts(node, one));
    if ("nullable" in shape) return accepts(node, shape.nullable);
    if ("oneOf" in shape) {
      if (node.kind === "scalar" && node.unknown) return true;
      return node.kind === "scalar" && typeof node.value === "string" &&
        (shape.oneOf.includes(node.value) || node.value.includes("$"));
    }
    return node.kind === ("list" in shape || "set" in shape ? "list" : "mapping");
  }
  if (shape === "anything") return true;
  if (node.kind !== "scalar") return false;
  if (shape === "text" || node.value === null) return true;
  const { value } = node;
  if (node.unknown) return true;
  if (shape === "word") return typeof value === "string";
  // A variable may turn out to be anything that a word can be read as.
  if (typeof value === "string" && value.includes("$")) return true;
  if (shape === "boolean") {
    return truthOf(node) !== null;
  }
  return numberOf(node) !== null;
}

function sayWrong(node: Node, shape: Shape, path: Path, say: Say): void {
  const where = path.length === 0 ? "The file" : `"${path.join(".")}"`;
  const is = typeof shape === "object" && "oneOf" in shape && node.kind === "scalar"
    ? `"${writtenOr(node, String(node.value))}"`
    : found(node);
  const quoted = wantsWord(shape) && node.kind === "scalar" && typeof node.value !== "string"
    ? `: write it as "${writtenOr(node, node.file.text.slice(node.start, node.end))}", with the quotes`
    : "";
  say("schema/invalid", node, `${where} is ${is}, expected ${expected(shape)}${quoted}`);
}

const wantsWord = (shape: Shape): boolean =>
  shape === "word" || (typeof shape === "object" && "either" in shape && shape.either.includes("word"));

function found(node: Node): string {
  if (node.kind !== "scalar") return `a ${node.kind}`;
  return typeof node.value === "string"
    ? "text"
    : typeof node.value === "number"
    ? "a number"
    : "true or false";
}

function expected(shape: Shape): string {
  if (shape === "boolean") return "true or false";
  if (shape === "number") return "a number";
  if (typeof shape === "string") return "text";
  if ("either" in shape) return [...new Set(shape.either.map(expected))].join(" or ");
  if ("nullable" in shape) return expected(shape.nullable);
  if ("oneOf" in shape) return shape.oneOf.map((word) => `"${word}"`).join(" or ");
  return "list" in shape || "set" in shape ? "a list" : "a mapping";
}
