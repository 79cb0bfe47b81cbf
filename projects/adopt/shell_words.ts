/** Splits a line of a shell into its words as a shell would, and expands nothing. */

interface Words {
  readonly words: readonly string[];
  /** Words in which a shell would have put something else: a variable, or the output of a command. */
  readonly unexpanded: readonly string[];
  /** True if a quote has no end. */
  readonly isOpen: boolean;
}

export function shellWords(line: string): Words {
  const words: string[] = [];
  const unexpanded: string[] = [];
  let word: string | null = null;
  let isUnexpanded = false;
  let quote = "";
  const end = () => {
    if (word === null) return;
    words.push(word);
    if (isUnexpanded) unexpanded.push(word);
    word = null;
    isUnexpanded = false;
  };
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]!; // within the line
    const next = line[at + 1];
    if (quote === "'") {
      if (sign === "'") quote = "";
      else word += sign;
    } else if (sign === "\\" && next !== undefined && (quote === "" || /["\\$`\n]/.test(next))) {
      at++;
      if (next !== "\n") word = (word ?? "") + next; // a line that goes on
      else if (quote === "" && word === null) continue;
    } else if (sign === quote) quote = "";
    else if (quote === "" && /["']/.test(sign)) {
      quote = sign;
      word ??= "";
    } else if (quote === "" && /\s/.test(sign)) end();
    else if (quote === "" && word === null && sign === "#") break; // a comment
    else {
      word = (word ?? "") + sign;
      if (sign === "`" || (sign === "$" && /[A-Za-z_{(]/.test(next ?? ""))) isUnexpanded = true;
    }
  }
  end();
  return { words, unexpanded, isOpen: quote !== "" };
}
