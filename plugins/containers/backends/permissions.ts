/** Permissions for containers, images, volumes and networks. */
import type { PermissionRule } from "../../../core/access.ts";

export const PERMISSIONS = [
  { name: "images:read", roles: ["viewer", "operator", "admin"] },
  { name: "volumes:read", roles: ["viewer", "operator", "admin"] },
  { name: "networks:read", roles: ["viewer", "operator", "admin"] },
  { name: "events:read", roles: ["viewer", "operator", "admin"] },
  { name: "containers:control", roles: ["operator", "admin"] },
  { name: "images:write", roles: ["operator", "admin"] },
  { name: "volumes:write", roles: ["operator", "admin"] },
  { name: "networks:write", roles: ["operator", "admin"] },
  { name: "containers:exec", roles: ["admin"], byNameOnScopes: true },
  { name: "containers:remove", roles: ["admin"] },
  { name: "containers:reveal", roles: ["admin"], byNameOnScopes: true },
  { name: "volumes:host-paths", roles: ["admin"] },
  { name: "system:prune", roles: ["admin"] },
] as const satisfies readonly PermissionRule[];
export type ContainerPermission =
  | (typeof PERMISSIONS)[number]["name"]
  | "containers:read"
  | "containers:logs";
