/** Asks before something is done that was just shown. */
import type { Line } from "./command.ts";
import { UsageFailure } from "./exit_code.ts";

/** Returns true if the person means it, or said so by `--yes`. Throws where nobody can be asked. */
export function isMeant(question: string, line: Line): boolean {
  if (line.option("--yes") !== undefined) return true;
  if (!Deno.stdin.isTerminal()) {
    throw new UsageFailure('Nobody can be asked here: say "--yes" where what stands above is meant');
  }
  return confirm(question);
}
