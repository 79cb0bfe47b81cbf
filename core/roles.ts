/** The names of the roles, apart from `access.ts` so that reading the settings loads no more. */

export const ROLES = ["viewer", "operator", "admin"] as const;
