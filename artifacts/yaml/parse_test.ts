/** Texts become values at their places, and texts made to exhaust a parser are refused. */

import assert from "node:assert/strict";
import process from "node:process";
import fc from "npm:fast-check@4.10.2";
import { stringify } from "yaml";
import type { ArtifactFile, Node } from "../artifact.ts";
import { parseFile, parseNow } from "../files/parse_file.ts";
import { positionOf } from "../position.ts";
import { ParseQueue } from "./parse_queue.ts";
import { scan } from "./scan.ts";
import type { Source } from "./source.ts";

function source(text: string): Source {
  return { path: "compose.yaml", kind: "compose", text, hash: "" };
}

function parse(text: string): ArtifactFile {
  return parseNow(source(text));
}

function codes(file: ArtifactFile): string[] {
  return file.findings.map((finding) => finding.code);
}

function plain(node: Node | undefined): unknown {
  if (node === undefined) return undefined;
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.value)]));
}

/** Returns the text that the finding points to. */
function marked(file: ArtifactFile, index = 0): string {
  const at = file.findings[index]!.at!;
  return file.text.slice(at.start, at.end);
}

Deno.test("a value keeps the place where it is written", () => {
  const file = parse("services:\n  web:\n    image: 'nginx'\n");
  const services = file.documents[0]!;
  assert.ok(services.kind === "mapping");
  const web = services.entries.get("services")!.value;
  assert.ok(web.kind === "mapping");
  const { key, value } = web.entries.get("web")!;
  assert.deepEqual(positionOf(file, key.start), { line: 2, column: 3, offset: 12 });
  assert.ok(value.kind === "mapping");
  const image = value.entries.get("image")!.value;
  assert.equal(file.text.slice(image.start, image.end), "'nginx'");
});

Deno.test("columns count UTF-16 units", () => {
  const file = parse("a: '😀'\nb: 1\n");
  assert.deepEqual(positionOf(file, file.text.indexOf("b")), { line: 2, column: 1, offset: 8 });
});

Deno.test("whatever JSON can say is read back as it was written", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (value) => {
      // JSON knows no -0, and object keys of digits come first in any object.
      const expected = JSON.parse(JSON.stringify(value));
      assert.deepEqual(plain(parse(stringify(expected)).documents[0]), expected);
      assert.deepEqual(plain(parse(JSON.stringify(expected)).documents[0]), expected);
    }),
    { seed: 2026 },
  );
});

Deno.test("no text whatsoever makes parsing throw (F53)", () => {
  const part = fc.constantFrom(
    ..."a: - [ ] { } & * ! | > ' \" # , ? << \n \n  \t % @ ` --- ... &a *a !reset null 1".split(" "),
    " ",
    "\n",
    "\n  ",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const file = parse(parts.join(""));
      for (const finding of file.findings) {
        assert.ok(finding.at!.start >= 0 && finding.at!.end <= file.text.length, finding.code);
      }
    }),
    { seed: 2026 },
  );
});

Deno.test("anchors, aliases and merge keys are one value", () => {
  const file = parse("x: &base {a: 1, b: 2}\ny:\n  <<: *base\n  b: 3\nz:\n  <<: [*base, {c: 4}]\n");
  assert.deepEqual(plain(file.documents[0]), {
    x: { a: 1, b: 2 },
    y: { b: 3, a: 1 },
    z: { a: 1, b: 2, c: 4 },
  });
  assert.deepEqual(codes(file), []);
});

Deno.test("a merge key written in quotes is a plain key", () => {
  assert.deepEqual(plain(parse("a: {'<<': 1}").documents[0]), { a: { "<<": 1 } });
});

Deno.test("!reset and !override keep their tag and their type", () => {
  const [document] = parse("a: !reset null\nb: !override 5\nc: !override [1]\n").documents;
  assert.ok(document?.kind === "mapping");
  assert.deepEqual([...document.entries.values()].map((entry) => entry.value.tag), [
    "!reset",
    "!override",
    "!override",
  ]);
  assert.deepEqual(plain(document), { a: null, b: 5, c: [1] });
});

const PROVOKED: [code: string, text: string, marked: string][] = [
  ["yaml/syntax", "a: [1\nb: 2\n", ""],
  ["yaml/duplicate-key", "a: 1\nb: 2\na: 3\n", "a"],
  ["yaml/undefined-alias", "a: *nothing\n", "*nothing"],
  ["yaml/alias-cycle", "a: &a [1, *a]\n", "*a"],
  ["yaml/bad-merge", "a:\n  <<: text\n", "text"],
  ["yaml/non-string-key", "8080: x\n", "8080"],
  ["yaml/unknown-tag", "a: !secret x\n", "x"],
  ["yaml/boolean-word", "a: yes\n", "yes"],
  ["yaml/unused-anchor", "a: &b 1\n", "1"],
  ["yaml/duplicate-anchor", "a: &b 1\nc: &b 2\nd: *b\n", "2"],
];
for (const [code, text, expected] of PROVOKED) {
  Deno.test(`${code} is found where it is`, () => {
    const file = parse(text);
    const index = codes(file).indexOf(code);
    assert.notEqual(index, -1, `found ${codes(file).join(", ") || "nothing"}`);
    if (expected !== "") assert.equal(marked(file, index), expected);
  });
}

