/** The settings of the sign-in: the identity provider, and the rules that give its people roles. */
import type { Role, Scope } from "./access.ts";

export interface IdentityProviderSettings {
  /** `github`, or the issuer's address. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecretFile: string | null;
  /** Compared exactly; `http://127.0.0.1/...` without a port stands for every port of a command line's own listener. */
  readonly redirectUris: readonly string[];
}

/** Gives a role to everybody whose claim holds the value. */
export interface RoleRule {
  readonly claim: string;
  readonly value: string;
  readonly role: Role;
  /** Everywhere when it is left out. */
  readonly on?: readonly Scope[] | undefined;
}
