import assert from "node:assert/strict";
import { textHash } from "./text_hash.ts";

Deno.test("textHash() is FNV-1a in its first half", () => {
  // The published values of FNV-1a for 32 bits.
  assert.equal(textHash("")[0], 0x811c9dc5);
  assert.equal(textHash("a")[0], 0xe40c292c);
  assert.equal(textHash("foobar")[0], 0xbf9cf968);
});

Deno.test("textHash() tells ten thousand similar texts apart, in both halves and under every salt", () => {
  const texts = Array.from({ length: 10_000 }, (_, i) => `services.web${i}.image`);
  for (const salt of [undefined, 1, 0xffffffff]) {
    for (const half of [0, 1] as const) {
      const distinct = new Set(texts.map((text) => textHash(text, salt)[half])).size;
      assert.ok(distinct >= 9_998, `${distinct} with salt ${salt}`); // by chance 0.01 pairs collide
    }
  }
  assert.notDeepEqual(textHash("web"), textHash("web", 1));
});
