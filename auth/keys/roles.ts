/** The roles of people: rules on the claims of their identity provider. */
import type { Grant } from "../../core/access.ts";
import type { RoleRule } from "../../core/sign_in.ts";
import type { AccountRecord } from "../../core/access_store.ts";

export type Claims = Readonly<Record<string, unknown>>;

/**
 * The first rule without a scope that matches ends the search; rules with a scope before it add up.
 * Empty when no rule matches: then there is no entry, not a lesser role.
 */
export function grantsOf(claims: Claims, rules: readonly RoleRule[]): readonly Grant[] {
  const grants: Grant[] = [];
  for (const rule of rules) {
    if (!matches(claims, rule)) continue;
    if (rule.on === undefined) return [...grants, { role: rule.role }];
    grants.push({ role: rule.role, on: rule.on });
  }
  return grants;
}

/** Returns the grants of a person: their own, or those of the rules. */
export const grantsOfAccount = (
  { grants, claims }: Pick<AccountRecord, "grants" | "claims">,
  rules: readonly RoleRule[],
): readonly Grant[] => grants ?? grantsOf(JSON.parse(claims), rules);

function matches(claims: Claims, { claim, value }: RoleRule): boolean {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (claim === "email") {
    // A person with an unverified address could otherwise claim the admin's.
    return claims["email_verified"] === true && typeof found === "string" &&
      found.toLowerCase() === value.toLowerCase();
  }
  if (Array.isArray(found)) return found.includes(value);
  return found === value || (typeof found === "number" && String(found) === value);
}

const MAX_VALUES = 1_000;
const MAX_TEXT = 1_000;

/** Only what rules look at is remembered, within bounds: a provider may send a thousand groups. */
export function claimsToKeep(claims: Claims, rules: readonly RoleRule[]): Claims {
  const kept: Record<string, unknown> = Object.create(null);
  for (const name of new Set(["iss", "sub", "email_verified", ...rules.map((rule) => rule.claim)])) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (typeof value === "string" && value.length <= MAX_TEXT) kept[name] = value;
    else if (typeof value === "boolean" || typeof value === "number") kept[name] = value;
    else if (Array.isArray(value)) {
      const wanted = new Set(rules.filter((rule) => rule.claim === name).map((rule) => rule.value));
      // The value a rule asks for must not be lost behind the bound.
      kept[name] = [
        ...value.filter((one) => wanted.has(one)),
        ...value.filter((one) => typeof one === "string" && one.length <= MAX_TEXT && !wanted.has(one)),
      ].slice(0, MAX_VALUES);
    }
  }
  return kept;
}
