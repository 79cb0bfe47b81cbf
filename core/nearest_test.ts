import assert from "node:assert/strict";
import { nearest } from "./nearest.ts";

Deno.test("nearest counts letters added, left out, changed and swapped, and takes no wild guesses", () => {
  const known = ["BERTH_PORT", "BERTH_ROOTS", "BERTH_DATA"];

  assert.equal(nearest("BERTH_PROT", known, 1), "BERTH_PORT");
  assert.equal(nearest("BERTH_ROOT", known, 2), "BERTH_ROOTS");
  assert.equal(nearest("BERTH_DTAAA", known, 2), "BERTH_DATA");
  assert.equal(nearest("BERTH_FOLDER", known, 2), null);
  assert.equal(nearest("", known, 2), null);
});
