/** `.berthignore` follows the syntax of gitignore. */

import assert from "node:assert/strict";
import { IgnoreRules, isNeverEntered } from "./ignore.ts";

const CASES: [pattern: string, path: string, isFolder: boolean, ignored: boolean][] = [
  ["logs", "logs", true, true],
  ["logs", "a/b/logs", false, true],
  ["logs", "catalogs", true, false],
  ["/logs", "a/logs", true, false],
  ["/logs", "logs", true, true],
  ["a/b", "a/b", true, true],
  ["a/b", "x/a/b", true, false],
  ["logs/", "logs", false, false],
  ["logs/", "logs", true, true],
  ["*.bak", "a/compose.bak", false, true],
  ["*.bak", "a/compose.bak.yaml", false, false],
  ["a/*/c", "a/b/c", false, true],
  ["a/*/c", "a/b/x/c", false, false],
  ["a/**/c", "a/b/x/c", false, true],
  ["a/**/c", "a/c", false, true],
  ["**/c", "a/b/c", false, true],
  ["file?.yaml", "file1.yaml", false, true],
  ["file[0-3].yaml", "file2.yaml", false, true],
  ["file[!0-3].yaml", "file2.yaml", false, false],
  ["\\#name", "#name", false, true],
  ["# comment", "# comment", false, false],
];
for (const [pattern, path, isFolder, ignored] of CASES) {
  Deno.test(`"${pattern}" ${ignored ? "ignores" : "keeps"} ${path}${isFolder ? "/" : ""}`, () => {
    assert.equal(new IgnoreRules([pattern]).ignores(path, isFolder), ignored);
  });
}

Deno.test("the last pattern that fits decides", () => {
  const rules = new IgnoreRules(["*.yaml", "!compose.yaml"]);
  assert.equal(rules.ignores("a.yaml", false), true);
  assert.equal(rules.ignores("compose.yaml", false), false);
});

Deno.test("a pattern made to be slow is not (F59)", () => {
  const rules = new IgnoreRules([`${"*a".repeat(200)}b`, `${"**/a/".repeat(100)}b`]);
  assert.equal(rules.ignores("a".repeat(500), false), false);
  assert.equal(rules.ignores("a/".repeat(300) + "c", false), false);
});

Deno.test("folders of tools and dot folders are never entered", () => {
  assert.deepEqual(["node_modules", ".git", "vendor", "src"].map(isNeverEntered), [true, true, true, false]);
});
