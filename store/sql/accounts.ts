/** Rows of people, as sessions and people read and write them. */

/** The columns of an account, under the names that a row of this kind has. */
export const ACCOUNT_COLUMNS = "id, issuer, subject, name, email, picture, claims, grants, " +
  'created_at AS "createdAt", last_seen_at AS "lastSeenAt", disabled_at AS "disabledAt"';
