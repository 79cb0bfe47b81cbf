/** Every change of one node leaves all other bytes, and the text reads as that change alone would. */

import assert from "node:assert/strict";
import type { Node } from "../artifact.ts";
import { parseNow } from "../files/parse_file.ts";
import { appended, dropped, inserted, removed, replaced, type Splice, spliced } from "./splice.ts";

function read(text: string): Node {
  const file = parseNow({ path: "compose.yaml", kind: "compose", text, hash: "" });
  assert.deepEqual(file.findings, [], text);
  return file.documents[0]!;
}

// deno-lint-ignore no-explicit-any -- a test looks into what was read
function plain(node: Node): any {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plain(value)]));
}

/** Each way in which a list of mappings stands in real files; `x` and the list are changed. */
const FILES: readonly string[] = [
  "a:\n  - name: x\n    size: 1\n  - name: y\nb: 1\n",
  "a:\n- name: x # one\n  size: 1 # two\n- name: y\nb: 1\n",
  "a:\n  - name: x\n\n    # of the size\n    size: 1\n\n  # the other\n  - name: y\nb: 1\n",
  "a:\n  -   name: x\n      size: 1\n  -   name: y\nb: 1\n",
  "a:\n  -\n    name: x\n    size: 1\n  -\n    name: y\nb: 1\n",
  "a:\n  - # - kept\n    name: x\n    size: 1\n  - name: y\nb: 1\n",
  "a:\n  - { name: x, size: 1 }\n  - { name: y }\nb: 1\n",
  "a: [{ name: x, size: 1 }, { name: y }]\nb: 1\n",
  "a:\n  - name: |\n      x\n    size: 1\n  - name: y\nb: 1\n",
  "a:\n  - name: x\n    size: |\n      1\n  - name: y\nb: 1\n",
  "a:\n  - name: x\n    size: >-\n      1\n      2\n  - name: y\nb: 1\n",
  "a:\n  - name: x\n    size:\n      - p: 1\n        q: 2\n      - p: 3\n  - name: y\nb: 1\n",
  "a:\n  - - name: x\n      size: 1\n    - two\n  - name: y\nb: 1\n",
  "a:\r\n  - name: x\r\n    size: 1\r\n  - name: y\r\nb: 1\r\n",
  "a:\n  - name: 'x'\n    size: \"1\"\n  - name: y\nb: 1",
  "a:\n  - name: -1\n    size: -2\n  - name: y\nb: 1\n",
  "b: 1\na:\n  - name: x\n    size: 1\n  - name: y",
  "b: 1\na:\n  - name: x\n    size: 1\n  - name: y\n# the end\n",
];

type Value = Parameters<typeof replaced>[1];
const VALUES: readonly Value[] = ["z", 7, "a: b # c", "two\nlines", ["p", "q"], { p: "q", r: ["s"] }];

/** Every change of a tree: the splice, and the same change of plain values. */
// deno-lint-ignore no-explicit-any -- as above
function* changesOf(node: Node, value: Value): Generator<[string, Splice | null, (all: any) => any]> {
  const walk = function* (one: Node, path: (string | number)[]): Generator<[Node, (string | number)[]]> {
    yield [one, path];
    if (one.kind === "list") { for (const [n, item] of one.items.entries()) yield* walk(item, [...path, n]); }
    if (one.kind === "mapping") {
      for (const [key, entry] of one.entries) yield* walk(entry.value, [...path, key]);
    }
  };
  // deno-lint-ignore no-explicit-any -- as above
  const changed = (path: (string | number)[], change: (parent: any, key: any) => void) => (all: any) => {
    const copy = structuredClone({ all });
    // deno-lint-ignore no-explicit-any -- as above
    const parent = path.slice(0, -1).reduce<any>((one, key) => one[key], copy.all);
    change(path.length === 0 ? copy : parent, path.length === 0 ? "all" : path.at(-1));
    return copy.all;
  };
  for (const [one, path] of walk(node, [])) {
    const where = path.join(".");
    yield [`replace ${where}`, replaced(one, value), changed(path, (parent, key) => parent[key] = value)];
    if (one.kind === "mapping") {
      yield [
        `insert ${where}`,
        inserted(one, "new", value),
        changed([...path, "new"], (to, key) => to[key] = value),
      ];
      for (const key of one.entries.keys()) {
        yield [
          `remove ${where} ${key}`,
          removed(one, key),
          changed([...path, key], (of, key) => delete of[key]),
        ];
      }
    }
    if (one.kind === "list") {
      yield [`append ${where}`, appended(one, value), changed([...path, 0], (to: Value[]) => to.push(value))];
      for (const [n, item] of one.items.entries()) {
        yield [
          `drop ${where} ${n}`,
          dropped(one, item),
          changed([...path, n], (of: Value[], n) => of.splice(n, 1)),
        ];
      }
    }
  }
}

Deno.test("a change inside items of a list gives exactly that value, or is refused", () => {
  for (const text of FILES) {
    const node = read(text);
    for (const value of VALUES) {
      for (const [name, splice, change] of changesOf(node, value)) {
        if (splice === null) continue;
        const after = spliced(text, [splice])!;
        const told = `${name} in\n${text}\ngave\n${after}`;
        assert.deepEqual(plain(read(after)), change(plain(node)), told);
      }
    }
  }
});
