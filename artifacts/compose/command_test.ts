/** Commands are split as Compose splits them. */
import assert from "node:assert/strict";
import { splitCommand } from "./command.ts";

const CASES: readonly [line: string, words: readonly string[] | null, cutAt?: number][] = [
  ["echo 'a b'  \"c d\" e\\ f", ["echo", "a b", "c d", "e f"]],
  ["a '' \"\"", ["a", "", ""]],
  ['a "b\\n\\"c"', ["a", 'bn"c']],
  ["x $(a 'b c' d) e", ["x", "$(a 'b c' d)", "e"]],
  ["x `a b` c", ["x", "`a b`", "c"]],
  ["echo a; echo b", ["echo", "a"], 6],
  ["a && b", ["a"], 2],
  ["a 2>&1", ["a"], 3],
  ["a 'b", null],
  ["a\\", null],
  ["(a) b", null],
  ["", []],
];

for (const [line, words, cutAt = null] of CASES) {
  Deno.test(`${JSON.stringify(line)} is ${words === null ? "no command" : JSON.stringify(words)}`, () => {
    assert.deepEqual(splitCommand(line), words === null ? null : { words, cutAt });
  });
}
