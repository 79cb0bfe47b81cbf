/** Compares what a container has mounted with what it was to mount, as the kernel of this machine tells. */

import { pinned } from "../../artifacts/files/pinned.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { Placed } from "../specs/host_places.ts";

/**
 * Returns a source that the engine took from somewhere else than berth saw, or that berth did not see although it is
 * mounted; null if there is none, or where this machine does not tell: the container runs on another one, or berth may
 * not look.
 */
export async function mountedElsewhere(
  container: InspectedContainer | null,
  seen: ReadonlyMap<string, Placed>,
): Promise<string | null> {
  if (container === null || container.pid === null) return null;
  const { id, mounts } = container;
  const pid = await processOf(id, container.pid);
  if (pid === null) return null;
  for (const { type, source, target } of mounts) {
    const known = type === "bind" ? seen.get(source) : undefined;
    const inside = known === undefined ? null : pinned(`/proc/${pid}/root${target}`);
    if (inside !== null && inside.identity !== known?.identity) return source;
  }
  return null;
}

/**
 * Returns a process of the container as this machine counts them: an engine in a process namespace of its own tells
 * another number. Null for a container of another machine, and for one that has ended.
 */
async function processOf(container: string, told: number): Promise<number | null> {
  if (await isOf(told, container)) return told;
  for await (const { name } of Deno.readDir("/proc")) {
    if (/^\d+$/.test(name) && await isOf(Number(name), container)) return Number(name);
  }
  return null;
}

async function isOf(pid: number, container: string): Promise<boolean> {
  try {
    return (await Deno.readTextFile(`/proc/${pid}/cgroup`)).includes(container);
  } catch {
    return false; // it has ended, or berth may not look
  }
}
