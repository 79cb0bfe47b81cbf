/** A lease is lost once another replica may have it, by any clock. */
import assert from "node:assert/strict";
import { eventually } from "../tests/support/eventually.ts";
import { Leases } from "./lease.ts";

Deno.test("a lease whose renewal is refused is lost, although its time has not passed", async () => {
  let asked = 0;
  const leases = new Leases({
    turn: () => Promise.resolve(++asked === 1),
    signal: new AbortController().signal,
    leaseMs: 3_000,
  });
  await using lease = await leases.take("home");
  assert.ok(lease.isHeld());

  await eventually("it is renewed", () => asked === 2, { everyMs: 10 });
  await Promise.resolve();

  assert.equal(lease.isHeld(), false);
  assert.throws(() => lease.mustHold(), { name: "ServiceError", code: "source_conflict" });
});

Deno.test("a lease does not outlive the sleep of its machine, in which the steady clock stands still", async () => {
  const leases = new Leases({ turn: () => Promise.resolve(true), signal: new AbortController().signal });
  await using lease = await leases.take("home");
  const clock = Date.now;
  try {
    Date.now = () => clock() + 14_000;
    assert.ok(lease.isHeld());
    Date.now = () => clock() + 16_000;
    assert.equal(lease.isHeld(), false);
  } finally {
    Date.now = clock;
  }
});