Deno.test("the second of two equal keys is named with the first", () => {
  const [finding] = parse("a: 1\na: 2\n").findings;
  assert.equal(finding!.at!.start, 5);
  assert.equal(finding!.related![0]!.at.start, 0);
});

Deno.test("quoted words and longer words are no boolean words", () => {
  assert.deepEqual(codes(parse("a: 'yes'\nb: none\nc: true\n")), []);
});

Deno.test("parsing asks the environment for nothing, and leaves it as it was", async () => {
  const script = new URL("../../tests/support/parse_alone.ts", import.meta.url).pathname;
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-read", "--no-check", script],
    stderr: "inherit",
  }).output();
  assert.ok(success);
  assert.equal(new TextDecoder().decode(stdout), "true\n");
  parse("a: 1\n");
  assert.equal(process.env.PATH, Deno.env.get("PATH"));
});

const BOMBS: [name: string, text: string, code: string][] = [
  ["200 kB of brackets", "[".repeat(200_000), "yaml/too-deep"],
  ["nested braces", "{a: ".repeat(50_000), "yaml/too-deep"],
  ["nested dashes", "- ".repeat(100_000), "yaml/too-deep"],
  ["nested question marks", "? ".repeat(100_000), "yaml/too-deep"],
  ["a staircase", Array.from({ length: 1000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"), "yaml/too-deep"],
  ["a billion laughs", laughs(), "yaml/alias-bomb"],
  ["merges of merges", merges(), "yaml/alias-bomb"],
  [
    "20,000 anchors",
    Array.from({ length: 20_000 }, (_, i) => `a${i}: &a${i} 1`).join("\n"),
    "yaml/alias-bomb",
  ],
  ["400,000 items", `[${"1,".repeat(400_000)}1]`, "yaml/alias-bomb"],
];
for (const [name, text, code] of BOMBS) {
  Deno.test(`${name}: refused (F53, R44)`, async () => {
    const file = await parseFile(source(text), new ParseQueue());
    assert.ok(codes(file).includes(code), `found ${codes(file).slice(0, 3)}`);
    assert.equal(file.sound, false);
  });
}

function laughs(): string {
  const lines = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const [index, name] of [..."bcdefghi"].entries()) {
    lines.push(`${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[index]}`).join(",")}]`);
  }
  return lines.join("\n");
}

function merges(): string {
  const base = `a: &a {${Array.from({ length: 500 }, (_, i) => `k${i}: 1`).join(",")}}`;
  return [base, ...Array.from({ length: 1000 }, (_, i) => `m${i}: {<<: *a}`)].join("\n");
}

Deno.test("brackets and stars inside texts are no bomb", () => {
  for (const text of ["[".repeat(1000), "{".repeat(1000), "**bold** ".repeat(100)]) {
    assert.equal(scan(`a: '${text}'\nb: 1\n`), null);
    assert.equal(scan(`a: |\n  ${text}\nb: 1\n`), null);
  }
});

Deno.test("a large file is read in a worker, with the same values, places and findings", async () => {
  const texts = [
    Array.from(
      { length: 2000 },
      (_, i) => `key${i}: [value${i}, 'quoted', ${i}, null, true, 1.5, &a${i} {b: yes}]`,
    ),
    ["a: &a {b: 1, b: 2}", "c: {<<: *a, d: !reset [x], e: !override 5, f: *nothing, 'g h': \"i\\n\"}"],
    ["a: [", "b: }"],
    ["---", "a: 1", "---", "- é😀", "- |", "  block", "  text"],
  ];
  const padding = `\n# ${"x".repeat(9000)}`;
  for (const lines of texts) {
    const text = lines.join("\n") + padding;
    const [far, near] = [await parseFile(source(text), new ParseQueue()), parse(text)];
    assert.ok(shown(far) === shown(near), lines.slice(0, 3).join("\n"));
    for (const document of far.documents) assert.equal(document.file, far);
  }
});

/** Everything but the circular way back to the file. */
function shown(file: ArtifactFile): string {
  return JSON.stringify([file.documents, file.findings.map(ordered), file.sound], (key, value) => {
    if (key === "file") return value === file;
    return value instanceof Map ? [...value] : value;
  });
}

/** The order of a finding's fields means nothing. */
function ordered(finding: object): unknown {
  return Object.entries(finding).sort(([one], [other]) => one < other ? -1 : 1);
}

Deno.test("several large files at once are all read", async () => {
  const queue = new ParseQueue();
  const files = await Promise.all(
    Array.from({ length: 5 }, (_, i) => parseFile(source(`a: ${i}\n# ${"x".repeat(9000)}`), queue)),
  );
  assert.deepEqual(files.map((file) => plain(file.documents[0])), [0, 1, 2, 3, 4].map((a) => ({ a })));
});

Deno.test("more documents than may merge are not read", () => {
  const file = parse(Array.from({ length: 600 }, (_, i) => `---\nk${i}: 1`).join("\n"));
  assert.deepEqual([file.documents.length, codes(file)], [500, ["fs/limit-reached"]]);
});
