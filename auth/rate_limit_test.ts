/** Rate limits: who fails often waits, nobody's count is forgotten early, and memory stays bounded. */
import assert from "node:assert/strict";
import { ServiceError } from "../core/error.ts";
import { peerGroup, RateLimit } from "./rate_limit.ts";

class StillClock {
  at = 0;
  now = () => this.at;
  monotonic = () => this.at;
}

function isFree(limit: RateLimit, name: string): boolean {
  try {
    limit.spend(name);
    return true;
  } catch (thrown) {
    assert.ok(thrown instanceof ServiceError && thrown.code === "too_many_requests");
    return false;
  }
}

Deno.test("RateLimit allows each of several replicas its part, as their number changes", () => {
  let replicas = 1;
  const limit = new RateLimit("sign in", { tries: 6, perMs: 60_000 }, new StillClock(), () => replicas);
  const spent = (name: string) => {
    for (let n = 0;; n++) {
      try {
        limit.spend(name);
      } catch {
        return n;
      }
    }
  };
  assert.equal(spent("a"), 6);
  replicas = 3;
  assert.equal(spent("b"), 2);
  replicas = 100;
  assert.equal(spent("c"), 1, "never nothing");
});

Deno.test("RateLimit gives each name its tries, and back evenly", () => {
  const clock = new StillClock();
  const limit = new RateLimit("sign in", { tries: 3, perMs: 3_000 }, clock);
  assert.deepEqual([1, 2, 3, 4].map(() => isFree(limit, "a")), [true, true, true, false]);
  assert.equal(isFree(limit, "b"), true);
  clock.at = 999;
  assert.equal(isFree(limit, "a"), false);
  clock.at = 1_000;
  assert.deepEqual([isFree(limit, "a"), isFree(limit, "a")], [true, false]);
  limit.refund("a");
  assert.deepEqual([isFree(limit, "a"), isFree(limit, "a")], [true, false]);
});

Deno.test("RateLimit says how long to wait", () => {
  const limit = new RateLimit("sign in", { tries: 1, perMs: 30_000 }, new StillClock());
  limit.spend("a");
  assert.throws(() => limit.spend("a"), { message: "Cannot sign in: too many tries; wait 30 s" });
});

Deno.test("RateLimit keeps a guilty name's count while 30,000 others fill the table, within bounded memory (F48, R39)", () => {
  const clock = new StillClock();
  const limit = new RateLimit("sign in", { tries: 2, perMs: 60_000 }, clock);
  isFree(limit, "guilty");
  isFree(limit, "guilty");
  assert.equal(isFree(limit, "honest"), true);
  for (let n = 0; n < 30_000; n++) isFree(limit, `name ${n}`);
  assert.equal(isFree(limit, "guilty"), false, "not evicted");
  assert.equal(isFree(limit, "honest"), true, "still served");
  assert.equal(limit.size, 10_000);
  clock.at = 120_000;
  assert.equal(isFree(limit, "newcomer"), true);
  assert.ok(limit.size < 10_000, "swept once all tries are back");
});

Deno.test("peerGroup counts an IPv6 subscriber once, and IPv4 addresses one by one", () => {
  assert.equal(peerGroup("192.0.2.7"), "192.0.2.7");
  assert.equal(peerGroup("::ffff:192.0.2.7"), "::ffff:192.0.2.7");
  assert.equal(peerGroup("2001:db8:1:2:3:4:5:6"), peerGroup("2001:db8:1:2::9"));
  assert.notEqual(peerGroup("2001:db8:1:2::9"), peerGroup("2001:db8:1:3::9"));
  assert.equal(peerGroup("fe80::1%eth0"), peerGroup("fe80::2%eth0"));
});
