/** Looks at the processes of this machine, also at those in an engine's namespaces. */

/** Returns whether a process runs whose command begins with these words. */
export async function isCommandRunning(words: string): Promise<boolean> {
  for await (const { name } of Deno.readDir("/proc")) {
    const command = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (command.split("\0").join(" ").startsWith(words)) return true;
  }
  return false;
}
