/** The rights of a request that makes an object directly, by the same table as those of plans and applies. */
import { may, type Permission, type Principal } from "../../../core/access.ts";
import type { SpecNeed } from "../../../core/spec_rows.ts";
import { engineError } from "../../../engines/calls/errors.ts";

/** Throws `forbidden` with the first need, unless the caller holds one of the permissions on the engine. */
export function mustHold(
  principal: Principal,
  engine: string,
  doing: string,
  needs: readonly SpecNeed[],
  permissions: readonly Permission[] = ["projects:host"],
): void {
  const [need] = needs;
  if (need === undefined || permissions.some((one) => may<Permission>(principal, one, { engine }))) return;
  const wanted = permissions.map((one) => `"${one}"`).join(" or ");
  throw engineError(
    "forbidden",
    `Cannot ${doing}: ${need.field} ${need.why}, which needs the permission ${wanted}`,
    {
      errors: [{ path: `body.${FIELDS[need.field] ?? need.field}`, message: `Needs ${wanted}` }],
    },
  );
}

/** The names of a spec's fields in a request. */
const FIELDS: Readonly<Record<string, string>> = { driver_opts: "options", "ipam.config": "subnets" };
