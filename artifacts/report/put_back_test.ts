/** Promise: a text that could not be read in time is not blamed on its masks. */
import assert from "node:assert/strict";
import { parseFile, parseNow } from "../files/parse_file.ts";
import { ParseQueue } from "../yaml/parse_queue.ts";
import type { Source } from "../yaml/source.ts";
import { maskedText } from "./masked_text.ts";
import { putBack } from "./put_back.ts";

/** A machine that is too busy to read anything. */
class Late extends ParseQueue {
  override parse(): Promise<null> {
    return Promise.resolve(null);
  }
}

Deno.test("a text that takes too long to read is said to, and its masks are not said to have moved", async () => {
  const source = (text: string): Source => ({ path: "compose.yaml", kind: "compose", text, hash: "" });
  const file = parseNow(
    source("services:\n  db:\n    environment:\n      TLS_PRIVATE: |\n        hunter22\n"),
  );
  const edited = `${maskedText(file)}# ${"more ".repeat(2_000)}\n`;
  assert.doesNotMatch(edited, /hunter22/);

  const late = await putBack(
    { file, model: null, parsed: (text) => parseFile(source(text), new Late()) },
    edited,
  );
  assert.deepEqual(late, { unread: '"compose.yaml" takes over 10 seconds to parse, so it was not read' });

  const read = await putBack(
    { file, model: null, parsed: (text) => Promise.resolve(parseNow(source(text))) },
    edited,
  );
  assert.match("text" in read ? read.text : "", /hunter22\n# more /);
});

const fileOf = (text: string) => parseNow({ path: "compose.yaml", kind: "compose", text, hash: "" });
const back = (text: string, edit: (masked: string) => string) => {
  const file = fileOf(text);
  return putBack(
    { file, model: null, parsed: (edited) => Promise.resolve(fileOf(edited)) },
    edit(maskedText(file)),
  );
};
const ANCHORED =
  "x-db: &db\n  password: &pw hunter22\nservices:\n  db:\n    environment: { PASSWORD: *pw }\n";

Deno.test("a masked value is not put back into a text that does not parse", async () => {
  for (const error of ['x: "open\n', "\tx: 1\n", "x: [1\n", "x: *none\n"]) {
    const result = await back(ANCHORED, (masked) => masked + error);
    assert.ok("broken" in result && result.line > 0, JSON.stringify(result));
  }
});

Deno.test("a masked value is put back where its anchor has the aliases it had, and not behind a new one", async () => {
  assert.deepEqual(await back(ANCHORED, (masked) => `${masked}# a comment\n`), {
    text: `${ANCHORED}# a comment\n`,
  });
  const removed = await back(
    ANCHORED,
    (masked) => masked.replace("    environment: { PASSWORD: *pw }\n", ""),
  );
  assert.ok("text" in removed && removed.text.includes("hunter22"));
  for (const line of ["    image: *pw\n", "    labels: *db\n", "    labels: { <<: *db }\n"]) {
    const result = await back(ANCHORED, (masked) => masked + line);
    assert.ok("repeated" in result, JSON.stringify(result));
  }
});

const SECTIONS = "[alpha]\nhost = a\npassword = AAA-1\n[beta]\nhost = b\npassword = BBB-2\n";
const ITEMS = "x-users:\n  - password: AAA-1\n    name: alpha\n  - password: BBB-2\n    name: beta\n";

/** Edits what somebody sees of a file that is mounted, or of a Compose file. */
const edited = (kind: Source["kind"], text: string, edit: (masked: string) => string) => {
  const of = (text: string) => parseNow({ path: "app.ini", kind, text, hash: "" });
  const file = of(text);
  const masked = maskedText(file);
  assert.doesNotMatch(masked, /AAA|BBB/);
  return putBack({ file, model: null, parsed: (text) => Promise.resolve(of(text)) }, edit(masked));
};

Deno.test("sections and items that change places do not get each other's masked values", async () => {
  const swapped = [
    await edited("mounted", SECTIONS, (masked) => {
      const [alpha, beta] = masked.split(/(?=^\[beta)/m);
      return `${beta}${alpha}`;
    }),
    await edited("mounted", SECTIONS.replaceAll(/host.*\n/g, ""), (masked) => {
      const [alpha, beta] = masked.split(/(?=^\[beta)/m);
      return `${beta}${alpha}`;
    }),
    await edited("mounted", SECTIONS, (masked) => {
      const [alpha, beta] = masked.split(/(?=^\[beta)/m);
      return `${beta}${alpha!.replace("alpha", "third")}`;
    }),
    await edited("compose", ITEMS, (masked) => {
      const [first, one, other, ...rest] = masked.split(/(?=^x|^ {2}-)/m);
      return [first, other, one, ...rest].join("");
    }),
  ];
  for (const result of swapped) assert.deepEqual(Object.keys(result), ["line"], JSON.stringify(result));
});

Deno.test("lines that change, come or go around masked values keep those where they stand", async () => {
  for (
    const edit of [
      (text: string) => `# a comment\n${text}`,
      (text: string) => `${text}[third]\nhost = a\n`,
      (text: string) => text.replace("[beta]", "[third]\nhost = c\n[beta]"),
      (text: string) => text.replace("host = b", "host = c"),
      (text: string) => text.replace("[beta]", "[gamma]"),
      (text: string) => text.replace("host = b\n", ""),
    ]
  ) {
    assert.deepEqual(await edited("mounted", SECTIONS, edit), { text: edit(SECTIONS) });
  }
  const block = "a:\n  TLS_PRIVATE: |\n    AAA-1\n    BBB-2\n  b: 1\n";
  const above = (text: string) => `b: 1\n${text.replace("  b: 1\n", "")}`;
  assert.deepEqual(await edited("compose", block, above), { text: above(block) });
  const added = (text: string) => `${text}    age: 7\n  - name: gamma\n`;
  assert.deepEqual(await edited("compose", ITEMS, added), { text: added(ITEMS) });
});

Deno.test("a text with errors shows its keys and none of its values, wherever they stand", () => {
  const secret = "c4n4ry";
  const lines = [
    `# comment ${secret}`,
    "services:",
    "  web: # " + secret,
    `    image: "${secret}`,
    `    command: [${secret}, b: ${secret}]`,
    "    environment:",
    `      - A=${secret}`,
    `      - ? ${secret}`,
    `      PLAIN: ${secret}`,
    `        ${secret}: still the value above`,
    "      BLOCK: |-",
    `        ${secret}: ${secret}`,
    "",
    `        ${secret}`,
    `      ANCHOR: &${secret}`,
    `      ALIAS: *${secret}`,
    "    list: [",
    `      ${secret},`,
    "    ]",
    `\ttab: ${secret}`,
    `${secret} alone`,
    `a: ${secret}\u2028${secret}: b\r`,
  ];
  const file = fileOf(lines.join("\n"));
  assert.equal(file.sound, false);
  const masked = maskedText(file);
  assert.ok(!masked.includes(secret), masked);
  const shown = masked.split("\n");
  assert.equal(shown.length, lines.length);
  for (const line of ["services:", "    environment:", "      BLOCK: |-", "    list: [", "    ]"]) {
    assert.ok(shown.includes(line), line);
  }
  assert.equal(shown[0], "# ********");
  assert.equal(shown[2], "  web: # ********");
  assert.equal(shown[3], "    image: ********");
  assert.equal(shown[8], "      PLAIN: ********");
});
