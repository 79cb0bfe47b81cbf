/** Secrets whose place only other lines tell: in comments, behind misspelt keys, and among tabs. */
import assert from "node:assert/strict";
import { parseNow } from "../files/parse_file.ts";
import { locationOf } from "../position.ts";
import { maskedText } from "./masked_text.ts";

const SECRET = "c4n4ry";
const read = (text: string) => parseNow({ path: "compose.yaml", kind: "compose", text, hash: "" });

const COMMENTED = {
  "a block": `# TLS_PRIVATE: |\n#   ${SECRET}\n#   ${SECRET}: more\n# PLAIN: shown\n`,
  "a quote over lines": `# DB_PASSWORD: "one\n#   ${SECRET}: two"\n# PLAIN: shown\n`,
  "items of a name": `# DB_PASSWORD:\n#   - ${SECRET}\n# PLAIN: shown\n`,
  "arguments without quotes": `# command: [redis-cli, -a, ${SECRET}] # PLAIN: shown\n`,
  "arguments over lines": `# command: ["redis-cli",\n#   '-a', '${SECRET}']\n# PLAIN: shown\n`,
  "arguments of an entrypoint": `# entrypoint: [mysql]\n# command: ["-p${SECRET}"]\n# PLAIN: shown\n`,
  "arguments as items": `# command:\n#   - redis-cli\n#   - -a\n#   - "${SECRET}"\n# PLAIN: shown\n`,
};

for (const [what, comment] of Object.entries(COMMENTED)) {
  Deno.test(`a secret that is commented out as ${what} is masked, and what follows is shown`, () => {
    const file = read(`${comment}services: { a: { image: shown } }\n`);

    const masked = maskedText(file);

    assert.ok(file.sound && !masked.includes(SECRET), masked);
    assert.equal(masked.split("\n").length, file.text.split("\n").length);
    assert.match(masked, /PLAIN: shown[^]*image: shown/);
  });
}

Deno.test("arguments under a misspelt key are masked by the program of the entrypoint", () => {
  for (const key of ["comand", "commands", "Command"]) {
    const masked = maskedText(read(`services: { a: { entrypoint: [mysql], ${key}: ["-p${SECRET}"] } }\n`));

    assert.ok(masked.includes(key) && !masked.includes(SECRET), masked);
  }
});

Deno.test("a broken text shows no key below a line with a tab among lines with spaces", () => {
  const masked = maskedText(
    read(`a:\n  b: 1\n\t  K: |\n\t\t${SECRET}: x\n    ${SECRET}: y\nnext:\n  c: [1\n`),
  );

  assert.ok(!masked.includes(SECRET), masked);
  assert.match(masked, /^a:\n {2}b: \*+\n[^]*\nnext:\n {2}c: \*+\n$/);
});

Deno.test("a broken text that is indented by tabs alone keeps its keys", () => {
  const masked = maskedText(read(`a:\n\tb: ${SECRET}\n\tK: |\n\t\t${SECRET}: x\n\tc: 1\n`));

  assert.equal(masked, "a:\n\tb: ********\n\tK: |\n\t\t********\n\tc: ********\n");
});

Deno.test("a place in a text with errors has no path, because a part of a secret may stand there as a key", () => {
  const file = read(`a:\n  ${SECRET}: 1\nb: [1\n`);

  assert.equal(file.sound, false);
  assert.deepEqual(locationOf({ file, start: file.text.indexOf(SECRET), end: file.text.length }).path, []);
});
