import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { hmacWith } from "./seals.ts";

Deno.test("hmacWith is HMAC-SHA256, for keys and messages of every length that matters", async () => {
  for (const keyLength of [0, 1, 32, 64]) {
    const key = crypto.getRandomValues(new Uint8Array(keyLength));
    const hmac = await hmacWith(key);
    for (const length of [0, 1, 55, 56, 64, 1_000]) {
      const bytes = crypto.getRandomValues(new Uint8Array(length));
      const text = "é".repeat(length);
      const expected = createHmac("sha256", key).update(bytes).update(text).digest("hex");
      assert.equal(hmac(bytes, text).toHex(), expected);
    }
  }
});
