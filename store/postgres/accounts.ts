/** Rows of people in PostgreSQL, as sessions and people read and write them. */
import type { Grant } from "../../core/access.ts";
import type { AccountRecord } from "../../core/store.ts";

export interface AccountRow extends Omit<AccountRecord, "grants"> {
  readonly grants: string | null;
}

/** The columns of an account `a`, under the names that a row of this kind has. */
export const ACCOUNT_COLUMNS =
  'a.id, a.issuer, a.subject, a.name, a.email, a.picture, a.claims, a.grants, a.created_at AS "createdAt", ' +
  'a.last_seen_at AS "lastSeenAt", a.disabled_at AS "disabledAt"';

export function accountFrom(row: AccountRow): AccountRecord {
  const { id, issuer, subject, name, email, picture, claims, grants, createdAt, lastSeenAt, disabledAt } =
    row;
  return {
    id,
    issuer,
    subject,
    name,
    email,
    picture,
    claims,
    // Written by us alone, from a checked list.
    grants: grants === null ? null : JSON.parse(grants) as Grant[],
    createdAt,
    lastSeenAt,
    disabledAt,
  };
}
