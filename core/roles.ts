/** The names of the roles, for who needs no more than that at a start. */

export const ROLES = ["viewer", "operator", "admin"] as const;
