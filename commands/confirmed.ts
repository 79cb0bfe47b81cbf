/** Asks before something is done that was just shown. */
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { UsageFailure } from "./exit_code.ts";
import { writeError } from "./output.ts";

/** Longer than any name that has to be typed. */
const MOST_BYTES = 4096;

/** A keyboard, and a place for questions that is not the output of the command. */
export interface Dialog {
  readonly input: { isTerminal(): boolean; readSync(bytes: Uint8Array): number | null };
  readonly say: (text: string) => void;
}

/**
 * Returns true if the person means it, or said so by `--yes`. The names of what will be lost have to be typed
 * first. Throws where nobody can be asked, as with `--json`, which shows nothing to agree to.
 */
export function isMeant(
  question: string,
  line: Line,
  lost: readonly string[] = [],
  { input, say }: Dialog = { input: Deno.stdin, say: writeError },
): boolean {
  if (line.option("--yes") !== undefined) return true;
  if (line.option("--json") !== undefined) {
    throw new UsageFailure('"--json" asks nobody: say "--yes" where the change is meant');
  }
  if (!input.isTerminal()) {
    throw new UsageFailure('Nobody can be asked here: say "--yes" where what stands above is meant');
  }
  const ask = (text: string) => {
    say(`${text} `);
    return typedLine(input);
  };
  for (const name of lost) {
    if (ask(`All data of ${visible(name)} will be lost. Type its name to go on:`) !== name) return false;
  }
  return /^y(?:es)?$/i.test(ask(`${question} [y/N]`)?.trim() ?? "");
}

/** Returns a line as the terminal gives it, edited; null at the end of the input, and for one that is too long. */
function typedLine(input: Dialog["input"]): string | null {
  const bytes = new Uint8Array(MOST_BYTES);
  for (let length = 0; length < MOST_BYTES;) {
    const read = input.readSync(bytes.subarray(length));
    if (read === null) return null;
    length += read;
    const [text, rest] = new TextDecoder().decode(bytes.subarray(0, length)).split(/\r?\n/, 2);
    if (rest !== undefined) return text!;
  }
  return null;
}
