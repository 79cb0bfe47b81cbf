/** A line of the comparison of two texts. */

export interface DiffLine {
  readonly sign: " " | "+" | "-";
  readonly text: string;
  /** The line number in its own text; for lines of both, in the new one. */
  readonly number: number;
}

/** Lines that are left out, because they are the same in both. */
export interface Skipped {
  readonly sign: "…";
  readonly amount: number;
}

/** Unchanged lines that are shown around a change. */
const AROUND = 3;
/** Above that many pairs of lines the changed middle is shown as a whole: before, then after. */
const MOST_PAIRS = 4_000_000;

/** The lines of both, with what they share left out where it is far from any change; empty for equal texts. */
export function diffOf(before: string, after: string): readonly (DiffLine | Skipped)[] {
  if (before === after) return [];
  return shortened(linesOf(before.split("\n"), after.split("\n")));
}

function linesOf(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)
  ) end++;
  const same = (from: number, to: number): DiffLine[] =>
    after.slice(from, to).map((text, index) => ({ sign: " ", text, number: from + index + 1 }));
  return [
    ...same(0, start),
    ...middleOf(before.slice(start, before.length - end), after.slice(start, after.length - end), start),
    ...same(after.length - end, after.length),
  ];
}

/** By the longest common subsequence. */
function middleOf(before: readonly string[], after: readonly string[], offset: number): DiffLine[] {
  const [rows, columns] = [before.length, after.length];
  const removed = (row: number): DiffLine => ({ sign: "-", text: before[row]!, number: offset + row + 1 });
  const added = (column: number): DiffLine => ({
    sign: "+",
    text: after[column]!,
    number: offset + column + 1,
  });
  if (rows * columns > MOST_PAIRS) {
    return [...before.map((_, row) => removed(row)), ...after.map((_, column) => added(column))];
  }
  const width = columns + 1;
  const longest = new Uint16Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      longest[row * width + column] = before[row] === after[column]
        ? longest[(row + 1) * width + column + 1]! + 1
        : Math.max(longest[(row + 1) * width + column]!, longest[row * width + column + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[row] === after[column]) {
      lines.push({ sign: " ", text: after[column]!, number: offset + column + 1 });
      row++;
      column++;
    } else if (
      column === columns ||
      (row < rows && longest[(row + 1) * width + column]! >= longest[row * width + column + 1]!)
    ) lines.push(removed(row++));
    else lines.push(added(column++));
  }
  return lines;
}

function shortened(lines: readonly DiffLine[]): (DiffLine | Skipped)[] {
  const isNear = new Uint8Array(lines.length);
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== " ") isNear.fill(1, Math.max(0, index - AROUND), index + AROUND + 1);
  }
  const shown: (DiffLine | Skipped)[] = [];
  for (let index = 0; index < lines.length;) {
    if (isNear[index]) shown.push(lines[index++]!);
    else {
      const from = index;
      while (index < lines.length && !isNear[index]) index++;
      shown.push({ sign: "…", amount: index - from });
    }
  }
  return shown;
}
