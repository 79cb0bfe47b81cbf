/** Holds a Compose file against its shape: each file by itself, before anything is merged or filled in. */

import type { ArtifactFile, Finding, Group, Node } from "../artifact.ts";
import { didYouMean } from "../graph/names.ts";
import { COMPOSE_FILE, type Shape } from "./compose_shape.ts";
import { numberOf, truthOf } from "../yaml/values.ts";
import { type Say, sayInto } from "./say.ts";

const known = new WeakMap<ArtifactFile, readonly Finding[]>();

/** What is wrong with the shape of the files of a group. Worked out once for each text. */
export function* checkShapes(group: Group): Iterable<Finding> {
  for (const file of group.sources) {
    if (file.kind !== "compose") continue;
    let findings = known.get(file);
    if (findings === undefined) {
      const found: Finding[] = [];
      for (const document of file.documents) walk(document, COMPOSE_FILE, [], sayInto(found));
      known.set(file, findings = found);
    }
    yield* findings;
  }
}

type Path = readonly (string | number)[];

function walk(node: Node, shape: Shape, path: Path, say: Say): void {
  // What is reset is gone, whatever stands there; null is dropped.
  if (shape === "anything" || node.tag === "!reset" || (node.kind === "scalar" && node.value === null)) {
    return;
  }
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
  } else if ("map" in shape && node.kind === "mapping") {
    for (const [key, { value }] of node.entries) {
      if (!key.startsWith("x-") || path.length > 1) walk(value, shape.map, [...path, key], say);
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

/** Whether a value is of the kind that a shape begins with; its inside is looked at later. */
function accepts(node: Node, shape: Shape): boolean {
  if (typeof shape === "object") {
    if ("either" in shape) return shape.either.some((one) => accepts(node, one));
    return node.kind === ("list" in shape ? "list" : "mapping");
  }
  if (shape === "anything") return true;
  if (node.kind !== "scalar") return false;
  if (shape === "text" || node.value === null) return true;
  const { value } = node;
  // A variable may turn out to be anything that a word can be read as.
  if (typeof value === "string" && value.includes("$")) return true;
  if (shape === "boolean") {
    return truthOf(node) !== null;
  }
  return numberOf(node) !== null;
}

function sayWrong(node: Node, shape: Shape, path: Path, say: Say): void {
  const where = path.length === 0 ? "The file" : `"${path.join(".")}"`;
  say("schema/invalid", node, `${where} is ${found(node)}, expected ${expected(shape)}`);
}

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
  return "list" in shape ? "a list" : "a mapping";
}
