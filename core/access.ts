/** Permissions, the roles that hold them, and the principal of a call. */
import * as z from "./schema.ts";
import { ROLES } from "./roles.ts";
import { isScope, MAX_SCOPE, SCOPE_FORM, SCOPES_IN_WORDS } from "./scope.ts";

export { ROLES };

/** The form of a name for the API document, whose readers know no classes of characters. */
export const NAME_FORM = String.raw`^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$`;

/** A permission, and the roles that hold it. */
export interface PermissionRule {
  readonly name: string;
  readonly roles: readonly Role[];
  /** A role on a scope does not include it: there it must be granted by name. */
  readonly byNameOnScopes?: true;
  /** Of a plugin's: the schema of the store in which its roles gained it, told by the first start after an upgrade. */
  readonly since?: { readonly sqlite: number; readonly postgres: number };
}

/** The service's own permissions; each plugin declares those of its routes. */
export const CORE_PERMISSIONS = [
  { name: "system:read", roles: ["viewer", "operator", "admin"] },
  { name: "workspaces:read", roles: ["viewer", "operator", "admin"] },
  { name: "artifacts:read", roles: ["viewer", "operator", "admin"] },
  { name: "projects:plan", roles: ["operator", "admin"] },
  { name: "projects:apply", roles: ["operator", "admin"] },
  { name: "incidents:mute", roles: ["operator", "admin"] },
  { name: "projects:host", roles: ["admin"] },
  { name: "projects:destroy", roles: ["admin"] },
  // The core, too, shows running containers beside their declarations.
  { name: "containers:read", roles: ["viewer", "operator", "admin"] },
  // And services of swarms, which are rows beside projects.
  { name: "services:read", roles: ["viewer", "operator", "admin"] },
  // And what containers said last, when they are gone.
  { name: "containers:logs", roles: ["viewer", "operator", "admin"] },
  { name: "artifacts:reveal", roles: ["admin"], byNameOnScopes: true },
  { name: "workspaces:write", roles: ["operator", "admin"] },
  { name: "workspaces:files", roles: ["admin"] },
  { name: "workspaces:manage", roles: ["admin"] },
  { name: "registries:manage", roles: ["admin"] },
  { name: "notices:manage", roles: ["admin"] },
  { name: "system:logs", roles: ["admin"] },
  { name: "keys:manage", roles: ["admin"] },
  { name: "people:manage", roles: ["admin"] },
  { name: "audit:read", roles: ["admin"] },
] as const satisfies readonly PermissionRule[];
export type CorePermission = (typeof CORE_PERMISSIONS)[number]["name"];

/** A name as `containers:read`; the catalogue of a service says which there are. */
export const Permission = z.string().max(100).regex(/^[a-z][a-z-]*:[a-z][a-z-]*$/, "Expected a permission")
  .meta({ id: "Permission" });
export type Permission = z.infer<typeof Permission>;

export const Role = z.enum(ROLES).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** The name of a key or a person. */
export const KeyName = z.string().trim().min(1).max(100)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, "Expected text without control characters")
  .meta({ pattern: NAME_FORM });

const noScope = ({ input }: { readonly input?: unknown }) =>
  `There is no scope ${JSON.stringify(input)?.slice(0, MAX_SCOPE)}: expected ${SCOPES_IN_WORDS}`;

export const Scope = z.string({ error: noScope }).refine(isScope, { error: noScope })
  .meta({
    id: "Scope",
    maxLength: MAX_SCOPE,
    pattern: SCOPE_FORM,
    examples: ["project:shop"],
    description: "`engine:nas`, `workspace:shop`, `project:shop-prod`, `label:team=web`",
  });
export type Scope = z.infer<typeof Scope>;

const on = z.array(Scope).min(1).max(64).readonly().optional()
  .describe("The scopes it applies to; everywhere if left out");

/** A role or permissions, everywhere or on scopes. */
export const Grant = z.union([
  z.strictObject({ role: Role.describe("A role"), on }),
  z.strictObject({
    permissions: z.array(Permission).min(1).max(64).readonly().describe("Single permissions"),
    on,
  }),
], {
  error: 'Expected either a "role" or "permissions", with or without "on", and nothing unknown',
}).meta({ id: "Grant" });
export type Grant = z.infer<typeof Grant>;

