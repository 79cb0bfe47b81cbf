/** Judges the start of a container whose folders are links by now: an engine follows them anew at each start. */
import { may, type Permission, type Principal } from "../../../core/access.ts";
import { type Ownership, subjectOf } from "../../../core/ownership.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";

/**
 * Throws `forbidden` if the container would get a folder that a plan would not give to the caller: links lead a bind mount
 * out of the workspace, or out of the project's folder to another place of it. `doing` follows "Cannot".
 */
export async function mustNotStray(
  row: ContainerRow,
  ownership: Ownership,
  principal: Principal,
  doing: string,
): Promise<void> {
  if (may<Permission>(principal, "projects:host", subjectOf(row, ownership))) return;
  const binds = row.mounts.filter(({ type }) => type === "bind").map(({ source }) => source);
  for (const { source, workspace, isInside } of await ownership.strayed(row, binds)) {
    if (isInside && may<Permission>(principal, "projects:apply", { engine: row.backend, workspace })) {
      continue;
    }
    const [where, permission] = isInside
      ? ["to another project of the workspace", '"projects:apply" on the workspace']
      : ["out of the workspace", '"projects:host"'];
    throw engineError(
      "forbidden",
      `Cannot ${doing}: it mounts "${source}", where a link leads ${where}, which needs the permission ${permission}. ` +
        "Take the link away, or ask somebody who holds the permission",
    );
  }
}
