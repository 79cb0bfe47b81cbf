/** Checks that the process may open enough files and sockets to serve. */

/**
 * Returns the number of descriptors that the process may open if it is less than `least`, else null. Deno
 * raises the soft limit to the hard one. The kernel's figure is read where the process may read it; otherwise
 * it opens a file of ours that often.
 */
export function tooFewDescriptors(least: number, ownFile: string): number | null {
  if (least === 0 || Deno.build.os === "windows") return null;
  const limit = kernelLimit() ?? probedLimit(least, ownFile);
  return limit < least ? limit : null;
}

function kernelLimit(): number | null {
  if (Deno.build.os !== "linux") return null;
  try {
    const limits = Deno.readTextFileSync("/proc/self/limits");
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    return soft === undefined ? null : soft === "unlimited" ? Infinity : Number(soft);
  } catch {
    return null;
  }
}

function probedLimit(least: number, ownFile: string): number {
  const opened: Deno.FsFile[] = [];
  try {
    while (opened.length < least) {
      opened.push(Deno.openSync(ownFile, { create: true, append: true, mode: 0o600 }));
    }
    return opened.length;
  } catch (error) {
    // A folder that cannot be written is for those to tell who need it next.
    return error instanceof Error && error.message.includes("Too many open files") ? opened.length : Infinity;
  } finally {
    for (const file of opened) file.close();
  }
}
