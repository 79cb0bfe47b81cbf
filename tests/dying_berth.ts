/** A berth in a process of its own that is killed at an act of an apply. */
import type { Config } from "../config.ts";
import type { TestEngine } from "./engine.ts";

const ACTOR = new URL("apply_actor.ts", import.meta.url).pathname;

/** An act, and whether berth dies right before it or right after it. */
export type Kill = readonly [when: "before" | "after", act: string, nth?: number];

/** Starts it; the caller waits for its end. */
export async function dyingBerth(
  berth: { readonly folder: string; readonly admin: string | null },
  engine: TestEngine,
  [when, act, nth = 1]: Kill,
  settings: Partial<Config> = {},
): Promise<{ readonly child: Deno.ChildProcess; readonly url: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", ACTOR, berth.folder, berth.admin ?? "", engine.kind, engine.socket],
      ...[when, act, String(nth), JSON.stringify(settings)],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await lines.read();
  await lines.cancel();
  return { child, url: value.trim() };
}
