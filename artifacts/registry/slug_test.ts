/** Ids are slugs of names, and free. */

import assert from "node:assert/strict";
import { freeSlug, slugOf } from "./slug.ts";

const CASES: [name: string, slug: string][] = [
  ["Web shop", "web-shop"],
  ["  --Ünïcode & more--  ", "unicode-more"],
  ["日本", "workspace"],
  ["a".repeat(80), "a".repeat(50)],
];
for (const [name, slug] of CASES) {
  Deno.test(`"${name}" becomes ${slug}`, () => assert.equal(slugOf(name), slug));
}

Deno.test("a taken id gets the first free number", () => {
  const taken = new Set(["shop", "shop-2"]);
  assert.equal(freeSlug("Shop", (id) => taken.has(id)), "shop-3");
});