export const Grants = z.array(Grant).min(1).max(64).readonly();

/** A grant with all that it lets its holder do where it counts. */
export const HeldGrant = z.object({
  role: Role.nullable().describe("Null where permissions were granted by name"),
  permissions: z.array(Permission).readonly().describe("The permissions it allows"),
  on,
}).meta({ id: "HeldGrant" });
export type HeldGrant = z.infer<typeof HeldGrant>;

/** All that somebody holds. */
export interface Rights {
  /** The greatest role that is held everywhere. */
  readonly role: Role | null;
  /** Permissions that are held everywhere. */
  readonly permissions: readonly Permission[];
  readonly grants: readonly HeldGrant[];
}

/** Every permission of a service: its own, and those of all listed plugins, switched on or off. */
export class PermissionCatalogue {
  readonly names: readonly Permission[];
  readonly #known: ReadonlySet<Permission>;
  readonly #byRole: Readonly<Record<Role, readonly Permission[]>>;
  readonly #byNameOnScopes: ReadonlySet<Permission>;

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
    this.#byNameOnScopes = new Set(
      rules.filter(({ byNameOnScopes }) => byNameOnScopes).map(({ name }) => name),
    );
    this.#byRole = { viewer: held("viewer"), operator: held("operator"), admin: held("admin") };
  }

  has(name: Permission): boolean {
    return this.#known.has(name);
  }

  /** Returns the role's permissions; none for a word that a damaged store has in its place. */
  of(role: Role): readonly Permission[] {
    return this.#byRole[role] ?? [];
  }

  /** Returns the rights that the grants give with today's roles. */
  rightsOf(grants: readonly Grant[]): Rights {
    const held = grants.map((grant): HeldGrant => {
      const where = grant.on === undefined ? {} : { on: grant.on };
      if ("permissions" in grant) {
        // A plugin may be gone since: what it brought is worth nothing, and the rest goes on.
        return { role: null, permissions: grant.permissions.filter((one) => this.has(one)), ...where };
      }
      const permissions = grant.on === undefined
        ? this.of(grant.role)
        : this.of(grant.role).filter((one) => !this.#byNameOnScopes.has(one));
      return { role: grant.role, permissions, ...where };
    });
    const [first, ...others] = held.filter((grant) => grant.on === undefined);
    const permissions = others.length === 0
      ? first?.permissions ?? []
      : [...new Set([first, ...others].flatMap((grant) => grant?.permissions ?? []))];
    return { role: roleEverywhere(grants), permissions, grants: held };
  }

  /** A permission that is granted by name and that there is not, or null. */
  unknownIn(grants: readonly Grant[]): Permission | null {
    const named = grants.flatMap((grant) => "permissions" in grant ? grant.permissions : []);
    return named.find((one) => !this.has(one)) ?? null;
  }
}

/** The greatest role that is held everywhere, or null. */
export function roleEverywhere(grants: readonly Grant[]): Role | null {
  const held = grants.filter((grant) => grant.on === undefined).map((grant) =>
    "role" in grant ? grant.role : null
  );
  return [...ROLES].reverse().find((role) => held.includes(role)) ?? null;
}

/** The caller: a person who signed in, or the holder of an API key. */
export const Principal = z.object({
  kind: z.enum(["user", "apiKey"]).describe("A person, or a program with a key"),
  id: z.string().describe("Their id"),
  name: z.string().describe("Their names"),
  email: z.string().optional().describe("A person's address, if it is known"),
  picture: z.string().optional().describe("The address of a person's picture"),
  role: Role.nullable().describe(
    "The role that is held everywhere; null where permissions or scopes are listed",
  ),
  permissions: z.array(Permission).readonly().describe("Permissions that are held everywhere"),
  grants: z.array(HeldGrant).readonly().describe("All that is held, and on what"),
}).meta({ id: "Principal" });
export type Principal = z.infer<typeof Principal>;

/** The rights to ask about. */
export type Holder = Pick<Rights, "permissions" | "grants">;

