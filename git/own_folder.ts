/** A folder that nobody else writes to: no other git, and no other source. */
import { isInside } from "../artifacts/files/inside.ts";
import type { WorkspaceFolder } from "../artifacts/registry/registry.ts";
import { ServiceError } from "../core/error.ts";
import type { SourceRecord } from "../core/source.ts";

export const refusedSource = (why: string): ServiceError =>
  new ServiceError("source_refused", `Cannot follow the repository: ${why}`);

/** Throws `source_refused` for a folder that another git works in, or that another source writes to. */
export async function mustBeAlone(
  workspace: string,
  sources: readonly SourceRecord[],
  folderOf: (workspace: string) => Promise<WorkspaceFolder>,
): Promise<void> {
  const { root } = await folderOf(workspace);
  if (await Deno.lstat(`${root}/.git`).then(() => true, () => false)) {
    throw refusedSource(
      "its folder holds a .git: somebody pulls there already, so end that and move the .git away first",
    );
  }
  for (const other of sources) {
    if (other.workspace === workspace) continue;
    const folder = await folderOf(other.workspace).catch(() => null);
    if (folder !== null && (isInside(folder.root, root) || isInside(root, folder.root))) {
      throw refusedSource(
        `its folder overlaps that of "${other.workspace}", which follows a repository, too`,
      );
    }
  }
}
