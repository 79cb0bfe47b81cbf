/** Who may do what: the permissions, the roles that bundle them, and the principal that holds them. */
import { z } from "zod";
import { ROLES } from "./roles.ts";
import { isScope, MAX_SCOPE, SCOPES_IN_WORDS } from "./scope.ts";

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
  "people:manage",
  "audit:read",
] as const;

export const PERMISSIONS = ADMIN;
export const Permission = z.enum(PERMISSIONS).meta({ id: "Permission" });
export type Permission = z.infer<typeof Permission>;

export const Role = z.enum(ROLES).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** What people call a key, and what a person is called. */
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

/** A role on part of what there is leaves these out: whoever is meant to have them is given them by name. */
const NEVER_BY_ROLE_ON_A_SCOPE: readonly Permission[] = ["containers:exec", "containers:reveal"];

const noScope = ({ input }: { readonly input?: unknown }) =>
  `There is no scope ${JSON.stringify(input)?.slice(0, MAX_SCOPE)}: expected ${SCOPES_IN_WORDS}`;

export const Scope = z.string({ error: noScope }).refine(isScope, { error: noScope })
  .meta({
    id: "Scope",
    description: "`engine:nas`, `workspace:shop`, `project:shop-prod`, `label:team=web`",
  });
export type Scope = z.infer<typeof Scope>;

const on = z.array(Scope).min(1).max(64).readonly().optional()
  .describe("Where it counts: on each of these; everywhere when it is left out");

/** A role or permissions, everywhere or on scopes. */
export const Grant = z.union([
  z.strictObject({ role: Role, on }),
  z.strictObject({ permissions: z.array(Permission).min(1).max(64).readonly(), on }),
], {
  error: 'Expected either a "role" or "permissions", with or without "on", and nothing unknown',
}).meta({ id: "Grant" });
export type Grant = z.infer<typeof Grant>;

export const Grants = z.array(Grant).min(1).max(64).readonly();

/** What a grant lets its holder do where it counts. */
export function permissionsOfGrant(grant: Grant): readonly Permission[] {
  if ("permissions" in grant) return grant.permissions;
  const all = permissionsOf(grant.role);
  return grant.on === undefined ? all : all.filter((one) => !NEVER_BY_ROLE_ON_A_SCOPE.includes(one));
}

/** What is held everywhere. */
export function permissionsEverywhere(grants: readonly Grant[]): readonly Permission[] {
  const [first, ...others] = grants.filter((grant) => grant.on === undefined).map(permissionsOfGrant);
  return others.length === 0 ? first ?? [] : [...new Set([...first ?? [], ...others.flat()])];
}

/** The greatest role that is held everywhere, or null. */
export function roleEverywhere(grants: readonly Grant[]): Role | null {
  const held = grants.filter((grant) => grant.on === undefined).map((grant) =>
    "role" in grant ? grant.role : null
  );
  return [...ROLES].reverse().find((role) => held.includes(role)) ?? null;
}

/** Who calls: a person who signed in, or the holder of an API key. */
export const Principal = z.object({
  kind: z.enum(["user", "apiKey"]),
  id: z.string(),
  name: z.string(),
  email: z.string().optional(),
  picture: z.string().optional(),
  role: Role.nullable().describe(
    "The role that is held everywhere; null where permissions or scopes are listed",
  ),
  permissions: z.array(Permission).readonly().describe("What is held everywhere"),
  grants: z.array(Grant).readonly().describe("All that is held, and on what"),
}).meta({ id: "Principal" });
export type Principal = z.infer<typeof Principal>;

/** What a permission is asked for. What is left out or null belongs to no engine, workspace or project. */
export interface Subject {
  readonly engine?: string | null;
  readonly workspace?: string | null;
  readonly project?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The subject of what is about the service as a whole, or whose subject is not known: no scope reaches it. */
export const EVERYTHING = "everything";

/** Whether the principal holds the permission on the subject. */
export function may(
  principal: Pick<Principal, "permissions" | "grants">,
  permission: Permission,
  subject: Subject | typeof EVERYTHING,
): boolean {
  if (principal.permissions.includes(permission)) return true;
  if (subject === EVERYTHING) return false;
  return principal.grants.some((grant) =>
    grant.on !== undefined && permissionsOfGrant(grant).includes(permission) &&
    grant.on.some((scope) => reaches(scope, subject))
  );
}

function reaches(scope: Scope, subject: Subject): boolean {
  const colon = scope.indexOf(":");
  const name = scope.slice(colon + 1);
  switch (scope.slice(0, colon)) {
    case "engine":
      return subject.engine === name;
    case "workspace":
      return subject.workspace === name;
    case "project":
      return subject.project === name;
    case "label": {
      const equals = name.indexOf("=");
      const key = name.slice(0, equals);
      const { labels } = subject;
      return labels !== undefined && Object.hasOwn(labels, key) && labels[key] === name.slice(equals + 1);
    }
    default:
      return false;
  }
}

/** What somebody would pass on without holding it; null when they hold all of it, wherever it counts. */
export function excessOf(
  asked: readonly Grant[],
  holder: Pick<Principal, "permissions" | "grants">,
): { readonly permissions: readonly Permission[]; readonly on: Scope | null } | null {
  for (const grant of asked) {
    for (const scope of grant.on ?? [null]) {
      const permissions = permissionsOfGrant(grant).filter((one) => !holds(holder, one, scope));
      if (permissions.length > 0) return { permissions, on: scope };
    }
  }
  return null;
}

/** A scope is only held by who holds that very scope or everything: nobody can know what another one reaches. */
function holds(
  { permissions, grants }: Pick<Principal, "permissions" | "grants">,
  permission: Permission,
  scope: Scope | null,
): boolean {
  if (permissions.includes(permission)) return true;
  return scope !== null &&
    grants.some((grant) =>
      grant.on?.includes(scope) === true && permissionsOfGrant(grant).includes(permission)
    );
}
