/** The file or folder of this machine that a container mounts, as it is now. */

export interface BindSource {
  /** Device and inode: another file under the same path has another one while the old one is mounted. */
  readonly identity: string;
  readonly isFolder: boolean;
  /** Null where the file system does not report it. All times are in milliseconds. */
  readonly bornAt: number | null;
  readonly writtenAt: number;
  /** The start of the second of its last change: Deno reports whole seconds. */
  readonly changedAt: number;
}

/** Follows links, as an engine does when it mounts. Null where it cannot be told. */
export async function bindSourceAt(path: string): Promise<BindSource | "absent" | null> {
  try {
    const { dev, ino, isDirectory, birthtime, mtime, ctime } = await Deno.stat(path);
    if (ino === null || mtime === null || ctime === null) return null;
    return {
      identity: `${dev}:${ino}`,
      isFolder: isDirectory,
      bornAt: birthtime?.getTime() ?? null,
      writtenAt: mtime.getTime(),
      changedAt: ctime.getTime(),
    };
  } catch (error) {
    return ABSENT.some((kind) => error instanceof kind) ? "absent" : null;
  }
}

/** A loop of links leads to nothing, as a missing file does. */
const ABSENT = [Deno.errors.NotFound, Deno.errors.NotADirectory, Deno.errors.FilesystemLoop];
