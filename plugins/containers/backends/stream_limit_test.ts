/** The limits of open streams: for one caller, and for one caller's sockets of a kind. */
import assert from "node:assert/strict";
import type { Principal } from "../../../core/access.ts";
import { ServiceError } from "../../../core/error.ts";
import { StreamLimit } from "./stream_limit.ts";

const callerOf = (id: string) => ({ kind: "apiKey", id }) as Principal;
const isRefused = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "too_many_streams";

Deno.test("A caller opens at most 128 sockets of measurements and 128 of merged logs, and others are free", () => {
  for (const kind of ["stats", "terminal"] as const) {
    const limit = new StreamLimit();
    const held = Array.from({ length: 128 }, () => limit.enter(callerOf("a"), kind));
    assert.throws(() => limit.enter(callerOf("a"), kind), isRefused);
    const others = [limit.enter(callerOf("a"), "logs"), limit.enter(callerOf("b"), kind)];
    held[0]![Symbol.dispose]();
    held[0]![Symbol.dispose]();
    held[0] = limit.enter(callerOf("a"), kind);
    assert.throws(() => limit.enter(callerOf("a"), kind), isRefused);
    for (const one of [...held, ...others]) one[Symbol.dispose]();
    assert.equal(limit.count, 0);
  }
});
