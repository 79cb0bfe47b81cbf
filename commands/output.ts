/** The output of commands: whole texts, tables for people, and colour only on a terminal. */
import { visible } from "../log/line.ts";

export function writeOut(text: string): void {
  writeAll(Deno.stdout, new TextEncoder().encode(text));
}

export function writeError(text: string): void {
  writeAll(Deno.stderr, new TextEncoder().encode(text));
}

export function writeAll(stream: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  for (let left = bytes; left.length > 0;) left = left.subarray(stream.writeSync(left));
}

const COLOURS = { red: 31, green: 32, yellow: 33, grey: 90 } as const;
export type Colour = keyof typeof COLOURS;

/** A cell of a table; what came from elsewhere is shown with its control characters spelled out. */
export interface Cell {
  readonly text: string;
  readonly colour?: Colour;
}

/** Columns as wide as their widest cell, in capitals above; coloured on a terminal, unless NO_COLOR is set. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  isColoured = Deno.stdout.isTerminal() && !Deno.noColor,
): string {
  const shown = [
    titles.map((text): Cell => ({ text })),
    ...rows.map((row) => row.map((cell): Cell => ({ ...cell, text: visible(cell.text) }))),
  ];
  const widths = titles.map((_, column) => Math.max(...shown.map((row) => row[column]!.text.length)));
  return shown.map((row) =>
    row.map(({ text, colour }, column) => {
      const padded = column === row.length - 1 ? text : text.padEnd(widths[column]!);
      return isColoured && colour !== undefined ? `\x1b[${COLOURS[colour]}m${padded}\x1b[0m` : padded;
    }).join("  ").trimEnd() + "\n"
  ).join("");
}
