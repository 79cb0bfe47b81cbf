/** Role rules: the first match wins, no match is no entry, and an unproven address matches nothing. */
import assert from "node:assert/strict";
import type { RoleRule } from "../../core/sign_in.ts";
import { claimsToKeep, grantsOf } from "./roles.ts";

const RULES: readonly RoleRule[] = [
  { claim: "email", value: "Ada@example.org", role: "admin" },
  { claim: "groups", value: "ops", role: "operator" },
  { claim: "iss", value: "https://issuer.example", role: "viewer" },
];

Deno.test("grantsOf takes the first rule that matches, and nothing when none does (R26)", () => {
  assert.deepEqual(grantsOf({ email: "ada@EXAMPLE.org", email_verified: true, groups: ["ops"] }, RULES), [{
    role: "admin",
  }]);
  assert.deepEqual(grantsOf({ groups: ["dev", "ops"], iss: "https://issuer.example" }, RULES), [{
    role: "operator",
  }]);
  assert.deepEqual(grantsOf({ groups: "ops" }, RULES), [{ role: "operator" }]);
  assert.deepEqual(grantsOf({ iss: "https://issuer.example" }, RULES), [{ role: "viewer" }]);
  assert.deepEqual(grantsOf({ groups: ["opsx"], iss: "https://other" }, RULES), []);
  assert.deepEqual(grantsOf({}, RULES), []);
  assert.deepEqual(grantsOf({ sub: "ada" }, []), []);
});

Deno.test("grantsOf believes an e-mail only when the provider says in so many words that it is verified (R25)", () => {
  for (const email_verified of [undefined, false, "true", 1, null]) {
    assert.deepEqual(grantsOf({ email: "ada@example.org", email_verified }, RULES), []);
  }
});

Deno.test("grantsOf looks at a claim's own value, never at what every object inherits", () => {
  for (const claim of ["__proto__", "constructor", "toString"]) {
    assert.deepEqual(grantsOf({}, [{ claim, value: "x", role: "admin" }]), []);
  }
});

Deno.test("claimsToKeep keeps what rules ask for, even behind a thousand other groups, and nothing else", () => {
  const groups = [...Array.from({ length: 5_000 }, (_, n) => `g${n}`), "ops"];
  const kept = claimsToKeep(
    { groups, sub: "ada", iss: "i", address: "secret", email: "x".repeat(2_000) },
    RULES,
  );
  assert.deepEqual(Object.keys(kept).sort(), ["groups", "iss", "sub"]);
  assert.equal((kept["groups"] as string[]).length, 1_000);
  assert.deepEqual(grantsOf(kept, RULES), [{ role: "operator" }]);
});

Deno.test("grantsOf adds up rules on scopes, until a rule without one matches", () => {
  const rules: readonly RoleRule[] = [
    { claim: "groups", value: "web", role: "operator", on: ["workspace:shop"] },
    { claim: "groups", value: "nas", role: "viewer", on: ["engine:nas"] },
    { claim: "groups", value: "dev", role: "viewer" },
    { claim: "groups", value: "late", role: "admin", on: ["engine:nas"] },
  ];
  assert.deepEqual(grantsOf({ groups: ["nas", "web"] }, rules), [
    { role: "operator", on: ["workspace:shop"] },
    { role: "viewer", on: ["engine:nas"] },
  ]);
  assert.deepEqual(grantsOf({ groups: ["late", "dev", "web"] }, rules), [
    { role: "operator", on: ["workspace:shop"] },
    { role: "viewer" },
  ]);
});
