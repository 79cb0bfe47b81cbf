/** Which known word a misspelt one most likely means. */

/** The one of `known` that is at most so many edits away, the nearest first; null when none is. */
export function nearest(word: string, known: Iterable<string>, most: number): string | null {
  let best: string | null = null;
  let least = most + 1;
  for (const one of known) {
    const edits = Math.abs(one.length - word.length) < least ? editsBetween(word, one) : least;
    if (edits < least) [best, least] = [one, edits];
  }
  return best;
}

/** Letters added, left out, changed, or swapped with their neighbour. */
function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1)); // rows are full
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        next[j] = Math.min(next[j]!, before[j - 2]! + 1);
      }
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
}
