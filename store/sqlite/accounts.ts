/** Rows of people in SQLite, as sessions and people read and write them. */

/** The columns of an account `a`, under the names that a row of this kind has. */
export const ACCOUNT_COLUMNS =
  "a.id, a.issuer, a.subject, a.name, a.email, a.picture, a.claims, a.grants, a.created_at AS createdAt, " +
  "a.last_seen_at AS lastSeenAt, a.disabled_at AS disabledAt";
