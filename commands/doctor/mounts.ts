/** The mounts of this machine, or of the container that berth runs in. */
import { textOf } from "./check.ts";

/** A mount, as `/proc/self/mountinfo` names it. */
export interface Mount {
  /** The folder that it is mounted on. */
  readonly at: string;
  /** The type of its file system. */
  readonly type: string;
}

/** Returns the mount that holds a path; null where the system does not tell. */
export async function mountOf(path: string): Promise<Mount | null> {
  const real = await Deno.realPath(path).catch(() => path);
  return mountIn(await textOf("/proc/self/mountinfo") ?? "", real);
}

/** Returns the mount that holds a path, out of the text of `/proc/self/mountinfo`. */
export function mountIn(mounts: string, path: string): Mount | null {
  let best: Mount | null = null;
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const at = before.split(" ")[4]?.replaceAll("\\040", " ");
    if (at === undefined || at.length < (best?.at.length ?? 0)) continue;
    if (path !== at && !path.startsWith(at === "/" ? "/" : `${at}/`)) continue;
    best = { at, type: after.split(" ")[0] ?? "" };
  }
  return best;
}