/** The object of a permission. A part that is left out or null belongs to no engine, workspace or project. */
export interface Subject {
  readonly engine?: string | null;
  readonly workspace?: string | null;
  readonly project?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The subject of what is about the service as a whole, or whose subject is not known: no scope reaches it. */
export const EVERYTHING = "everything";

/**
 * Returns true if the caller holds the permission on the subject. A plugin names its own:
 * `may<UnitPermission>(principal, "units:read", EVERYTHING)`.
 */
export function may<Known extends Permission = CorePermission>(
  principal: Holder,
  permission: NoInfer<Known>,
  subject: Subject | typeof EVERYTHING,
): boolean {
  if (principal.permissions.includes(permission)) return true;
  if (subject === EVERYTHING) return false;
  return principal.grants.some((grant) =>
    grant.on !== undefined && grant.permissions.includes(permission) &&
    grant.on.some((scope) => reaches(scope, subject))
  );
}

/** The scope of one permission of a holder. */
export class Reach {
  /** The scope of a permission that is held everywhere. */
  static readonly EVERYWHERE = new Reach(null);
  /** Names it in caches: of equal text are those that reach the same. Empty for everywhere. */
  readonly key: string;
  readonly #scopes: readonly Scope[] | null;

  /** Null stands for everywhere. */
  constructor(scopes: readonly Scope[] | null) {
    this.#scopes = scopes === null ? null : [...new Set(scopes)].sort();
    this.key = this.#scopes === null ? "" : JSON.stringify(this.#scopes);
  }

  get everywhere(): boolean {
    return this.#scopes === null;
  }

  get nowhere(): boolean {
    return this.#scopes?.length === 0;
  }

  has(subject: Subject): boolean {
    return this.#scopes === null || this.#scopes.some((scope) => reaches(scope, subject));
  }
}

const reachesOf = new WeakMap<Holder, Map<Permission, Reach>>();

/** Returns the scope of the permission in the hands of this holder. */
export function reachOf<Known extends Permission = CorePermission>(
  holder: Holder,
  permission: NoInfer<Known>,
): Reach {
  if (holder.permissions.includes(permission)) return Reach.EVERYWHERE;
  let known = reachesOf.get(holder);
  if (known === undefined) reachesOf.set(holder, known = new Map());
  let reach = known.get(permission);
  if (reach === undefined) {
    const giving = holder.grants.filter(({ permissions }) => permissions.includes(permission));
    known.set(permission, reach = new Reach(giving.flatMap(({ on = [] }) => on)));
  }
  return reach;
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

/**
 * Returns a right that the holder would pass on without holding it; null if they hold all of it, wherever it
 * applies.
 */
export function excessOf(
  { grants: asked }: Holder,
  holder: Holder,
): { readonly permissions: readonly Permission[]; readonly on: Scope | null } | null {
  for (const grant of asked) {
    for (const scope of grant.on ?? [null]) {
      const permissions = grant.permissions.filter((one) => !holds(holder, one, scope));
      if (permissions.length > 0) return { permissions, on: scope };
    }
  }
  return null;
}

/** Returns the rights limited to those of `limit`. */
export function within(rights: Rights, limit: Rights): Rights {
  if (excessOf(rights, limit) === null) return rights;
  const part = (
    permissions: readonly Permission[],
    isLeft: (one: Permission) => boolean,
    on?: readonly Scope[],
  ) => {
    const left = permissions.filter(isLeft);
    return left.length === 0 ? [] : [{ role: null, permissions: left, ...(on !== undefined && { on }) }];
  };
  const grants = rights.grants.flatMap(({ permissions, on }): HeldGrant[] =>
    on === undefined
      ? limit.grants.flatMap((held) => part(permissions, (one) => held.permissions.includes(one), held.on))
      : on.flatMap((scope) => part(permissions, (one) => holds(limit, one, scope), [scope]))
  );
  const everywhere = grants.filter(({ on }) => on === undefined).flatMap(({ permissions }) => permissions);
  return { role: null, permissions: [...new Set(everywhere)], grants };
}

/** Only the same scope, or a grant without one, covers a scope: what another one reaches is not known. */
function holds(
  { permissions, grants }: Holder,
  permission: Permission,
  scope: Scope | null,
): boolean {
  if (permissions.includes(permission)) return true;
  return scope !== null &&
    grants.some((grant) => grant.on?.includes(scope) === true && grant.permissions.includes(permission));
}
