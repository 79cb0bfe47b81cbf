import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { putEscaped } from "./json_text.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** Nearly all plain, or of any kind, or text of all the world. */
const line = fc.oneof(
  fc.array(
    fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 32, max: 126 }) }, fc.integer({ max: 127, min: 0 })),
  )
    .map((bytes) => new Uint8Array(bytes)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes)),
  fc.string({ unit: "binary" }).map((text) => encoder.encode(text)),
);

Deno.test("bytes become the inside of the JSON string that JSON.stringify makes of them, wherever they stand", () => {
  fc.assert(
    fc.property(line, fc.nat(9), fc.nat(9), (bytes, before, targetBefore) => {
      // The bytes around it are of the kind that would be escaped
      const source = new Uint8Array(before + bytes.byteLength + 8).fill(34);
      source.set(bytes, before);
      const target = new Uint8Array(targetBefore + bytes.byteLength * 6 + 8);
      const end = putEscaped(target, targetBefore, source, before, before + bytes.byteLength);
      const told = decoder.decode(target.subarray(targetBefore, end));
      assert.equal(`"${told}"`, JSON.stringify(decoder.decode(bytes)));
      assert.ok(target.subarray(0, targetBefore).every((byte) => byte === 0));
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("every single byte is escaped as JSON.stringify does it, at each place of a word", () => {
  for (let byte = 0; byte < 128; byte++) {
    for (let place = 0; place < 8; place++) {
      const bytes = new Uint8Array(8).fill(97);
      bytes[place] = byte;
      const target = new Uint8Array(64);
      const end = putEscaped(target, 0, bytes, 0, 8);
      assert.equal(`"${decoder.decode(target.subarray(0, end))}"`, JSON.stringify(decoder.decode(bytes)));
    }
  }
});
