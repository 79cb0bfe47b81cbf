/** Who may do what: the permissions, the roles that bundle them, and the principal that holds them. */
import { z } from "zod";
import { ROLES } from "./roles.ts";

export { ROLES };

const VIEWER = [
  "system:read",
  "workspaces:read",
  "artifacts:read",
  "containers:read",
  "containers:logs",
  "images:read",
  "volumes:read",
  "networks:read",
  "events:read",
] as const;

const OPERATOR = [
  ...VIEWER,
  "containers:control",
  "images:write",
  "volumes:write",
  "networks:write",
  "workspaces:write",
] as const;

const ADMIN = [
  ...OPERATOR,
  "containers:exec",
  "containers:remove",
  "containers:reveal",
  "volumes:host-paths",
  "system:prune",
  "system:logs",
  "keys:manage",
  "audit:read",
] as const;

export const PERMISSIONS = ADMIN;
export const Permission = z.enum(PERMISSIONS).meta({ id: "Permission" });
export type Permission = z.infer<typeof Permission>;

export const Role = z.enum(ROLES).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** What people call a key. */
export const KeyName = z.string().trim().min(1).max(100)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, "Expected text without control characters");

const permissionsByRole: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: VIEWER,
  operator: OPERATOR,
  admin: ADMIN,
};

export function permissionsOf(role: Role): readonly Permission[] {
  return permissionsByRole[role];
}

/** Who calls: a user that an identity provider vouches for, or the holder of an API key. */
export const Principal = z.object({
  kind: z.enum(["user", "apiKey"]),
  id: z.string(),
  name: z.string(),
  email: z.string().optional(),
  picture: z.string().optional(),
  role: Role.nullable().describe("Null for a key that lists its permissions itself"),
  permissions: z.array(Permission).readonly(),
}).meta({ id: "Principal" });
export type Principal = z.infer<typeof Principal>;

export function may(principal: Principal, permission: Permission): boolean {
  return principal.permissions.includes(permission);
}
