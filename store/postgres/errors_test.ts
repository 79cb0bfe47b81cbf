/** Errors of PostgreSQL: the words, and which of them may pass by themselves. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { asStoreError } from "./errors.ts";

for (
  const [code, passes] of [
    ["25006", true], // a standby
    ["40P01", true], // a deadlock
    ["53100", true], // a full disk
    ["53200", true], // no memory
    ["53300", true], // no connection
    ["55P03", true], // a lock
    ["57014", true], // too long
    ["57P03", true], // it starts
    ["28P01", false], // the password
    ["3D000", false], // no database
    ["42501", false], // no right
    ["XX001", false], // damaged
  ] as const
) {
  Deno.test(`A start that ends with ${code} of PostgreSQL ${passes ? "is tried again" : "needs a person"}`, () => {
    const error = asStoreError(Object.assign(new Error("of the server"), { code }));

    assert.ok(error instanceof ServiceError && error.code === "store_unavailable");
    assert.equal(error.headers?.["retry-after"] !== undefined, passes);
  });
}
