/** Asks for the path and the identity of a file or folder at one and the same moment. */

import { closeSync, fstatSync, openSync } from "node:fs";

/** A file or folder with the path and the identity that it had at one and the same moment. */
interface Pinned {
  /** The path with its links followed. */
  readonly path: string;
  /** Device and inode. */
  readonly identity: string;
}

/** Of Linux: a descriptor that neither reads nor waits. */
const O_PATH = 0o10_000_000;

/**
 * Opens a path and asks the kernel for it, so that nobody can exchange it in between; null where that is not
 * possible.
 */
export function pinned(path: string): Pinned | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, O_PATH);
  } catch {
    return null;
  }
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return { path: Deno.readLinkSync(`/proc/self/fd/${descriptor}`), identity: `${dev}:${ino}` };
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}
