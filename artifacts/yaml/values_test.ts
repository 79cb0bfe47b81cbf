import assert from "node:assert/strict";
import type { ArtifactFile, Node } from "../artifact.ts";
import { parseYaml } from "./parse.ts";
import { draftOf } from "./source.ts";
import {
  entriesOf,
  entryOf,
  isNull,
  isUnknown,
  listOf,
  numberOf,
  oneOrMany,
  scalarOf,
  textOf,
  truthOf,
  valueAt,
} from "./values.ts";

/** The value of a text that stands behind `a:`, as the parser reads it. */
function read(text: string): Node | null {
  const file: ArtifactFile = draftOf({
    path: "compose.yaml",
    kind: "compose",
    text: `a: ${text}\n`,
    hash: "",
  });
  return valueAt(parseYaml(file).documents[0], "a");
}

const UNKNOWN: Node = { ...scalar(""), unknown: true, interpolated: true };
function scalar(value: string | number | boolean | null): Node & { kind: "scalar" } {
  const node = read("x");
  assert.ok(node?.kind === "scalar");
  const { plain: _, ...rest } = node;
  return { ...rest, value };
}

// Numbers and truth values as compose-go 2.14 answers for `cpus` and `privileged` with the same value.
for (
  const [written, text, number, truth] of [
    ["web", "web", null, null],
    ["3.10", "3.10", 3.1, null],
    ["0x10", "0x10", 16, null],
    ["0o17", "0o17", 15, null],
    ["1e1", "1e1", 10, null],
    ["-1", "-1", -1, null],
    [".inf", ".inf", null, null],
    [".nan", ".nan", null, null],
    [`"5"`, "5", 5, null],
    [`"+5"`, "+5", 5, null],
    [`".5"`, ".5", 0.5, null],
    [`"1e1"`, "1e1", 10, null],
    [`"0x10"`, "0x10", null, null],
    [`" 5 "`, " 5 ", null, null],
    [`""`, "", null, null],
    ["true", "true", null, true],
    ["False", "False", null, false],
    ["yes", "yes", null, true],
    ["off", "off", null, false],
    [`"TRUE"`, "TRUE", null, true],
    [`"n"`, "n", null, false],
    ["1", "1", 1, null],
    ["null", null, null, null],
    ["", null, null, null],
    ["[1, true]", null, null, null],
    ["{ b: 1 }", null, null, null],
  ] as const
) {
  Deno.test(`\`a: ${written}\` as a text, a number and a truth value`, () => {
    const node = read(written);
    assert.deepEqual([textOf(node), numberOf(node), truthOf(node)], [text, number, truth]);
  });
}

Deno.test("oneOrMany() takes a scalar for a list of one, and listOf() does not", () => {
  for (
    const [written, one, list] of [
      ["x", 1, 0],
      ["[x, y]", 2, 2],
      ["[]", 0, 0],
      ["null", 0, 0],
      ["{ b: c }", 0, 0],
    ] as const
  ) {
    const node = read(written);
    assert.deepEqual([oneOrMany(node).length, listOf(node).length], [one, list], written);
  }
  assert.deepEqual([oneOrMany(UNKNOWN).length, listOf(UNKNOWN).length], [1, 0]);
});

Deno.test("a value that holds an unset variable is unknown: no text, number or truth, and not null", () => {
  assert.deepEqual([textOf(UNKNOWN), numberOf(UNKNOWN), truthOf(UNKNOWN)], [null, null, null]);
  assert.deepEqual([isUnknown(UNKNOWN), isNull(UNKNOWN), scalarOf(UNKNOWN)], [true, false, UNKNOWN]);
});

Deno.test("what a variable put in is read as its value: a text stays as it is, a number is decimal", () => {
  const put = (value: string | number): Node => ({ ...scalar(value), plain: true, interpolated: true });
  assert.deepEqual([textOf(put("3.10")), numberOf(put("3.10"))], ["3.10", 3.1]);
  assert.deepEqual([textOf(put("0x10")), numberOf(put("0x10"))], ["0x10", null]);
  assert.equal(textOf(put(3.1)), "3.1");
});

Deno.test("valueAt() follows keys and indexes, and answers null wherever there is nothing", () => {
  const node = read("{ b: [1, { c: x }], d: null }");
  assert.equal(textOf(valueAt(node, "b", 1, "c")), "x");
  for (const path of [["z"], ["b", "c"], ["b", 2], ["b", 1, "c", "e"], [0]]) {
    assert.equal(valueAt(node, ...path), null, path.join("."));
  }
  assert.deepEqual([valueAt(node), valueAt(null, "b"), valueAt(undefined)], [node, null, null]);
  assert.equal(isNull(valueAt(node, "d")) && valueAt(node, "d") !== null, true);
});

Deno.test("entries are those of mappings alone", () => {
  const node = read("{ b: 1, c: 2 }");
  assert.deepEqual([...entriesOf(node)].map(([key]) => key), ["b", "c"]);
  assert.deepEqual([numberOf(entryOf(node, "c")?.value), entryOf(node, "z")], [2, null]);
  assert.deepEqual([[...entriesOf(read("[b]"))], entryOf(read("b"), "b")], [[], null]);
});
