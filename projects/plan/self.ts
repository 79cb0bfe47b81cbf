/** Whether berth itself runs in a container, and in which. */

/** The id in the paths that an engine mounts into its containers. */
const CONTAINER = /\/(?:containers|overlay-containers)\/([0-9a-f]{64})\//;

/** Null outside of a container, and where the system does not tell. */
export async function ownContainer(): Promise<string | null> {
  try {
    return CONTAINER.exec(await Deno.readTextFile("/proc/self/mountinfo"))?.[1] ?? null;
  } catch {
    return null;
  }
}
