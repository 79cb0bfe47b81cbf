/** The permissions of a key or a person, in one line. */
import type { Grant } from "../../../client/berth/settings.ts";
import { words } from "../../words/en_later.ts";

export function rightsOf(grants: readonly Grant[]): string {
  const { permissions, on, none } = words.settings.rights;
  const texts = grants.map((grant) => {
    const held = "role" in grant
      ? grant.role
      : grant.permissions.length <= 2
      ? grant.permissions.join(", ")
      : permissions(grant.permissions.length);
    return grant.on === undefined ? held : on(held, grant.on.join(", "));
  });
  return texts.length === 0 ? none : texts.join("; ");
}

/** Returns all permissions, for the details. */
export function permissionsOf(grants: readonly Grant[]): string {
  return grants.flatMap((grant): readonly string[] => "role" in grant ? [grant.role] : grant.permissions)
    .join("\n");
}
