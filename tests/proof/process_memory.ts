/** The memory of another process: Deno's, started with `FOR_HELD_BYTES` in its environment. */
export const FOR_HELD_BYTES = { DENO_USR2_MEMORY_TRIM: "1" };

export async function residentBytes(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Returns the memory that is left once it has collected its garbage and given back what it freed. */
export async function heldBytes(pid: number): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < 20; look++) {
    if (look % 5 === 0) Deno.kill(pid, "SIGUSR2"); // what is let go of after a collection is held no more, either
    await new Promise((resolve) => setTimeout(resolve, 100));
    least = Math.min(least, await residentBytes(pid));
  }
  return least;
}
