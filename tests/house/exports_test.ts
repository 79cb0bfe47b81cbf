import assert from "node:assert/strict";
import { unusedExports } from "./exports.ts";
import { sources } from "./sources.ts";

const ROOT = new URL("../../", import.meta.url);

/**
 * The client is a library, so others use its exports; a command's module is loaded by its name. Tests, benches and tools
 * depend on nobody.
 */
const ELSEWHERE = /^(?:client|tests|bench|docs|tools)\/|^commands\/\w+\.ts: run$/;
/** Folders that still have some. */
const LATER = /^(?:page|commands)\//;

Deno.test("no file exports what only itself uses", async () => {
  const texts = new Map<string, string>();
  for await (const path of sources()) texts.set(path, await Deno.readTextFile(new URL(path, ROOT)));
  const unused = unusedExports(texts).filter((one) => !ELSEWHERE.test(one) && !LATER.test(one));
  assert.deepEqual(unused, [], "no other file imports these: leave out their `export`");
});

Deno.test("unusedExports() knows imports of every form, and none in a comment", () => {
  const exporting = "export const a = 1;\nexport function b() {}\nexport interface C {}\nexport class D {}\n";
  const found = (importing: string) =>
    unusedExports(new Map([["x/own.ts", exporting], ["x/other/user.ts", importing]]));
  assert.deepEqual(found(""), ["x/own.ts: a", "x/own.ts: b", "x/own.ts: C", "x/own.ts: D"]);
  assert.deepEqual(found('import { a as one, type C } from "../own.ts";'), ["x/own.ts: b", "x/own.ts: D"]);
  assert.deepEqual(found('export type { C, D } from "../own.ts";'), ["x/own.ts: a", "x/own.ts: b"]);
  assert.deepEqual(found('import * as own from "../own.ts";'), []);
  assert.deepEqual(found('const own = await import("../own.ts");'), []);
  assert.equal(found('// import { a } from "../own.ts";').length, 4);
});
