/** The output of a program as lines that may be kept. */
import { maskSaid } from "../../../core/secrets.ts";

const MAX_LINE = 2_000;

/** Returns the lines, each shortened. Masks all of it first, since a private key has many lines. */
export function maskedLines(text: string, environment: readonly string[]): string[] {
  const lines = maskSaid(text.replaceAll("\r\n", "\n"), environment).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => shortened(maskSaid(line, environment)));
}

/** Returns a long line by its beginning and its end. */
function shortened(line: string): string {
  if (line.length <= MAX_LINE) return line;
  return `${line.slice(0, MAX_LINE / 2)} … ${line.slice(-MAX_LINE / 2)}`;
}
