/** Puts small files into a container that was made and does not run yet: secrets and configs that are no files. */
import { concat } from "../../../core/bytes.ts";
import { TAR_END, tarHeader, tarPadding } from "../../../core/tar.ts";
import type { ContainerSpec } from "../../../core/runtime.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { at } from "../../../engines/calls/path.ts";

const encoder = new TextEncoder();

/** All of them, in one call. Each is where it belongs before the container is started. */
export async function copyInto(engine: Engine, id: string, files: ContainerSpec["files"]): Promise<void> {
  if (files.length === 0) return;
  await engine.put(at`/containers/${id}/archive`, {
    doing: `copy files into container "${id}"`,
    missing: "container_not_found",
    query: { path: "/", copyUIDGID: true },
    body: tarOf(files),
  });
}

/** The files as a tar. */
function tarOf(files: ContainerSpec["files"]): Uint8Array<ArrayBuffer> {
  const changed = Date.now() / 1_000;
  const parts = files.flatMap(({ path, content, uid, gid, mode }) => {
    const bytes = encoder.encode(content);
    const about = { kind: "file", uid, gid, mode, size: bytes.length, changed } as const;
    return [tarHeader({ ...about, path: path.replace(/^\//, "") }), bytes, tarPadding(bytes.length)];
  });
  return concat([...parts, TAR_END]);
}
