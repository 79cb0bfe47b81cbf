/** `.env` files are read as Compose reads them. */

import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { environmentOf } from "../compose/variables.ts";
import { parseNow } from "../files/parse_file.ts";

function read(text: string) {
  const file = parseNow({ path: ".env", kind: "env", text, hash: "" });
  return { values: Object.fromEntries(environmentOf([file])), file };
}

Deno.test("names and values, with comments, quotes and export", () => {
  const { values, file } = read(
    [
      "# a comment",
      "A=1",
      "export B = two words # and a comment",
      "C='single $A'",
      'D="double $A\\nline"',
      "E=${A}/x",
      "F=",
      "G: yaml-like",
      "H=a#b",
      'I="two',
      'lines"',
      "J",
    ].join("\r\n"),
  );
  assert.deepEqual(values, {
    A: "1",
    B: "two words",
    C: "single $A",
    D: "double 1\nline",
    E: "1/x",
    F: "",
    G: "yaml-like",
    H: "a#b",
    I: "two\r\nlines",
  });
  assert.deepEqual(file.findings, []);
});

Deno.test("a byte order mark is no part of the first name", () => {
  assert.deepEqual(read("\ufeffA=1\n").values, { A: "1" });
});

Deno.test("env/dotenv-syntax names the line, and the lines around it still count", () => {
  const { values, file } = read("A=1\nnot a name=2\nB=3\n");
  assert.deepEqual(values, { A: "1", B: "3" });
  const [finding] = file.findings;
  assert.equal(finding!.code, "env/dotenv-syntax");
  assert.equal(file.text.slice(finding!.at!.start, finding!.at!.end), "not a name=2");
});

Deno.test("a quote that is never closed is found where it opens", () => {
  const { file } = read('A="never\nB=1\n');
  assert.equal(file.findings[0]!.at!.start, 2);
});

Deno.test("an endless file has an end", () => {
  assert.deepEqual(read("A=1\n".repeat(30_000)).file.findings.map((finding) => finding.code), [
    "fs/limit-reached",
  ]);
});

Deno.test("no text whatsoever makes reading throw", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      read(text);
    }),
    { seed: 2026 },
  );
});
