/** A command line as Compose splits it: words, quotes and backslashes, nothing is expanded. */

/** The words of a line; null where a quote is not closed. */
export function shellWords(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    if (quote === "'") {
      if (character === "'") quote = null;
      else word += character;
    } else if (character === "\\" && i + 1 < line.length) {
      const next = line[++i]!;
      // Between double quotes a backslash escapes only these four.
      word = (word ?? "") + (quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next);
    } else if (quote === '"') {
      if (character === '"') quote = null;
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}
