/** Role rules: the first match wins, no match is no role, and an unproven address matches nothing. */
import assert from "node:assert/strict";
import { claimsToKeep, roleOf, type RoleRule } from "./roles.ts";

const RULES: readonly RoleRule[] = [
  { claim: "email", value: "Ada@example.org", role: "admin" },
  { claim: "groups", value: "ops", role: "operator" },
  { claim: "iss", value: "https://issuer.example", role: "viewer" },
];

Deno.test("roleOf takes the first rule that matches, and null when none does", () => {
  assert.equal(roleOf({ email: "ada@EXAMPLE.org", email_verified: true, groups: ["ops"] }, RULES), "admin");
  assert.equal(roleOf({ groups: ["dev", "ops"], iss: "https://issuer.example" }, RULES), "operator");
  assert.equal(roleOf({ groups: "ops" }, RULES), "operator");
  assert.equal(roleOf({ iss: "https://issuer.example" }, RULES), "viewer");
  assert.equal(roleOf({ groups: ["opsx"], iss: "https://other" }, RULES), null);
  assert.equal(roleOf({}, RULES), null);
  assert.equal(roleOf({ sub: "ada" }, []), null);
});

Deno.test("roleOf believes an e-mail only when the provider says in so many words that it is verified", () => {
  for (const email_verified of [undefined, false, "true", 1, null]) {
    assert.equal(roleOf({ email: "ada@example.org", email_verified }, RULES), null);
  }
});

Deno.test("roleOf looks at a claim's own value, never at what every object inherits", () => {
  for (const claim of ["__proto__", "constructor", "toString"]) {
    assert.equal(roleOf({}, [{ claim, value: "x", role: "admin" }]), null);
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
  assert.equal(roleOf(kept, RULES), "operator");
});
