/** Finds the container that berth itself runs in, if it runs in one. */

/** The files that an engine mounts into every container, from a folder that is named after it. */
const TARGETS: readonly string[] = ["/etc/hostname", "/etc/hosts", "/etc/resolv.conf"];
/** The id in the path of such a file. */
const CONTAINER = /\/(?:containers|overlay-containers)\/([0-9a-f]{64})\//;

/** Returns the container's id; null outside of a container, and where the system does not tell. */
export async function ownContainer(): Promise<string | null> {
  try {
    return containerIn(await Deno.readTextFile("/proc/self/mountinfo"));
  } catch {
    return null;
  }
}

/**
 * Reads the id of a process's container out of its `mountinfo`. On a host the mounts of its containers are listed,
 * too, as their shared memory: these are no evidence, since their targets are the engine's folders.
 */
export function containerIn(mountinfo: string): string | null {
  for (const line of mountinfo.split("\n")) {
    const [, , , root = "", target = ""] = line.split(" ");
    const id = TARGETS.includes(target) ? CONTAINER.exec(root)?.[1] : undefined;
    if (id !== undefined) return id;
  }
  return null;
}
