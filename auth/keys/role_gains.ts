/** Permissions that roles gained with a version of berth, told by the first start after an upgrade. */
import type { PermissionRule, Role } from "../../core/access.ts";
import type { Store } from "../../core/store.ts";

/** The permissions that a role gained, and the schema of the store in which that came. */
interface RoleGain {
  readonly role: Role;
  readonly permissions: readonly string[];
  readonly since: { readonly sqlite: number; readonly postgres: number };
}

/** A role that gains a permission gets a row, and a line in the changelog; without a new schema, add an empty step. */
export const ROLE_GAINS: readonly RoleGain[] = [
  { role: "operator", permissions: ["projects:plan"], since: { sqlite: 6, postgres: 1 } },
  { role: "operator", permissions: ["projects:apply"], since: { sqlite: 8, postgres: 1 } },
];

/** Returns what roles gained by permissions that plugins declare with `since`. */
export function gainsOfPlugins(
  plugins: readonly { readonly permissions: readonly PermissionRule[] }[],
): RoleGain[] {
  return plugins.flatMap(({ permissions }) => permissions).flatMap(({ name, roles, since }) =>
    since === undefined ? [] : roles.map((role) => ({ role, permissions: [name], since }))
  );
}

/** Returns the permissions that roles gained since the schema that the store had before this start. */
export function gainsSince(
  before: Store["upgradedFrom"],
  gains: readonly RoleGain[] = ROLE_GAINS,
): ReadonlyMap<Role, readonly string[]> {
  const found = new Map<Role, readonly string[]>();
  for (const { role, permissions, since } of gains) {
    if (before === null || since[before.kind] <= before.schema) continue;
    found.set(role, [...found.get(role) ?? [], ...permissions]);
  }
  return found;
}
