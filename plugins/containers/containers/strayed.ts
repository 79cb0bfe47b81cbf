/** Judges the start of a container whose folders are links by now: an engine follows them anew at each start. */
import { may, type Permission, type Principal } from "../../../core/access.ts";
import { type Ownership, subjectOf } from "../../../core/runtime.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";

/**
 * Throws `forbidden` if the container would get a folder that a plan would not give it to the caller: a bind mount in a
 * workspace leads out of it, or to another place of it. `doing` follows "Cannot".
 */
export async function mustNotBeLedAway(
  row: ContainerRow,
  ownership: Ownership,
  principal: Principal,
  doing: string,
): Promise<void> {
  for (const { type, source } of row.mounts) {
    const led = type === "bind" ? await ownership.leadsTo(source) : null;
    if (led === null || may<Permission>(principal, "projects:host", subjectOf(row, ownership))) continue;
    const workspace = { engine: row.backend, workspace: led.workspace };
    if (led.isInside && may<Permission>(principal, "projects:apply", workspace)) continue;
    const [where, permission] = led.isInside
      ? ["to another place of the workspace", '"projects:apply" on the workspace']
      : ["out of the workspace", '"projects:host"'];
    throw engineError(
      "forbidden",
      `Cannot ${doing}: it mounts "${source}", where a link leads ${where}, which needs the permission ${permission}. ` +
        "Take the link away, or ask somebody who holds the permission",
    );
  }
}
