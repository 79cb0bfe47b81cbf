/** Who may do what: the permissions, the roles that hold them, and the principal who calls. */
import { z } from "zod";
import { ROLES } from "./roles.ts";

export { ROLES };

/** A permission, and the roles that hold it. */
export interface PermissionRule {
  readonly name: string;
  readonly roles: readonly Role[];
}

/** The service's own permissions; each plugin declares those of its routes. */
export const CORE_PERMISSIONS = [
  { name: "system:read", roles: ["viewer", "operator", "admin"] },
  { name: "workspaces:read", roles: ["viewer", "operator", "admin"] },
  { name: "artifacts:read", roles: ["viewer", "operator", "admin"] },
  { name: "workspaces:write", roles: ["operator", "admin"] },
  { name: "workspaces:manage", roles: ["admin"] },
  { name: "system:logs", roles: ["admin"] },
  { name: "keys:manage", roles: ["admin"] },
  { name: "audit:read", roles: ["admin"] },
] as const satisfies readonly PermissionRule[];
export type CorePermission = (typeof CORE_PERMISSIONS)[number]["name"];

/** A name as `containers:read`; the catalogue of a service says which there are. */
export const Permission = z.string().max(100).regex(/^[a-z][a-z-]*:[a-z][a-z-]*$/, "Expected a permission")
  .meta({ id: "Permission" });
export type Permission = z.infer<typeof Permission>;

export const Role = z.enum(ROLES).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** What people call a key. */
export const KeyName = z.string().trim().min(1).max(100)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, "Expected text without control characters");

/** Every permission of a service: its own, and those of all listed plugins, switched on or off. */
export class PermissionCatalogue {
  readonly names: readonly Permission[];
  readonly #known: ReadonlySet<Permission>;
  readonly #byRole: Readonly<Record<Role, readonly Permission[]>>;

  /** @throws Error for a name that is declared twice or that is none. */
  constructor(plugins: readonly { readonly permissions: readonly PermissionRule[] }[]) {
    const rules: readonly PermissionRule[] = [
      ...CORE_PERMISSIONS,
      ...plugins.flatMap(({ permissions }) => permissions),
    ];
    this.names = rules.map(({ name }) => Permission.parse(name));
    this.#known = new Set(this.names);
    if (this.#known.size < rules.length) throw new Error("A permission is declared twice");
    const held = (role: Role) => rules.filter(({ roles }) => roles.includes(role)).map(({ name }) => name);
    this.#byRole = { viewer: held("viewer"), operator: held("operator"), admin: held("admin") };
  }

  has(name: Permission): boolean {
    return this.#known.has(name);
  }

  /** What the role may do. */
  of(role: Role): readonly Permission[] {
    return this.#byRole[role];
  }
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

/** Whether the caller has the permission; a plugin names its own: `may<UnitPermission>(principal, "units:read")`. */
export function may<Known extends Permission = CorePermission>(
  principal: Principal,
  permission: NoInfer<Known>,
): boolean {
  return principal.permissions.includes(permission);
}
