/** The credential of a caller, by what it is and by its id; never its secret. */

export interface CredentialRef {
  readonly kind: "key" | "session";
  readonly id: string;
}

/** Returns its text in the audit log: `key:<id>` or `session:<id>`; null without a credential. */
export function credentialText(credential: CredentialRef): string;
export function credentialText(credential: CredentialRef | null): string | null;
export function credentialText(credential: CredentialRef | null): string | null {
  return credential === null ? null : `${credential.kind}:${credential.id}`;
}

export function isSameCredential(one: CredentialRef, other: CredentialRef): boolean {
  return one.kind === other.kind && one.id === other.id;
}

/** Returns the id of the session; null for a key, and without a credential. */
export function sessionIn(credential: CredentialRef | null): string | null {
  return credential?.kind === "session" ? credential.id : null;
}
