import assert from "node:assert/strict";
import { MadeTexts, UNSETTLED } from "./made_texts.ts";

const WHOLE = { isScoped: false };

Deno.test("MadeTexts.known returns a text until its stamp is another, and never one that is unsettled", () => {
  const texts = new MadeTexts();
  const made = texts.keep("a", "1", "[]", WHOLE);

  assert.equal(texts.known("a", "1"), made);
  assert.equal(texts.known("a", "2"), null);
  assert.equal(texts.known("b", "1"), null);
  texts.keep("a", UNSETTLED, "[]", WHOLE);
  assert.equal(texts.known("a", UNSETTLED), null);
});

Deno.test("MadeTexts.keep gives another tag to another text alone", () => {
  const texts = new MadeTexts();
  const first = texts.keep("a", "1", "[]", WHOLE);

  assert.equal(texts.keep("a", "2", "[]", WHOLE).etag, first.etag);
  assert.notEqual(texts.keep("a", "3", "[1]", WHOLE).etag, first.etag);
  assert.equal(new MadeTexts().keep("a", "1", "[]", WHOLE).etag, first.etag, "of another replica");
});

Deno.test("MadeTexts.known finds a text that has become long, or short again", () => {
  const texts = new MadeTexts();
  const long = "x".repeat(2 ** 20);
  for (const [stamp, text] of [["1", "[]"], ["2", long], ["3", "[]"], ["4", long]] as const) {
    texts.keep("a", stamp, text, WHOLE);
    assert.equal(texts.known("a", stamp)?.text, text, stamp);
  }
});

Deno.test("MadeTexts.keep forgets the oldest, and keeps few long ones", () => {
  const texts = new MadeTexts();
  const kept = (keys: readonly string[]) => keys.filter((key) => texts.known(key, "1") !== null).length;
  const keys = Array.from({ length: 100 }, (_, at) => `${at}`);
  for (const key of keys) texts.keep(key, "1", "[]", WHOLE);
  assert.equal(kept(keys), 32);
  for (const key of keys) texts.keep(`scoped ${key}`, "1", "[]", { isScoped: true });
  assert.equal(kept(keys.map((key) => `scoped ${key}`)), 64);
  for (const key of keys) texts.keep(`long ${key}`, "1", `${key}${"x".repeat(2 ** 20)}`, WHOLE);
  assert.equal(kept(keys.map((key) => `long ${key}`)), 2);
});
