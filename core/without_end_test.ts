/** Promises of texts without their ends. */
import assert from "node:assert/strict";
import { withoutEnd } from "./without_end.ts";

Deno.test("withoutEnd takes all of these characters from the end, and none from elsewhere", () => {
  assert.equal(withoutEnd("/srv//shop///", "/"), "/srv//shop");
  assert.equal(withoutEnd("it failed. \t.", ". \t"), "it failed");
  assert.equal(withoutEnd("///", "/"), "");
  assert.equal(withoutEnd("", "/"), "");
});
