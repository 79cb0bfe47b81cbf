/** A berth in a process of its own that dies in the middle of an apply. */
import type { Config } from "../../config.ts";
import type { TestEngine } from "../support/engine.ts";

/** An act, and whether berth dies right before it or right after it. */
export type Kill = readonly [when: "before" | "after", act: string, nth?: number];

const ACTOR = new URL("apply_actor.ts", import.meta.url).pathname;

const CLOCK_STEP = new URL("../support/clock_step.ts", import.meta.url).pathname;

/** Starts a berth that dies at the act. `clock` is the file by which `clock_step.ts` steps its clock. */
export async function mortal(
  berth: { folder: string; admin: string | null },
  engine: TestEngine,
  kill: Kill,
  settings: Partial<Config> = {},
  clock: string | null = null,
): Promise<{ child: Deno.ChildProcess; url: string }> {
  const [when, act, nth = 1] = kill;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", ...(clock === null ? [] : [`--preload=${CLOCK_STEP}`]), ACTOR],
      ...[berth.folder, berth.admin ?? "", engine.kind, engine.socket],
      ...[when, act, String(nth), JSON.stringify(settings)],
    ],
    env: clock === null ? {} : { BERTH_TEST_CLOCK: clock },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await lines.read();
  await lines.cancel();
  return { child, url: value.trim() };
}
