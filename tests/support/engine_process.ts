/** The process of a test's Docker, as the host counts: its memory and its CPU time are measured from outside. */
import type { TestEngine } from "./engine.ts";

/** Returns its id. The one that was started last on this socket: an engine that was killed is gone. */
export async function engineProcess({ socket }: Pick<TestEngine, "socket">): Promise<number> {
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const words = (await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "")).split("\0");
    if (words[0]?.endsWith("dockerd") && words.includes(`unix://${socket}`)) return Number(name);
  }
  throw new Error(`No dockerd listens at ${socket}`);
}
