/** Every permission of berth with its own plugins. */
import { PermissionCatalogue, type Role } from "../../core/access.ts";
import { PLUGINS } from "../../plugins/plugins.ts";

export const CATALOGUE = new PermissionCatalogue(PLUGINS);

export function permissionsOf(role: Role): readonly string[] {
  return CATALOGUE.of(role);
}
