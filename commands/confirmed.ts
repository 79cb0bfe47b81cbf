/** Asks before something is done that was just shown. */
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { UsageFailure } from "./exit_code.ts";

/**
 * Returns true if the person means it, or said so by `--yes`. The names of what will be lost have to be typed
 * first. Throws where nobody can be asked.
 */
export function isMeant(question: string, line: Line, lost: readonly string[] = []): boolean {
  if (line.option("--yes") !== undefined) return true;
  if (!Deno.stdin.isTerminal()) {
    throw new UsageFailure('Nobody can be asked here: say "--yes" where what stands above is meant');
  }
  for (const name of lost) {
    if (prompt(`All data of ${visible(name)} will be lost. Type its name to go on:`) !== name) return false;
  }
  return confirm(question);
}
