/** Compares what a container has mounted with what it was to mount, as the kernel of this machine tells. */

import { pinned } from "../../artifacts/files/real_folder.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { Placed } from "../specs/host_places.ts";

/**
 * Returns a source that the engine took from somewhere else than berth saw; null if there is none, or where this
 * machine does not tell: the container runs on another one, or berth may not look.
 */
export async function mountedElsewhere(
  container: InspectedContainer | null,
  seen: ReadonlyMap<string, Placed>,
): Promise<string | null> {
  if (container === null || container.pid === null) return null;
  const { id, pid, mounts } = container;
  if (!await isItsProcess(pid, id)) return null;
  for (const { type, source, target } of mounts) {
    const identity = type === "bind" ? seen.get(source)?.identity ?? null : null;
    const inside = identity === null ? null : pinned(`/proc/${pid}/root${target}`);
    if (inside !== null && inside.identity !== identity) return source;
  }
  return null;
}

/** Returns false for a process of this number on another machine than the container's. */
async function isItsProcess(pid: number, id: string): Promise<boolean> {
  try {
    return (await Deno.readTextFile(`/proc/${pid}/cgroup`)).includes(id);
  } catch {
    return false; // it has ended, or berth may not look
  }
}
