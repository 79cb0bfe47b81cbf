/** Failures of a start that a supervisor tries again, and those that need a person. */
import assert from "node:assert/strict";
import { ServiceError } from "../core/error.ts";
import { mayPass, StartFailure } from "./start_failure.ts";

const system = (code: string) => Object.assign(new Error(code), { code });

Deno.test("A start may pass that lacked room, descriptors, an address or its database, and none that lacks a right", () => {
  const passes = (cause: unknown) =>
    mayPass(new StartFailure("Cannot start", { cause: new Error("between", { cause }) }));
  for (const code of ["ENOSPC", "EDQUOT", "EMFILE", "EADDRNOTAVAIL"]) assert.ok(passes(system(code)), code);
  for (const code of ["EACCES", "ENOENT", "EROFS", "EADDRINUSE"]) assert.ok(!passes(system(code)), code);
  assert.ok(passes(new ServiceError("store_unavailable", "away", { headers: { "retry-after": "1" } })));
  assert.ok(!passes(new ServiceError("store_unavailable", "damaged")));
});
