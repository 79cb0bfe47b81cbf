/** The contents of secrets and configs as digests: a container keeps those of the time when it was made. */

import type { Group } from "../../artifacts/artifact.ts";
import { valueAt } from "../../artifacts/yaml/values.ts";
import { shortDigest } from "../fields/declared_label.ts";
import type { Digest } from "../fields/engine_view.ts";

/** The values that labels of berth are compared with. */
export interface OwnSide {
  readonly digest: Digest;
  /** Hex SHA-256 of a file below the workspace's folder; null where it cannot be read. */
  readonly hashOf: (path: string) => Promise<string | null>;
}

/** Files that are read for one group at most. */
const MOST = 200;

/** By the ids of secrets and configs; without those that cannot be read. */
export async function contentsOf(group: Group, { digest, hashOf }: OwnSide): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const files = group.resources.filter(({ kind }) => kind === "secret" || kind === "config").slice(0, MOST);
  for (const { id, value, external, content } of files) {
    if (content !== null) found.set(id, shortDigest(id, ["content", content], digest));
    const at = valueAt(value, "file");
    const use = external || at === null ? undefined : group.paths.find((path) => path.at === at);
    const hash = use === undefined || use.path === null || use.found !== "file"
      ? null
      : await hashOf(use.path);
    if (hash !== null) found.set(id, shortDigest(id, hash, digest));
  }
  return found;
}
