/** Passwords: refused when weak, remembered as scrypt, checked off the event loop and a few at a time. */
import assert from "node:assert/strict";
import { isCommonPassword } from "./common_passwords.ts";
import { Passwords, weaknessOf } from "./password.ts";

const CHEAP = { N: 2 ** 10, r: 8, p: 1 };

Deno.test("weaknessOf refuses short, common and name-like passwords with the reason, and nothing else", () => {
  assert.match(weaknessOf("elevenchars", "ada") ?? "", /at least 12/);
  assert.match(weaknessOf("x".repeat(1_025), "ada") ?? "", /at most 1024/);
  assert.match(weaknessOf("Password1234", "ada") ?? "", /commonest/);
  assert.match(weaknessOf("qwertyuiop123", "ada") ?? "", /commonest/);
  assert.match(weaknessOf("Ada.Lovelace-", "ada.lovelace") ?? "", /name/);
  assert.match(weaknessOf("lovelacelovelace1", "Lovelace") ?? "", /name/);
  assert.equal(weaknessOf("twelve chars", "ada"), null);
  assert.equal(weaknessOf("x".repeat(1_024), "ada"), null);
  assert.equal(weaknessOf("ada has a long one", "ada"), null);
  assert.equal(weaknessOf("🐢🐢🐢🐢🐢🐢🐢🐢🐢🐢🐢🐢", "ada"), null);
  assert.match(weaknessOf("🐢🐢🐢🐢🐢🐢", "ada") ?? "", /at least/, "characters, not code units");
  assert.equal(isCommonPassword("CorrectHorseBatteryStaple"), true);
});

Deno.test("Passwords check what they hashed, whichever way it was typed, and nothing else", async () => {
  const passwords = new Passwords({ cost: CHEAP });
  const hash = await passwords.hash("naïve café au lait");
  assert.match(hash, /^scrypt\$1024\$8\$1\$/);
  assert.equal((await passwords.check("naïve café au lait".normalize("NFD"), hash)).good, true);
  assert.equal((await passwords.check("naive cafe au lait", hash)).good, false);
  assert.equal((await passwords.check("naïve café au lait", null)).good, false);
  assert.equal((await passwords.check("naïve café au lait", "damaged")).good, false);
  assert.notEqual(await passwords.hash("naïve café au lait"), hash, "another salt each time");
});

Deno.test("Passwords tell a hash that is cheaper than today's", async () => {
  const hash = await new Passwords({ cost: CHEAP }).hash("correct and long");
  const today = new Passwords({ cost: { ...CHEAP, p: 2 } });
  assert.deepEqual(await today.check("correct and long", hash), { good: true, outdated: true });
  const raised = await today.hash("correct and long");
  assert.deepEqual(await today.check("correct and long", raised), { good: true, outdated: false });
});

Deno.test("Passwords check two at a time, let 16 known and 16 unknown senders wait, and refuse the rest at once", async () => {
  const passwords = new Passwords({ cost: { N: 2 ** 14, r: 8, p: 1 } });
  const results = await Promise.allSettled(
    Array.from(
      { length: 40 },
      (_, index) =>
        passwords.check("whatever it is", null, { peer: `203.0.113.${index}`, isKnown: index % 2 === 0 }),
    ),
  );
  const refused = results.filter((one) => one.status === "rejected");
  assert.equal(refused.length, 40 - 34);
  for (const one of refused) {
    assert.deepEqual([one.reason.code, one.reason.headers["retry-after"]], ["too_many_requests", "5"]);
  }
  assert.equal((await passwords.check("there is room again", null)).good, false);
});

Deno.test("Passwords leave the event loop alone while they check", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  const begun = performance.now();
  await new Passwords().check("whatever it is", null);
  const ms = performance.now() - begun;
  clearInterval(timer);
  // On the loop there would be none at all.
  assert.ok(turns > ms / 5 / 10, `${turns} turns in ${ms} ms`);
});
