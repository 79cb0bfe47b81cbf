/** Holds that tests leave alone what all files of a run share, since these run in threads of one process. */
import assert from "node:assert/strict";
import { withoutComments } from "./imports.ts";
import { sources } from "./sources.ts";

const ROOT = new URL("../../", import.meta.url);
const SHARED = /\bDeno\.(?:env\.(?:set|delete)|chdir|umask)\(/;
/** Files that may: one takes turns by a lock, and the variable of the other is for a package that nothing else loads. */
const ALLOWED = new Set(["tests/git/source_scene.ts", "tests/artifacts/linear_patterns_test.ts"]);

Deno.test("no file changes variables or the folder of a process, which all tests beside it have", async () => {
  const found: string[] = [];
  for await (const path of sources()) {
    if (path === "tests/house/process_test.ts" || ALLOWED.has(path)) continue;
    if (SHARED.test(withoutComments(await Deno.readTextFile(new URL(path, ROOT))))) found.push(path);
  }
  assert.deepEqual(found, [], "start a process of its own with other variables instead");
});
