/** Variables are put in as Compose does. */

import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { interpolateText, replaceExpressions } from "./interpolate.ts";

const ENVIRONMENT: Record<string, string> = { A: "a", B: "b", EMPTY: "" };
const run = (text: string) => interpolateText(text, (name) => ENVIRONMENT[name]);

const CASES: [text: string, value: string][] = [
  ["plain", "plain"],
  ["$A", "a"],
  ["${A}", "a"],
  ["x${A}y$B.", "xayb."],
  ["$$A", "$A"],
  ["$${A}", "${A}"],
  ["${NO:-default}", "default"],
  ["${NO-default}", "default"],
  ["${EMPTY:-default}", "default"],
  ["${EMPTY-default}", ""],
  ["${A:-default}", "a"],
  ["${A:+other}", "other"],
  ["${EMPTY:+other}", ""],
  ["${EMPTY+other}", "other"],
  ["${NO+other}", ""],
  ["${NO:-${B}}", "b"],
  ["${NO:-${NOT:-${A}-x}}!", "a-x!"],
  ["${A:?needed}", "a"],
  ["$(date) costs $1 and 5$", "$(date) costs $1 and 5$"],
];
for (const [text, value] of CASES) {
  Deno.test(`${text} becomes ${value}`, () => {
    const { filled: _, names: __, ...result } = run(text);
    assert.deepEqual(result, { value, unset: [], problem: null });
  });
}

Deno.test("a value is filled where that of a variable is in it, and not by the author's own default", () => {
  for (const text of ["$A", "x${A}", "${A:-b}", "${A:?b}", "${NO:-$A}", "${A:+$B}"]) {
    assert.equal(run(text).filled, true, text);
  }
  for (const text of ["a", "$$A", "${NO:-b}", "${A:+b}", "${EMPTY}", "$NO"]) {
    assert.equal(run(text).filled, false, text);
  }
});

Deno.test("Every variable that was looked up is named once, and every one of a text is replaced", () => {
  assert.deepEqual(run("$A-${NO:-${B}}${A}").names, ["A", "NO", "B"]);
  const replaced = (text: string) => replaceExpressions(text, (name) => `<${name}>`);
  assert.equal(replaced("a $A $$B ${C:-d ${E}}x ${F?g}"), "a <A> $$B d <E><C>x g<F>");
  assert.equal(replaced("${A:-${B ${C}"), "<A>:-<B> <C>", "what never ends hides no variable");
  const began = performance.now();
  replaced("${A".repeat(300_000));
  assert.ok(performance.now() - began < 20_000, "it is not quadratic");
});

Deno.test("a variable that is not set and has no default is named", () => {
  assert.deepEqual(run("$NO/${NOT}").unset, ["NO", "NOT"]);
});

for (const text of ["${NO:?say why}", "${NO?say why}", "${EMPTY:?say why}"]) {
  Deno.test(`${text} is a required variable that is missing`, () => {
    const { problem } = run(text);
    assert.equal(problem?.kind, "required");
    assert.equal(problem?.text, "say why");
  });
}

for (const text of ["${", "${}", "${A", "${A!x}", "${ A}", "${1}"]) {
  Deno.test(`${text} is no template`, () => {
    assert.equal(run(text).problem?.kind, "invalid");
  });
}

Deno.test("texts without a dollar stay as they are, and no text throws", () => {
  const part = fc.constantFrom("$", "{", "}", "A", ":-", "?", "$$", " ", "x");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      const { value } = run(text);
      if (!text.includes("$")) assert.equal(value, text);
    }),
    { seed: 2026 },
  );
});

Deno.test("defaults nested without end are no template", () => {
  assert.equal(run("${X:-".repeat(5000) + "}".repeat(5000)).problem?.kind, "invalid");
});
