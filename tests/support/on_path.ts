/** A program on this machine, looked for without starting it. */

/** Returns true if a folder of PATH has it. */
export async function onPath(program: string): Promise<boolean> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    if (await Deno.stat(`${folder}/${program}`).then((found) => found.isFile, () => false)) return true;
  }
  return false;
}
