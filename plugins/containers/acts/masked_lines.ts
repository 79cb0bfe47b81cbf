/** The output of a program as lines that may be kept. */
import { maskText } from "../../../core/secrets.ts";

const MAX_LINE = 2_000;

/** Returns the lines, each cut. Masks all of it first, since a private key has many lines. */
export function maskedLines(text: string): string[] {
  const lines = maskText(text.replaceAll("\r\n", "\n")).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => maskText(line).slice(0, MAX_LINE));
}
