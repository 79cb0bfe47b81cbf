/** Folders that are not walked but hold files that a project names, as in `env_file: .secrets/web.env`. */

import type { FileStore } from "../files/file_store.ts";
import { folderOf } from "../files/paths.ts";

/** The existing ones with their parents, since a named file may be created later or removed with its folder. */
export async function namedFolders(
  store: FileStore,
  walked: ReadonlyMap<string, unknown>,
  needed: Iterable<ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const found = new Set<string>();
  for (const paths of needed) {
    for (const path of paths) {
      let folder = folderOf(path);
      while (folder !== "" && !walked.has(folder) && !seen.has(folder)) {
        seen.add(folder);
        if (await store.look(folder) === "folder") found.add(folder);
        folder = folderOf(folder);
      }
    }
  }
  return new Set([...found].sort());
}
