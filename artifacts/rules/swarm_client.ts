/** Finds what `docker stack deploy` refuses in a file that Compose and berth read. */

import type { Group, Node, Scalar } from "../artifact.ts";
import { entriesOf, textOf, writtenOr } from "../yaml/values.ts";
import type { Shape } from "./compose_shape.ts";
import type { Say } from "./say.ts";
import { STACK_FILE } from "./stack_shape.ts";

/** Holds each file of a group against the client's format, before anything is merged or filled in. */
export function checkForClient(group: Group, say: Say): void {
  for (const file of group.sources) {
    if (file.kind !== "compose" || group.bases.includes(file)) continue;
    for (const document of file.documents) walk(document, STACK_FILE, [], { say, subject: group.id });
  }
}

interface Ground {
  readonly say: Say;
  readonly subject: string;
}

type Path = readonly string[];

function walk(node: Node, shape: Shape, path: Path, ground: Ground): void {
  if (shape === "anything") return;
  if (typeof shape === "object" && "nullable" in shape) {
    return isNothing(node) ? undefined : walk(node, shape.nullable, path, ground);
  }
  const fitting = choicesOf(shape).find((one) => fits(node, one));
  if (fitting === undefined) {
    return refuse(ground, node, `\`${path.join(".")}\`, which must be ${expected(shape)}`);
  }
  if (typeof fitting === "string" || "oneOf" in fitting) return;
  if (node.kind === "list") walkList(node.items, fitting, path, ground);
  else walkMap(node, fitting, path, ground);
}

function walkList(items: readonly Node[], shape: Shape, path: Path, ground: Ground): void {
  const item = inner(shape);
  const seen = new Set<string>();
  for (const [at, one] of items.entries()) {
    const text = textOf(one);
    if (typeof shape === "object" && "set" in shape && text !== null && seen.has(text)) {
      refuse(ground, one, `"${writtenOr(one, text)}" for the second time in \`${path.join(".")}\``);
    }
    if (text !== null) seen.add(text);
    walk(one, item, [...path, String(at)], ground);
  }
}

function walkMap(node: Node, shape: Shape, path: Path, ground: Ground): void {
  // At the root, in the lists of services and the like, and in a service, but in nothing below it.
  const hasOwn = path.length < 3;
  for (const [key, { key: at, value }] of entriesOf(node)) {
    if (hasOwn && key.startsWith("x-")) continue;
    const next = [...path, writtenOr(at, key)];
    if (typeof shape === "object" && "keys" in shape) {
      const known = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
      if (known === undefined) refuse(ground, at, `\`${next.join(".")}\``);
      else walk(value, known, next, ground);
    } else walk(value, inner(shape), next, ground);
  }
}

function refuse({ say, subject }: Ground, at: Parameters<Say>[1], what: string): void {
  say("swarm/cli-refuses", at, `"docker stack deploy" refuses ${what}; berth reads it`, { subject });
}

const choicesOf = (shape: Shape): readonly Shape[] =>
  typeof shape === "object" && "either" in shape ? shape.either : [shape];

function inner(shape: Shape): Shape {
  if (typeof shape !== "object") return "anything";
  return "list" in shape ? shape.list : "set" in shape ? shape.set : "map" in shape ? shape.map : "anything";
}

const isNothing = (node: Node): boolean => node.kind === "scalar" && node.value === null;

/** Returns true if a value is of the kind that a shape begins with. */
function fits(node: Node, shape: Shape): boolean {
  if (shape === "anything") return true;
  if (typeof shape === "object" && "nullable" in shape) return isNothing(node) || fits(node, shape.nullable);
  if (typeof shape === "object" && !("oneOf" in shape)) {
    return node.kind === ("list" in shape || "set" in shape ? "list" : "mapping");
  }
  return node.kind === "scalar" && isOf(node, shape);
}

function isOf({ value }: Scalar, shape: Shape): boolean {
  // The client puts a variable in first, and then takes it for what belongs there.
  if (typeof value === "string" && value.includes("$")) return true;
  if (typeof shape === "object") {
    return "oneOf" in shape && typeof value === "string" && shape.oneOf.includes(value);
  }
  if (shape === "text") return value === null || typeof value !== "boolean";
  const kind: string = typeof value;
  return kind === (shape === "word" ? "string" : shape);
}

function expected(shape: Shape): string {
  if (typeof shape === "string") return NAMES[shape];
  if ("either" in shape) return shape.either.map(expected).join(" or ");
  if ("nullable" in shape) return expected(shape.nullable);
  if ("oneOf" in shape) return shape.oneOf.map((word) => `"${word}"`).join(" or ");
  return "list" in shape || "set" in shape ? "a list" : "a mapping";
}

const NAMES = {
  anything: "anything",
  word: "a text in quotes",
  text: "a text or a number",
  number: "a number",
  boolean: "true or false",
} as const;
